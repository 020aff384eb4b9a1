import { interruptedMessage, type StepEvent } from '../../../core/chat-event.js';
import { interruptedError, TurnoutError } from '../../../core/errors.js';
import type { PermissionMode } from '../../../core/permission-mode.js';
import { within } from '../../../core/wait.js';
import { toBeConfirmed } from '../../live/confirmation.js';
import type { TurnStream } from '../../live/turn-stream.js';
import type { LiveEvent, LiveSession, PermissionAnswer } from '../../live/types.js';
import { failedEnding } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { noSuchRequest } from '../../output/permission-request.js';
import { nameInId } from '../versions.js';
import { type GeminiMessage, permissionId } from './decoder.js';
import { chooseOption, geminiMode, isAllowed } from './permissions.js';
import { promptBlocks } from './prompt.js';
import type { GeminiConnection } from './transport.js';
import { GeminiTurn } from './turns.js';

export interface GeminiSessionSetup {
  readonly sessionId: string;
  readonly connection: GeminiConnection;
  readonly mode: PermissionMode;
  readonly confirmTools: boolean;
  readonly model: string | undefined;
  /** The system prompt, to be sent with the next prompt; empty if the conversation has it already. */
  readonly pendingInstructions: string;
  /** Called before the first prompt of a new session. */
  readonly restoreRecord: Promise<() => Promise<void>> | undefined;
  turnBegan(): void;
  turnEnded(): void;
  closed(session: GeminiSession): void;
}

const answerMs = 30_000;
const stopMs = 5000;

/** One session of a `gemini --acp`. */
export class GeminiSession implements LiveSession {
  readonly sessionId: string;
  readonly #connection: GeminiConnection;
  readonly #setup: GeminiSessionSetup;
  #mode: PermissionMode;
  #model: string | undefined;
  #pendingInstructions: string;
  #restoreRecord: Promise<() => Promise<void>> | undefined;
  /** The turn whose prompt the agent has, until it has answered it. */
  #turn: GeminiTurn | undefined;
  /** The newest turn: it may still wait for the one before it to be over. */
  #latest: GeminiTurn | undefined;
  /** Why no turn can run any more: the process is gone, or the session closed. */
  #terminated: TurnoutError | undefined;
  /** Permission requests that the agent waits for, by the id of their tool. */
  readonly #permissionRequests = new Map<
    string,
    { params: JsonObject; answer: (outcome: JsonObject) => void }
  >();

  constructor(setup: GeminiSessionSetup) {
    this.#setup = setup;
    this.sessionId = setup.sessionId;
    this.#connection = setup.connection;
    this.#mode = setup.mode;
    this.#model = setup.model;
    this.#pendingInstructions = setup.pendingInstructions;
    this.#restoreRecord = setup.restoreRecord;
  }

  get running(): boolean {
    return this.#turn !== undefined;
  }

  turn(prompt: string): TurnStream {
    const turn: GeminiTurn = new GeminiTurn({
      begin: () => void this.#begin(turn, prompt).catch((error: unknown) => this.#fail(turn, error)),
      leave: () => void this.#stop(turn),
    });
    return turn.stream;
  }

  /** Takes a message of the agent about this session; returns its events. */
  receive(message: GeminiMessage): readonly LiveEvent[] {
    const turn = this.#turn;
    if (turn === undefined) return [];
    const hasEnded = message.type === 'result' && message.result['stopReason'] === 'end_turn';
    if (hasEnded && turn.refusals.length > 0 && !turn.stopped) return this.#explain(turn, message);
    return this.#deliver(turn, turn.step(message));
  }

