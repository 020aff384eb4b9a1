import { interruptedMessage, type StepEvent } from '../../../core/chat-event.js';
import { interruptedError, TurnoutError } from '../../../core/errors.js';
import type { PermissionMode } from '../../../core/permission-mode.js';
import { within } from '../../../core/wait.js';
import type { TurnStream } from '../../live/turn-stream.js';
import type { LiveEvent, LiveSession, PermissionAnswer } from '../../live/types.js';
import { failedEnding } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { type GeminiMessage, permissionId } from './decoder.js';
import { chooseOption, geminiModes } from './permissions.js';
import { promptBlocks } from './prompt.js';
import type { AcpConnection } from './transport.js';
import { Turn } from './turns.js';

export interface GeminiSessionSetup {
  readonly sessionId: string;
  readonly connection: AcpConnection;
  readonly mode: PermissionMode;
  readonly model: string | undefined;
  /** To be told with the next prompt; empty when the conversation has it already. */
  readonly systemPrompt: string;
  /** To be done before the first prompt of a new session. */
  readonly restoreRecord: Promise<() => Promise<void>> | undefined;
  turnBegan(): void;
  turnEnded(): void;
  closed(session: GeminiSession): void;
}

const answerMs = 30_000;
const stopMs = 5000;

export class GeminiSession implements LiveSession {
  readonly sessionId: string;
  readonly #connection: AcpConnection;
  readonly #setup: GeminiSessionSetup;
  #mode: PermissionMode;
  #model: string | undefined;
  #untold: string;
  #restoreRecord: Promise<() => Promise<void>> | undefined;
  #turn: Turn | undefined;
  /** The newest turn: it may still wait for the one before it to be over. */
  #latest: Turn | undefined;
  #death: TurnoutError | undefined;
  /** The questions that the agent waits with. */
  readonly #asking = new Map<string, { params: JsonObject; answer: (outcome: JsonObject) => void }>();

  constructor(setup: GeminiSessionSetup) {
    this.#setup = setup;
    this.sessionId = setup.sessionId;
    this.#connection = setup.connection;
    this.#mode = setup.mode;
    this.#model = setup.model;
    this.#untold = setup.systemPrompt;
    this.#restoreRecord = setup.restoreRecord;
  }

  get running(): boolean {
    return this.#turn !== undefined;
  }

  turn(prompt: string): TurnStream {
    const turn: Turn = new Turn({
      begin: () => void this.#begin(turn, prompt).catch((error: unknown) => this.#endWith(turn, error)),
      leave: () => void this.#stop(turn),
    });
    return turn.stream;
  }

  /** The agent says something to this session: the events that it becomes. */
  receive(message: GeminiMessage): readonly StepEvent[] {
    return this.#turn === undefined ? [] : this.#tell(this.#turn, this.#turn.step(message));
  }

  /** Something that is not of this session alone. */
  tell(event: StepEvent): void {
    this.#turn?.stream.push(event);
  }

  /** The agent asks. Resolves with ACP's outcome. */
  ask(params: JsonObject): { readonly events: readonly StepEvent[]; readonly outcome: Promise<JsonObject> } {
    const turn = this.#turn;
    if (turn === undefined || turn.interrupted) {
      return { events: [], outcome: Promise.resolve(chooseOption(params, undefined)) };
    }
    const id = permissionId(params);
    this.#withdraw(id);
    const asked = turn.step({ type: 'request', params });
    if (this.#mode !== 'bypass') {
      const outcome = new Promise<JsonObject>((answer) => this.#asking.set(id, { params, answer }));
      return { events: this.#tell(turn, asked), outcome };
    }
    // Nobody is to be asked here, so nobody hears of the question.
    const [, ...started] = turn.step({ type: 'answered', id, decision: 'allow' });
    return { events: this.#tell(turn, started), outcome: Promise.resolve(chooseOption(params, 'allow')) };
  }

  async interrupt(): Promise<void> {
    if (this.#latest !== undefined) await this.#stop(this.#latest);
  }

  async answerPermission(id: string, answer: PermissionAnswer): Promise<void> {
    const asked = this.#asking.get(id);
    if (asked === undefined) {
      throw new TurnoutError(
        'bad_request',
        `There is no permission request ${JSON.stringify(id)} to answer.`,
      );
    }
    this.#asking.delete(id);
    asked.answer(chooseOption(asked.params, answer.decision));
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
    const modeId = geminiModes[mode];
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
    this.die(new TurnoutError('bad_request', 'The session was closed.'));
  }

  /** Nothing will come to this session any more: its process has ended, or it was let go. */
  die(death: TurnoutError): void {
    this.#death ??= death;
    if (this.#turn !== undefined) this.#endWith(this.#turn, death);
  }

  async #begin(turn: Turn, prompt: string): Promise<void> {
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
    if (this.#death !== undefined) this.#endWith(turn, this.#death);
    else if (turn.interrupted) this.#endWith(turn, interruptedError());
    else void this.#prompt(prompt);
  }

  async #stop(turn: Turn): Promise<void> {
    if (turn.interrupted || turn.stream.isOver) return;
    turn.interrupted = true;
    // A turn that waits for the one before it is never begun.
    if (turn !== this.#turn) return;
    const cancelled = this.#connection.notify('session/cancel', { sessionId: this.sessionId });
    // Behind the cancellation: the agent must not go on with the tool's refusal.
    for (const id of [...this.#asking.keys()]) {
      this.#withdraw(id);
      this.receive({ type: 'answered', id, decision: 'deny', message: interruptedMessage });
    }
    await cancelled;
  }

  async #prompt(prompt: string): Promise<void> {
    const params = { sessionId: this.sessionId, prompt: promptBlocks(prompt, this.#untold) };
    try {
      await this.#connection.request('session/prompt', params);
    } catch {
      // The error's line, or the end of the process, has ended the turn.
    }
  }

  #withdraw(id: string): void {
    const asked = this.#asking.get(id);
    this.#asking.delete(id);
    asked?.answer(chooseOption(asked.params, undefined));
  }

  #tell(turn: Turn, events: readonly LiveEvent[]): readonly StepEvent[] {
    for (const event of events) turn.stream.push(event);
    // Whoever reads this turn does not keep up, and that must not cost the memory of all.
    if (turn.stream.overflowed) void this.#stop(turn);
    const ending = events.find((event) => event.type === 'ending')?.ending;
    // Gemini forgets a prompt that failed, and what was in front of it.
    if (ending?.type === 'answered') this.#untold = '';
    if (ending !== undefined) this.#over(turn);
    return events.filter((event): event is StepEvent => event.type !== 'ending');
  }

  #endWith(turn: Turn, error: unknown): void {
    turn.stream.push({ type: 'ending', ending: failedEnding(error) });
    this.#over(turn);
  }

  #over(turn: Turn): void {
    for (const id of [...this.#asking.keys()]) this.#withdraw(id);
    if (this.#turn === turn) this.#turn = undefined;
    this.#setup.turnEnded();
  }
}
