import { randomUUID } from 'node:crypto';
import { notice } from '../../../core/chat-event.js';
import { TurnoutError } from '../../../core/errors.js';
import { TurnStream } from '../../live/turn-stream.js';
import type { LiveEvent, LiveEvents, PermissionAnswer, TurnEnding } from '../../live/types.js';
import { interruptedEnding, unknownLine } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { object, text } from '../../output/read-fields.js';
import { answerAsked, beginTurn, endTurn, stepLive, tellTurn } from './decoder.js';
import { Footprint } from './footprint.js';
import { type Permissions, permissionResult } from './permissions.js';
import { type ClaudeLiveState, type LiveStep, liveState } from './state.js';
import type { ClaudeConnection, Death, Listener } from './transport.js';

/** The turns of one process, one at a time, and the questions that come up in them. */
export class ClaudeTurns implements Listener {
  permissions: Permissions;
  sessionId: string | undefined;
  footprint = new Footprint();
  readonly #connection: ClaudeConnection;
  readonly #questions = new Map<string, JsonObject>();
  /** Messages that were said into the running turn, until Claude tells that it has them. */
  readonly #telling = new Map<string, (taken: boolean) => void>();
  #state: ClaudeLiveState;
  /** The turn whose message the CLI has. */
  #current: ClaudeTurn | undefined;
  /** The newest one: it may still wait for the one before it to be over. */
  #latest: ClaudeTurn | undefined;
  #before: ClaudeTurn | undefined;

  constructor(connection: ClaudeConnection, permissions: Permissions, resumed: string | undefined) {
    this.#connection = connection;
    this.permissions = permissions;
    this.sessionId = resumed;
    this.#state = liveState(resumed === undefined ? 0 : undefined);
  }

