import { TurnoutError } from '../../../core/errors.js';
import type { PermissionMode } from '../../../core/permission-mode.js';
import { within } from '../../../core/wait.js';
import type { TurnStream } from '../../live/turn-stream.js';
import type {
  LiveEvent,
  LiveSession,
  LiveSessionOptions,
  PermissionAnswer,
  TurnEnding,
} from '../../live/types.js';
import { failedEnding, interruptedEnding } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { noSuchRequest } from '../../output/permission-request.js';
import { object, text } from '../../output/read-fields.js';
import { failure } from '../failure.js';
import { isSameDirectory, worksElsewhere } from '../session-directory.js';
import { newMessageId, type OpenCodeModel, readModel } from './message.js';
import { PendingPermissions, type PermissionReply } from './permissions.js';
import {
  agentOf,
  allows,
  confirmingRules,
  endsWith,
  type Rule,
  readRules,
  type ToolFilter,
} from './rules.js';
import { endShells, findShells } from './shells.js';
import type { HttpAnswer, HttpCall } from './transport.js';
import { OpenCodeTurn } from './turns.js';

/** The server as a session sees it. */
export interface SessionServer {
  readonly pid: number;
  call(call: HttpCall): Promise<HttpAnswer>;
  /** The rules of a mode, on top of those that hold in a directory. */
  rules(directory: string, mode: PermissionMode, filter: ToolFilter): Promise<readonly Rule[]>;
  /** Sends the events of this session (one of ours, or of a subagent) to its owner from now on. */
  adopt(sessionId: string, owner: OpenCodeSession): void;
  forget(sessionIds: Iterable<string>): void;
  /** Traces a line of the server with the events that it became. */
  traceLine(line: string, events: readonly LiveEvent[]): void;
}

export interface SessionFacts {
  readonly id: string;
  /** The directory that it runs in: OpenCode keeps a session in the one that it was made in. */
  readonly directory: string;
}

/** One session of an `opencode serve`. */
export class OpenCodeSession implements LiveSession {
  readonly sessionId: string;
  readonly #server: SessionServer;
  readonly #directory: string;
  readonly #options: LiveSessionOptions;
  readonly #permissions = new PendingPermissions();
  readonly #subagents = new Set<string>();
  #mode: PermissionMode;
  /** The rules of the mode, which a session with `confirmTools` applies by itself. */
  #modeRules: readonly Rule[];
  #model: OpenCodeModel | undefined;
  /** The turn that the server runs, until nothing of it is under way. */
  #turn: OpenCodeTurn | undefined;
  /** The newest turn: it may still wait for the one before it to be over. */
  #latest: OpenCodeTurn | undefined;
  /** The newest request to abort the turn. */
  #abort: Promise<void> | undefined;
  #closed = false;
  /** The ending of every further turn: the process is gone. */
  #terminated: TurnEnding['ending'] | undefined;

  constructor(
    server: SessionServer,
    facts: SessionFacts,
    options: LiveSessionOptions,
    modeRules: readonly Rule[] = [],
  ) {
    this.sessionId = facts.id;
    this.#server = server;
    this.#directory = facts.directory;
    this.#options = options;
    this.#mode = options.permissionMode;
    this.#modeRules = modeRules;
    this.#model = readModel(options.model);
  }

