import { randomUUID } from 'node:crypto';
import { notice, type StepEvent } from '../../../core/chat-event.js';
import { TurnoutError } from '../../../core/errors.js';
import { TurnStream } from '../../live/turn-stream.js';
import type {
  LiveEvent,
  LiveEvents,
  LiveSessionOptions,
  PermissionAnswer,
  TurnEnding,
} from '../../live/types.js';
import { interruptedEnding, unknownLine } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { isAllowing, noSuchRequest } from '../../output/permission-request.js';
import { object, text } from '../../output/read-fields.js';
import { countsElsewhere, isNamedSession, otherSession } from '../../output/resumed-session.js';
import { forkFlag } from '../arguments.js';
import { costOfEarlierRuns, shownVersion } from '../versions.js';
import { addSteer, answerQuestion, beginTurn, denyTool, endTurn, stepLive } from './decoder.js';
import { Footprint } from './footprint.js';
import { decidesAboutTool, type HookCalls, hookAnswer, isHookCall, withInput } from './hooks.js';
import {
  asConfirmation,
  isConfirmation,
  type Permissions,
  permissionResult,
  requestedTool,
} from './permissions.js';
import { type ClaudeLiveState, type LiveStep, liveState } from './state.js';
import type { ClaudeConnection, ConnectionEnd, Listener } from './transport.js';

/** The turns of one process, one at a time, and the permission requests that come up in them. */
export class ClaudeTurns implements Listener {
  permissions: Permissions;
  sessionId: string | undefined;
  /** The version of Claude Code, once it is known. */
  version: string | undefined;
  footprint = new Footprint();
  readonly #connection: ClaudeConnection;
  readonly #hooks: HookCalls;
  readonly #confirmTools: boolean;
  /** The answers of hooks that wait for a confirmation, by the ids of the requests. */
  readonly #hookAnswers = new Map<string, JsonObject>();
  /** The permission requests without an answer, by their ids. */
  readonly #openQuestions = new Map<string, JsonObject>();
  /** The ids of all permission requests of the turn: what was shown under one is what is answered under it. */
  readonly #asked = new Set<string>();
  /** The callers of `steer`, by their messages' ids, until Claude reports that it has the message. */
  readonly #steerCallers = new Map<string, (taken: boolean) => void>();
  #state: ClaudeLiveState;
  /** The session that the process was started to resume, until Claude has named one. */
  #toResume: string | undefined;
  /** How the turn ends if Claude works in another session than that: its process is being ended. */
  #elsewhere: TurnEnding | undefined;
  /** The turn whose message was sent and that is not over. */
  #current: ClaudeTurn | undefined;
  /** The turn that was made last. Its message is sent when somebody reads it and the turn before it is over. */
  #latest: ClaudeTurn | undefined;
  /** The turn that somebody began to read last. */
  #lastRead: ClaudeTurn | undefined;

  constructor(
    connection: ClaudeConnection,
    permissions: Permissions,
    { sessionId: resumed, rawArgs = [] }: Pick<LiveSessionOptions, 'sessionId' | 'rawArgs'>,
    hooks: HookCalls,
    confirmTools = false,
  ) {
    this.#connection = connection;
    this.#hooks = hooks;
    this.#confirmTools = confirmTools;
    this.permissions = permissions;
    this.sessionId = resumed;
    // A fork goes on under an id of its own.
    this.#toResume = rawArgs.includes(forkFlag) ? undefined : resumed;
    this.#state = liveState(resumed === undefined ? 0 : undefined, connection.label);
  }

  /** Called when the process has shown its version, or has answered without it. */
  learnVersion(version: string | undefined): void {
    this.version = version;
    this.#state = { ...this.#state, cost: costOfEarlierRuns(this.#state.cost, version) };
  }