  /** One turn for one message, in the form that Claude takes it. */
  run(message: JsonObject): LiveEvents {
    const stream = new TurnStream({ begin: () => this.#begin(turn, message), pausable: true });
    const turn: ClaudeTurn = { stream, messageId: randomUUID(), stopped: false };
    this.#latest = turn;
    return stream;
  }

  #begin(turn: ClaudeTurn, message: JsonObject): void {
    const before = this.#before;
    this.#before = turn;
    if (before === undefined || before.stream.isOver) this.#say(turn, message);
    else void before.stream.over.then(() => this.#say(turn, message));
  }

  #say(turn: ClaudeTurn, message: JsonObject): void {
    const { death } = this.#connection;
    if (death !== undefined) turn.stream.push(crash(death));
    else if (turn.stopped) turn.stream.push({ type: 'ending', ending: interruptedEnding });
    else {
      this.#current = turn;
      this.#connection.send({ ...message, uuid: turn.messageId });
      this.#take(beginTurn(this.#state, turn.messageId));
    }
  }

  /** Resolves when Claude has taken notice; the turn then ends by itself. */
  async interrupt(): Promise<void> {
    const turn = this.#latest;
    if (turn === undefined || turn.stream.isOver || turn.stopped) return;
    turn.stopped = true;
    turn.stream.stopWaitingForRoom();
    // Before it is sent it needs no taking back.
    if (turn !== this.#current) return;
    try {
      await this.#ask(turn);
    } catch (error) {
      // A process that is gone has ended the turn as well.
      if (!turn.stream.isOver) throw error;
    }
  }

  async #ask(turn: ClaudeTurn): Promise<void> {
    for (let attempt = 0; attempt < 20 && !turn.stream.isOver; attempt++) {
      // What waits behind the turn would begin another one.
      for (const id of this.#state.turn?.told ?? []) await this.#withdraw(id);
      if (await this.#takeBack(turn)) return;
      // Over in the meantime: it would hit the next one.
      if (turn.stream.isOver) return;
      const { still_queued: queued } = await this.#connection.request({ subtype: 'interrupt' });
      // Between two turns Claude (2.1.325) lets an interrupt pass and begins the message that waits: ask again.
      const waits = [turn.messageId, ...(this.#state.turn?.told ?? [])];
      if (!Array.isArray(queued) || !waits.some((id) => queued.includes(id))) break;
    }
    this.#insist(turn);
  }

  /** Without word of where a message's turn begins (older than 2.1.325) its answer could not be told from the next one's. */
  async steer(message: JsonObject): Promise<boolean> {
    const turn = this.#current;
    const { turn: ours, tellsBeginnings } = this.#state;
    if (turn === undefined || turn.stopped || !tellsBeginnings || !ours?.begun) return false;
    const id = randomUUID();
    const taken = new Promise<boolean>((resolve) => {
      this.#telling.set(id, resolve);
    });
    void turn.stream.over.then(() => this.#told(id, false));
    this.#state = tellTurn(this.#state, id);
    this.#connection.send({ ...message, uuid: id });
    return taken;
  }

  async answer(id: string, answer: PermissionAnswer): Promise<void> {
    const request = this.#questions.get(id);
    if (request === undefined) {
      throw new TurnoutError(
        'bad_request',
        `There is no permission request ${JSON.stringify(id)} to answer.`,
      );
    }
    this.#questions.delete(id);
    if (answer.decision === 'allow_always') this.footprint.leaveTrace();
    this.#connection.respond(id, permissionResult(request, answer));
    this.#take(answerAsked(this.#state, id, answer.decision));
  }

  /** All that was said so far belongs to another session. */
  forget(): void {
    this.footprint = new Footprint();
    this.#state = { ...this.#state, cost: 0, unprompted: '' };
  }

  /** For the session's last moments: the running turn, if any, is over. */
  async settled(): Promise<void> {
    await this.#before?.stream.over;
  }

  received(message: JsonObject, raw: string): readonly LiveEvent[] {
    const { type } = message;
    if (type === 'control_request' && !this.#mayAsk(message)) return [];
    if (type === 'control_cancel_request') this.#questions.delete(text(message['request_id']));
    const events = this.#take(stepLive(this.#state, message, raw));
    if (type === 'command_lifecycle')
      this.#told(text(message['command_uuid']), message['state'] !== 'cancelled');
    // Said before the turn's first line, an interrupt may have come too early to be heard.
    if (message['subtype'] === 'init' && this.#current?.stopped) this.#interruptAgain();
    // A result of a turn that the agent began by itself.
    if (type === 'result' && events.at(-1)?.type !== 'ending') this.footprint.leaveTrace();
    this.footprint.see(message, events);
    return events;
  }

  garbage(raw: string): readonly LiveEvent[] {
    return this.#take([this.#state, [unknownLine('A line that is not JSON', raw)]]);
  }

  gone(death: Death): void {
    this.#questions.clear();
    this.#take(endTurn(this.#state, crash(death).ending));
  }

  room(): Promise<void> | undefined {
    const turn = this.#current;
    return turn?.stopped ? undefined : turn?.stream.room();
  }

  #take([state, events]: LiveStep): readonly LiveEvent[] {
    this.#state = state;
    for (const event of events) if (event.type === 'session') this.sessionId = event.sessionId;
    const turn = this.#current;
    if (turn === undefined) return events;
    for (const event of events) turn.stream.push(event);
    if (turn.stream.isOver) {
      this.#current = undefined;
      this.#questions.clear();
    }
    return events;
  }

  /** Answers what needs nobody's word; `true` leaves a permission request to the caller. */
  #mayAsk(message: JsonObject): boolean {
    const id = text(message['request_id']);
    const request = object(message['request']);
    switch (request['subtype']) {
      case 'can_use_tool':
        return this.#mayAskForTool(id, request);
      case 'hook_callback':
        // No opinion: the permission mode decides.
        this.#connection.respond(id, {});
        return false;
      default:
        this.#connection.refuse(id, `Not supported by this client: ${text(request['subtype'])}`);
        return true;
    }
  }

  #mayAskForTool(id: string, request: JsonObject): boolean {
    const { questions } = this.permissions;
    if (questions === 'ask' && this.#state.turn?.begun) {
      this.#questions.set(id, request);
      return true;
    }
    const message =
      questions === 'ask' ? 'Nobody is there to be asked: no turn is running.' : questions.refuse;
    this.#connection.respond(id, permissionResult(request, { decision: 'deny', message }));
    const told = notice('warning', `Permission denied: ${text(request['tool_name'])}. ${message}`);
    this.#take([this.#state, [told]]);
    return false;
  }

  /** A message that waits can be taken back (2.1.325); then its turn ends without ever having begun. */
  async #takeBack(turn: ClaudeTurn): Promise<boolean> {
    if (this.#state.turn?.begun) return false;
    if (!(await this.#withdraw(turn.messageId))) return false;
    if (this.#current === turn) this.#take(endTurn(this.#state, interruptedEnding));
    return true;
  }

  async #withdraw(id: string): Promise<boolean> {
    const request = { subtype: 'cancel_async_message', message_uuid: id };
    const answer = await this.#connection.request(request).catch(refusedAsUnknown);
    return answer?.['cancelled'] === true;
  }

  #told(id: string, taken: boolean): void {
    this.#telling.get(id)?.(taken);
    this.#telling.delete(id);
  }

  /** An interrupt that comes while a turn is being set up may be lost: say it again until it is over. */
  #insist(turn: ClaudeTurn): void {
    if (turn.stream.isOver) return;
    const timer = setInterval(() => this.#interruptAgain(), 1000);
    void turn.stream.over.then(() => clearInterval(timer));
  }

  #interruptAgain(): void {
    this.#connection.request({ subtype: 'interrupt' }).catch(() => undefined);
  }
}

/** A turn on its way through the process: its events, and what the CLI has been told of it. */
interface ClaudeTurn {
  readonly stream: TurnStream;
  /** The id that its message carries. */
  readonly messageId: string;
  /** An interrupt was asked for: the turn no longer waits for its reader. */
  stopped: boolean;
}

/** Older versions can't take a message back; a process that is gone has ended the turn anyway. */
function refusedAsUnknown(error: unknown): undefined {
  if (error instanceof TurnoutError && error.code === 'bad_request') return undefined;
  throw error;
}

function crash(death: Death): TurnEnding {
  const ending = death.wanted
    ? ({ type: 'failed', code: 'interrupted', message: 'The process of the session was ended' } as const)
    : ({ type: 'failed', code: 'crashed', message: death.message } as const);
  return { type: 'ending', ending };
}