  turn(prompt: string): TurnStream {
    const turn: OpenCodeTurn = new OpenCodeTurn(this.sessionId, {
      begin: () =>
        void this.#begin(turn, prompt).catch((error: unknown) => {
          turn.end(failedEnding(error));
          this.#finish(turn);
        }),
      leave: () => void this.#stop(turn),
    });
    return turn.stream;
  }

  async interrupt(): Promise<void> {
    if (this.#latest !== undefined) await this.#stop(this.#latest);
  }

  async answerPermission(id: string, answer: PermissionAnswer): Promise<void> {
    if (!this.#permissions.isPending(id)) throw noSuchRequest(id);
    await this.#reply(this.#permissions.answer(id, answer));
  }

  async steer(prompt: string): Promise<boolean> {
    const turn = this.#turn;
    if (!turn?.isRunning) return false;
    const id = newMessageId();
    return turn.steer(id, this.#sendMessage(id, prompt));
  }

  async setModel(model: string): Promise<void> {
    this.#model = readModel(model);
  }

  /** OpenCode keeps the rules of a mode with the session, and appends changed ones to those that are there. */
  async setPermissionMode(mode: PermissionMode): Promise<boolean> {
    const path = this.#path();
    const { body } = await this.#request({ method: 'GET', path });
    const modeRules = await this.#server.rules(this.#directory, mode, this.#options);
    const rules = this.#options.confirmTools ? confirmingRules(modeRules) : modeRules;
    if (!endsWith(readRules(object(body)['permission']), rules)) {
      await this.#request({ method: 'PATCH', path, body: { permission: rules } });
    }
    this.#mode = mode;
    this.#modeRules = modeRules;
    return true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.interrupt().catch(() => undefined);
    await this.#turn?.stream.over;
    this.#server.forget([this.sessionId, ...this.#subagents]);
  }

  /** Takes an event of this session, or of a subagent of it. */
  receive(event: JsonObject, raw: string): void {
    const type = text(event['type']);
    const properties = object(event['properties']);
    const turn = this.#turn;
    if (type === 'session.created') this.#adopt(text(properties['sessionID']));
    if (type === 'question.asked') this.#rejectQuestion(properties);
    if (type === 'permission.asked' && this.#answerWithoutAsking(properties)) {
      this.#server.traceLine(raw, []);
      return;
    }
    const events = turn?.receive(event, raw, (found) => this.#withDecision(found)) ?? [];
    this.#server.traceLine(raw, events);
    // An abort that came before the session was busy had nothing to stop.
    const busy = type === 'session.status' && object(properties['status'])['type'] === 'busy';
    if (busy && turn?.stopped && !turn.hasEnded) void this.#abortTurn(turn);
  }

  /** Delivers an event that is not of this session alone, if a turn runs. */
  deliver(event: LiveEvent): void {
    this.#turn?.deliver(event);
  }

  /** Called when the stream of events was broken and is connected again. */
  async resync(): Promise<void> {
    const turn = this.#turn;
    if (turn === undefined || turn.hasEnded) return;
    turn.markGap();
    await this.#catchUp(turn).catch(() => undefined);
  }

  /** Ends the running turn in this way, and every later one: the process is gone. */
  terminate(ending: TurnEnding['ending']): void {
    this.#terminated = ending;
    this.#turn?.end(ending);
  }

  async #begin(turn: OpenCodeTurn, prompt: string): Promise<void> {
    const before = this.#latest?.stream;
    this.#latest = turn;
    // A turn whose reader has left may still be stopping: its events would be mixed with ours.
    await before?.over;
    const ending = this.#terminated ?? (this.#closed ? closed : turn.stopped ? interruptedEnding : undefined);
    if (ending !== undefined) {
      turn.stream.push({ type: 'ending', ending });
      return;
    }
    this.#turn = turn;
    const { cwd } = this.#options;
    if (!isSameDirectory(this.#directory, cwd)) turn.deliver(worksElsewhere(this.#directory, cwd));
    await this.#drive(turn, prompt);
  }

  async #stop(turn: OpenCodeTurn): Promise<void> {
    if (turn.hasEnded || turn.stream.isOver) return;
    turn.stopped = true;
    // A turn that waits for the one before it is never begun.
    if (turn === this.#turn) await this.#abortTurn(turn);
  }

  async #drive(turn: OpenCodeTurn, prompt: string): Promise<void> {
    const promptId = newMessageId();
    turn.begin(promptId);
    const answer = this.#sendMessage(promptId, prompt).catch((error: unknown) => error);
    await Promise.race([turn.ended, allAnswered(answer, turn)]);
    // The turn has ended for its reader, who did not keep up, but not for the server.
    if (turn.stream.overflowed) void this.#abortTurn(turn);
    if (turn.hasEnded) await within(answerMs, answer);
    else await this.#awaitEvents(turn, await answer);
    await this.#abort;
    this.#abort = undefined;
    await this.#reply(this.#permissions.clear()).catch(() => undefined);
    this.#finish(turn);
  }

  /** Resolves when the session is done with the message. A busy session (1.18.33) takes it up with its next step. */
  #sendMessage(messageID: string, prompt: string): Promise<HttpAnswer> {
    const agent = agentOf(this.#mode);
    return this.#server.call({
      method: 'POST',
      path: `${this.#path()}/message`,
      directory: this.#directory,
      timeoutMs: 0,
      body: {
        messageID,
        ...(this.#model === undefined ? {} : { model: this.#model }),
        ...(this.#options.thinking === undefined ? {} : { variant: this.#options.thinking }),
        ...(agent === undefined ? {} : { agent }),
        ...(this.#options.systemPrompt === '' ? {} : { system: this.#options.systemPrompt }),
        parts: [{ type: 'text', text: prompt }],
      },
    });
  }

  #finish(turn: OpenCodeTurn): void {
    this.#server.forget(this.#subagents);
    this.#subagents.clear();
    if (this.#turn === turn) this.#turn = undefined;
    turn.finish();
  }

  /** The request is answered, mostly before its last events have come, which tell more: waits for them. */
  async #awaitEvents(turn: OpenCodeTurn, answer: unknown): Promise<void> {
    // A turn that was stopped before it began has no events to wait for.
    if (turn.stopped) await this.#abort;
    await within(turn.stopped ? eventsOfStoppedMs : eventsMs, turn.ended);
    if (turn.hasEnded) return;
    if (answer instanceof Error) {
      turn.end(failedEnding(answer));
      return;
    }
    const { status, body } = answer as HttpAnswer;
    if (status === 200) await this.#catchUp(turn).catch(() => undefined);
    turn.end(status === 200 ? undefined : failure(object(body)));
  }

  async #catchUp(turn: OpenCodeTurn): Promise<void> {
    const { body } = await this.#request({ method: 'GET', path: `${this.#path()}/message` });
    turn.catchUp(body);
    const waiting = await this.#request({ method: 'GET', path: '/permission' });
    for (const request of Array.isArray(waiting.body) ? waiting.body : []) {
      const id = text(object(request)['id']);
      if (text(object(request)['sessionID']) !== this.sessionId || this.#permissions.isPending(id)) continue;
      this.receive({ type: 'permission.asked', properties: object(request) }, JSON.stringify(request));
    }
  }

  #abortTurn(turn: OpenCodeTurn): Promise<void> {
    const before = this.#abort ?? Promise.resolve();
    const abort = before.then(() => this.#abortOnce(turn));
    this.#abort = abort;
    return abort;
  }

  async #abortOnce(turn: OpenCodeTurn): Promise<void> {
    const directory = this.#directory;
    const commands = turn.shellCommands.map((command) => ({ command, directory }));
    const shells = await findShells(this.#server.pid, commands).catch(() => []);
    await this.#request({ method: 'POST', path: `${this.#path()}/abort`, timeoutMs: abortMs }).catch(
      () => undefined,
    );
    await endShells(shells).catch(() => undefined);
    // The caller does not wait for this: a server that does not stop must not hold the turn for ever.
    void within(abortMs, turn.ended).then(() => {
      if (!turn.hasEnded && turn.stopped) turn.end(interruptedEnding);
    });
  }

  async #reply(replies: readonly PermissionReply[]): Promise<void> {
    for (const { id, body } of replies) {
      // A request that another denial has denied as well is gone: 404.
      await this.#request({ method: 'POST', path: `/permission/${encodeURIComponent(id)}/reply`, body }, 404);
    }
  }

  #adopt(subagent: string): void {
    if (subagent === this.sessionId) return;
    this.#subagents.add(subagent);
    this.#server.adopt(subagent, this);
  }

  /** Answers a request that needs no person: all is allowed, or this always, or its turn is over. False if it needs one. */
  #answerWithoutAsking(request: JsonObject): boolean {
    const isLate = this.#turn === undefined || this.#turn.hasEnded;
    const reply = isLate
      ? { id: text(request['id']), body: { reply: 'reject' } as const }
      : this.#permissions.add(request, this.#allows(request), this.#options.confirmTools);
    if (reply !== undefined) void this.#reply([reply]).catch(() => undefined);
    return reply !== undefined;
  }

  /** Of what OpenCode asks about, a mode allows nothing more; with `confirmTools` it asks about everything. */
  #allows({ permission, patterns }: JsonObject): boolean {
    if (this.#mode === 'bypass') return true;
    if (!this.#options.confirmTools || !Array.isArray(patterns)) return false;
    return allows(this.#modeRules, text(permission), patterns.map(text));
  }

  #rejectQuestion(properties: JsonObject): void {
    const id = encodeURIComponent(text(properties['id']));
    void this.#request({ method: 'POST', path: `/question/${id}/reject`, body: {} }).catch(() => undefined);
  }

  #withDecision(event: LiveEvent): LiveEvent {
    if (event.type === 'permission_request' && this.#permissions.isConfirmation(event.id))
      return { ...event, confirmation: true };
    if (event.type !== 'permission_resolved') return event;
    return { ...event, decision: this.#permissions.takeDecision(event.id) ?? event.decision };
  }

  async #request(call: HttpCall, alsoGood?: number): Promise<HttpAnswer> {
    const answer = await this.#server.call({ directory: this.#directory, ...call });
    if (answer.status < 300 || answer.status === alsoGood) return answer;
    const { message, code } = failure(object(answer.body));
    throw new TurnoutError(code ?? 'unknown', `OpenCode refused ${call.method} ${call.path}: ${message}`);
  }

  #path(): string {
    return `/session/${encodeURIComponent(this.sessionId)}`;
  }
}

const closed = {
  type: 'failed',
  code: 'bad_request',
  message: 'This OpenCode session has been closed.',
} as const;
const eventsMs = 2000;
const eventsOfStoppedMs = 250;
const answerMs = 1000;
const abortMs = 5000;

async function allAnswered(answer: Promise<unknown>, turn: OpenCodeTurn): Promise<void> {
  await answer;
  // The turn may be steered meanwhile.
  for (const steerAnswer of turn.steerAnswers) await steerAnswer;
}