  /** One turn for one message, in the form that Claude takes it; the notices come first. */
  run(message: JsonObject, notices: readonly StepEvent[] = []): LiveEvents {
    const stream = new TurnStream({ begin: () => this.#begin(turn, message), pausable: true });
    for (const event of notices) stream.push(event);
    const turn: ClaudeTurn = { stream, messageId: randomUUID(), stopped: false };
    this.#latest = turn;
    return stream;
  }

  #begin(turn: ClaudeTurn, message: JsonObject): void {
    const before = this.#lastRead;
    this.#lastRead = turn;
    if (before === undefined || before.stream.isOver) this.#send(turn, message);
    else void before.stream.over.then(() => this.#send(turn, message));
  }

  #send(turn: ClaudeTurn, message: JsonObject): void {
    const { ended } = this.#connection;
    if (ended !== undefined) turn.stream.push(endingFor(ended));
    else if (turn.stopped) turn.stream.push({ type: 'ending', ending: interruptedEnding });
    else {
      this.#current = turn;
      this.#connection.send({ ...message, uuid: turn.messageId });
      this.#apply(beginTurn(this.#state, turn.messageId));
    }
  }

  /** Resolves when Claude has confirmed the interrupt; the turn then ends by itself. */
  async interrupt(): Promise<void> {
    const turn = this.#latest;
    if (turn === undefined || turn.stream.isOver || turn.stopped) return;
    turn.stopped = true;
    turn.stream.stopWaitingForRoom();
    // A message that has not been sent needs no interrupt: it never will be.
    if (turn !== this.#current) return;
    try {
      await this.#stop(turn);
    } catch (error) {
      // A process that is gone has ended the turn as well.
      if (!turn.stream.isOver) throw error;
    }
  }

  async #stop(turn: ClaudeTurn): Promise<void> {
    for (let attempt = 0; attempt < 20 && !turn.stream.isOver; attempt++) {
      // A steering message that waits behind the turn would begin another one.
      for (const id of this.#pendingSteers) await this.#cancelMessage(id);
      if (await this.#takeBack(turn)) return;
      // If the turn is over by now, the interrupt would hit the next one.
      if (turn.stream.isOver) return;
      const { still_queued: queued } = await this.#connection.request({ subtype: 'interrupt' });
      // Between two turns Claude (2.1.325) ignores an interrupt and begins the message that waits: try again.
      const waiting = [turn.messageId, ...this.#pendingSteers];
      if (!Array.isArray(queued) || !waiting.some((id) => queued.includes(id))) break;
    }
    this.#repeatInterrupt(turn);
  }

  get #pendingSteers(): readonly string[] {
    return this.#state.turn?.pendingSteers ?? [];
  }

  /** False with a version that reports no lifecycle (older than 2.1.325): which answer is whose could not be known. */
  async steer(message: JsonObject): Promise<boolean> {
    const turn = this.#current;
    const { turn: decoded, reportsLifecycle } = this.#state;
    if (turn === undefined || turn.stopped || !reportsLifecycle || !decoded?.begun) return false;
    const id = randomUUID();
    const taken = new Promise<boolean>((resolve) => {
      this.#steerCallers.set(id, resolve);
    });
    void turn.stream.over.then(() => this.#answerSteer(id, false));
    this.#state = addSteer(this.#state, id);
    this.#connection.send({ ...message, uuid: id });
    return taken;
  }

  async answerPermission(id: string, answer: PermissionAnswer): Promise<void> {
    const request = this.#openQuestions.get(id);
    if (request === undefined) throw noSuchRequest(id);
    this.#openQuestions.delete(id);
    if (answer.decision === 'allow_always') this.footprint.leaveTrace();
    const hookAnswered = isAllowing(answer.decision) ? this.#hookAnswers.get(id) : undefined;
    this.#connection.respond(id, hookAnswered ?? permissionResult(request, answer));
    if (!isAllowing(answer.decision)) this.#deny(request);
    this.#apply(answerQuestion(this.#state, id, answer.decision));
  }

  /** `/clear` is about to be sent: the next id is a new session's. */
  expectNewSession(): void {
    this.#toResume = undefined;
  }

  /** Forgets the session before: the process holds a new one. */
  startNewSession(): void {
    this.footprint = new Footprint();
    // Old versions count the cost of the process on (2.1.197): the result of `/clear` tells where the session begins.
    this.#state = { ...this.#state, cost: this.#state.cost ?? 0, unpromptedText: '' };
  }

  /** Resolves when no turn runs any more. */
  async idle(): Promise<void> {
    await this.#lastRead?.stream.over;
  }

  received(message: JsonObject, raw: string): readonly LiveEvent[] {
    const { type } = message;
    if (type === 'control_request' && !this.#handleRequest(message)) return [];
    if (type === 'control_cancel_request') {
      this.#openQuestions.delete(text(message['request_id']));
      this.#hooks.cancel(text(message['request_id']));
    }
    const events = this.#apply(stepLive(this.#state, message, raw));
    if (type === 'command_lifecycle')
      this.#answerSteer(text(message['command_uuid']), message['state'] !== 'cancelled');
    // Claude (2.1.325) confirms an interrupt that comes before the turn's first line, and ignores it.
    if (message['subtype'] === 'init' && this.#current?.stopped) this.#sendInterrupt();
    if (message['subtype'] === 'init') this.version ??= shownVersion(message);
    // The agent began the turn of this result by itself, or goes on with a steering message.
    if (type === 'result' && events.at(-1)?.type !== 'ending') this.footprint.leaveTrace();
    this.footprint.observe(message, events);
    return events;
  }

  receivedInvalid(raw: string): readonly LiveEvent[] {
    return this.#apply([this.#state, [unknownLine('A line that is not JSON', raw)]]);
  }

  ended(end: ConnectionEnd): void {
    this.#openQuestions.clear();
    this.#hooks.cancelAll();
    this.#apply(endTurn(this.#state, (this.#elsewhere ?? endingFor(end)).ending));
  }

  /** A turn that is being stopped does not wait for its reader. */
  room(): Promise<void> | undefined {
    const turn = this.#current;
    return turn?.stopped ? undefined : turn?.stream.room();
  }

  #apply([state, decoded]: LiveStep): readonly LiveEvent[] {
    this.#state = state;
    const events = this.#inResumedSession(decoded);
    for (const event of events) if (event.type === 'session') this.sessionId = event.sessionId;
    const turn = this.#current;
    if (turn === undefined) return events;
    for (const event of events) turn.stream.push(event);
    if (turn.stream.isOver) {
      this.#current = undefined;
      this.#openQuestions.clear();
      this.#hookAnswers.clear();
      this.#asked.clear();
    }
    return events;
  }

  /** Ends the process if it works in another session than the one to resume. The tools that it names meanwhile are shown. */
  #inResumedSession(events: readonly LiveEvent[]): readonly LiveEvent[] {
    const wanted = this.#toResume;
    const told = events.find((event) => event.type === 'session')?.sessionId;
    if (wanted !== undefined && told !== undefined) {
      this.#toResume = undefined;
      if (!isNamedSession(wanted, told)) {
        const message = otherSession(this.#connection.label, wanted, told);
        this.#elsewhere = { type: 'ending', ending: { type: 'failed', code: 'session_not_found', message } };
        void this.#connection.end();
      }
    }
    const ending = this.#elsewhere;
    if (ending === undefined) return events;
    return events.flatMap((event): readonly LiveEvent[] => {
      if (event.type === 'ending') return [ending];
      return countsElsewhere(event) ? [event] : [];
    });
  }

  /** Answers a request of Claude's that needs no user. False: the request becomes no event. */
  #handleRequest(message: JsonObject): boolean {
    const id = text(message['request_id']);
    const request = object(message['request']);
    switch (request['subtype']) {
      case 'can_use_tool':
        return this.#handleToolRequest(id, request, this.permissions.questions);
      case 'hook_callback':
        if (isConfirmation(request)) return this.#handleToolRequest(id, request, 'ask');
        // Without an answer Claude would wait for it: a process that can't be answered is of no use any more.
        if (isHookCall(request)) this.#runHooks(id, request).catch(() => void this.#connection.end());
        // No opinion: the permission mode decides.
        else this.#connection.respond(id, {});
        return false;
      default:
        this.#connection.refuse(id, `Not supported by this client: ${text(request['subtype'])}`);
        return true;
    }
  }

  /** Claude waits for the answer, and goes on with other things meanwhile. */
  async #runHooks(id: string, request: JsonObject): Promise<void> {
    const outcome = await this.#hooks.run(id, request);
    if (outcome === undefined || this.#connection.ended !== undefined) return;
    if (outcome.decision === 'deny') this.#deny(request);
    this.#apply([this.#state, outcome.notices]);
    const answer = hookAnswer(request, outcome);
    if (!this.#confirmTools || !decidesAboutTool(request) || outcome.decision === 'deny') {
      this.#connection.respond(id, answer);
      return;
    }
    const question = asConfirmation(withInput(request, outcome));
    this.#hookAnswers.set(id, answer);
    if (!this.#handleToolRequest(id, question, 'ask')) return;
    const message = { type: 'control_request', request_id: id, request: question };
    this.#apply(stepLive(this.#state, message, JSON.stringify(message)));
  }

  #handleToolRequest(id: string, request: JsonObject, questions: Permissions['questions']): boolean {
    const isReused = this.#asked.has(id);
    if (questions === 'ask' && this.#state.turn?.begun && !isReused) {
      this.#asked.add(id);
      this.#openQuestions.set(id, request);
      return true;
    }
    const nobody = isReused
      ? 'Another request had the same id.'
      : 'Nobody is there to be asked: no turn is running.';
    const message = questions === 'ask' ? nobody : questions.refuse;
    this.#connection.respond(id, permissionResult(request, { decision: 'deny', message }));
    this.#deny(request);
    const denied = notice('warning', `Permission denied: ${requestedTool(request).tool}. ${message}`);
    this.#apply([this.#state, [denied]]);
    return false;
  }

  /** Claude (2.1.325) says of a tool that was denied here only that it failed. */
  #deny(request: JsonObject): void {
    this.#state = denyTool(this.#state, text(request['tool_use_id']));
  }

  /** A message that waits can be taken back (2.1.325); then its turn ends without ever having begun. */
  async #takeBack(turn: ClaudeTurn): Promise<boolean> {
    if (this.#state.turn?.begun) return false;
    if (!(await this.#cancelMessage(turn.messageId))) return false;
    if (this.#current === turn) this.#apply(endTurn(this.#state, interruptedEnding));
    return true;
  }

  async #cancelMessage(id: string): Promise<boolean> {
    const request = { subtype: 'cancel_async_message', message_uuid: id };
    const answer = await this.#connection.request(request).catch(refusedAsUnknown);
    return answer?.['cancelled'] === true;
  }

  #answerSteer(id: string, taken: boolean): void {
    this.#steerCallers.get(id)?.(taken);
    this.#steerCallers.delete(id);
  }

  /** An interrupt that comes while a turn is being set up may be lost: it is sent again until the turn is over. */
  #repeatInterrupt(turn: ClaudeTurn): void {
    if (turn.stream.isOver) return;
    const timer = setInterval(() => this.#sendInterrupt(), 1000);
    void turn.stream.over.then(() => clearInterval(timer));
  }

  #sendInterrupt(): void {
    this.#connection.request({ subtype: 'interrupt' }).catch(() => undefined);
  }
}

/** A turn from the call that makes it to its ending. */
interface ClaudeTurn {
  readonly stream: TurnStream;
  /** The id that its message carries. */
  readonly messageId: string;
  /** An interrupt was asked for. */
  stopped: boolean;
}

/** Older versions can't take a message back; a process that is gone has ended the turn anyway. */
function refusedAsUnknown(error: unknown): undefined {
  if (error instanceof TurnoutError && error.code === 'bad_request') return undefined;
  throw error;
}

function endingFor(end: ConnectionEnd): TurnEnding {
  const ending = end.requested
    ? ({ type: 'failed', code: 'interrupted', message: 'The process of the session was ended' } as const)
    : ({ type: 'failed', code: 'crashed', message: end.message } as const);
  return { type: 'ending', ending };
}