  /** A refusal carries no reason over ACP (0.61.0): the agent is told behind its answer, and the turn goes on with that. */
  #explain(turn: GeminiTurn, message: GeminiMessage & { type: 'result' }): readonly LiveEvent[] {
    const events = this.#deliver(turn, turn.goOn(message));
    const reasons = turn.refusals;
    turn.refusals = [];
    this.#pendingInstructions = '';
    void this.#prompt(reasons.join('\n'));
    return events;
  }

  /** Delivers an event that is not of this session alone, if a turn runs. */
  deliver(event: StepEvent): void {
    this.#turn?.stream.push(event);
  }

  /** Takes a permission request of the agent; `outcome` resolves to ACP's outcome. */
  requestPermission(params: JsonObject): {
    readonly events: readonly LiveEvent[];
    readonly outcome: Promise<JsonObject>;
  } {
    const turn = this.#turn;
    if (turn === undefined || turn.stopped) {
      return { events: [], outcome: Promise.resolve(chooseOption(params, undefined)) };
    }
    const id = permissionId(params);
    // What was shown under an id is what is answered under it.
    if (this.#permissionRequests.has(id))
      return { events: [], outcome: Promise.resolve(chooseOption(params, 'deny')) };
    const requested = turn.step({ type: 'request', params });
    const { confirmTools } = this.#setup;
    if (confirmTools || this.#mode !== 'bypass') {
      const outcome = new Promise<JsonObject>((answer) =>
        this.#permissionRequests.set(id, { params, answer }),
      );
      const allowed = isAllowed(params, this.#mode);
      const asked = confirmTools ? requested.map((event) => toBeConfirmed(event, allowed)) : requested;
      return { events: this.#deliver(turn, asked), outcome };
    }
    // In this mode nobody is asked, so the reader gets no event of the request.
    const [, ...started] = turn.step({ type: 'answered', id, decision: 'allow' });
    return { events: this.#deliver(turn, started), outcome: Promise.resolve(chooseOption(params, 'allow')) };
  }

  async interrupt(): Promise<void> {
    if (this.#latest !== undefined) await this.#stop(this.#latest);
  }

  async answerPermission(id: string, answer: PermissionAnswer): Promise<void> {
    const request = this.#permissionRequests.get(id);
    if (request === undefined) throw noSuchRequest(id);
    this.#permissionRequests.delete(id);
    request.answer(chooseOption(request.params, answer.decision));
    const { decision, message } = answer;
    const turn = this.#turn;
    if (this.#setup.confirmTools && decision === 'deny' && message && turn !== undefined) {
      turn.refusals = [...turn.refusals, `Your call of ${nameInId(id) || 'a tool'} was not run: ${message}`];
    }
    this.receive({ type: 'answered', id, ...answer });
  }

  async setModel(model: string): Promise<void> {
    await this.#connection.request(
      'session/set_model',
      { sessionId: this.sessionId, modelId: model },
      answerMs,
    );
    this.#model = model;
  }

  async setPermissionMode(mode: PermissionMode): Promise<boolean> {
    const modeId = geminiMode({ permissionMode: mode, confirmTools: this.#setup.confirmTools });
    await this.#connection.request('session/set_mode', { sessionId: this.sessionId, modeId }, answerMs);
    this.#mode = mode;
    return true;
  }

  /** Gemini 0.61.0 knows no `session/close`: it keeps the session (1 MB) as long as it runs. */
  async close(): Promise<void> {
    const turn = this.#turn;
    if (turn !== undefined) {
      await this.#stop(turn);
      await within(stopMs, turn.stream.over);
    }
    this.#setup.closed(this);
    this.terminate(new TurnoutError('bad_request', 'The session was closed.'));
  }

  /** Ends the running turn with this error, and every later one: the process is gone, or the session closed. */
  terminate(error: TurnoutError): void {
    this.#terminated ??= error;
    if (this.#turn !== undefined) this.#fail(this.#turn, error);
  }

  async #begin(turn: GeminiTurn, prompt: string): Promise<void> {
    const before = this.#latest?.stream;
    this.#latest = turn;
    // A prompt to a busy session would cancel the one before it.
    await before?.over;
    await (await this.#restoreRecord)?.();
    this.#restoreRecord = undefined;
    this.#turn = turn;
    this.#setup.turnBegan();
    turn.stream.push({
      type: 'session',
      sessionId: this.sessionId,
      backend: 'gemini',
      ...(this.#model === undefined ? {} : { model: this.#model }),
    });
    if (this.#terminated !== undefined) this.#fail(turn, this.#terminated);
    else if (turn.stopped) this.#fail(turn, interruptedError());
    else void this.#prompt(prompt);
  }

  async #stop(turn: GeminiTurn): Promise<void> {
    if (turn.stopped || turn.stream.isOver) return;
    turn.stopped = true;
    // A turn that waits for the one before it is never begun.
    if (turn !== this.#turn) return;
    const cancelled = this.#connection.notify('session/cancel', { sessionId: this.sessionId });
    // Withdrawn only after the cancellation: the agent must not go on with the tool's refusal.
    for (const id of [...this.#permissionRequests.keys()]) {
      this.#withdraw(id);
      this.receive({ type: 'answered', id, decision: 'deny', message: interruptedMessage });
    }
    await cancelled;
  }

  async #prompt(prompt: string): Promise<void> {
    const params = { sessionId: this.sessionId, prompt: promptBlocks(prompt, this.#pendingInstructions) };
    try {
      await this.#connection.request('session/prompt', params);
    } catch {
      // The line with the error, or the end of the process, has ended the turn.
    }
  }

  #withdraw(id: string): void {
    const request = this.#permissionRequests.get(id);
    this.#permissionRequests.delete(id);
    request?.answer(chooseOption(request.params, undefined));
  }

  #deliver(turn: GeminiTurn, events: readonly LiveEvent[]): readonly LiveEvent[] {
    for (const event of events) turn.stream.push(event);
    // A reader that does not keep up must not cost the memory of all.
    if (turn.stream.overflowed) void this.#stop(turn);
    const ending = events.find((event) => event.type === 'ending')?.ending;
    // Gemini forgets a prompt that failed, with the instructions in front of it.
    if (ending?.type === 'answered') this.#pendingInstructions = '';
    if (ending !== undefined) this.#finish(turn);
    return events;
  }

  #fail(turn: GeminiTurn, error: unknown): void {
    turn.stream.push({ type: 'ending', ending: failedEnding(error) });
    this.#finish(turn);
  }

  #finish(turn: GeminiTurn): void {
    for (const id of [...this.#permissionRequests.keys()]) this.#withdraw(id);
    if (this.#turn === turn) this.#turn = undefined;
    this.#setup.turnEnded();
  }
}
