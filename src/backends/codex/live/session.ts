import { randomUUID } from 'node:crypto';
import type { StepEvent } from '../../../core/chat-event.js';
import { interruptedError, TurnoutError } from '../../../core/errors.js';
import type { PermissionMode } from '../../../core/permission-mode.js';
import { within } from '../../../core/wait.js';
import { putInFront } from '../../launch/prompt.js';
import type { TurnStream } from '../../live/turn-stream.js';
import type { LiveEvent, LiveSession, PermissionAnswer, TurnEnding } from '../../live/types.js';
import { failedEnding } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { object, text } from '../../output/read-fields.js';
import { codexTurnStep, goOn, type Message, resolveAsk, type TurnStep } from './decoder.js';
import { decodeAside } from './notifications.js';
import { type Ask, decideAlone, readAsk, turnPolicy } from './permissions.js';
import type { CodexPeer } from './transport.js';
import { RunningTurn } from './turns.js';

export interface SessionSetup {
  readonly peer: CodexPeer;
  readonly threadId: string;
  readonly model: string;
  readonly cwd: string;
  readonly mode: PermissionMode;
  /** The thread was not opened with what was asked for: the first turn says it once more. */
  readonly overrides: JsonObject;
  /** Instructions that the thread does not have yet. */
  readonly instructions: string;
  /** The thread has its instructions now. */
  instructed(): void;
  /** Gives the thread back to the server. */
  letGo(): Promise<void>;
}

const answerMs = 30_000;
const cleanMs = 3000;
/** What is kept of what nobody could be told yet. */
export const maxUnheard = 50;

/** One thread of an app-server. */
export class CodexSession implements LiveSession {
  readonly sessionId: string;
  readonly #setup: SessionSetup;
  readonly #peer: CodexPeer;
  #mode: PermissionMode;
  #model: string;
  #overrides: JsonObject;
  #instructions: string;
  /** The turn that the server runs, until it says that it is over. */
  #turn: RunningTurn | undefined;
  /** The newest turn: it may still wait for the one before it to be over. */
  #latest: RunningTurn | undefined;
  /** Threads of sub-agents, with the turn that each of them runs. */
  readonly #children = new Map<string, string | undefined>();
  /** What was said while no turn ran. */
  #unheard: StepEvent[] = [];
  #dead: TurnoutError | undefined;
  #closed = false;

  constructor(setup: SessionSetup) {
    this.#setup = setup;
    this.#peer = setup.peer;
    this.sessionId = setup.threadId;
    this.#mode = setup.mode;
    this.#model = setup.model;
    this.#overrides = setup.overrides;
    this.#instructions = setup.instructions;
  }

  turn(prompt: string): TurnStream {
    const turn: RunningTurn = new RunningTurn({
      begin: () => void this.#begin(turn, prompt).catch((error: unknown) => this.#fail(turn, error)),
      leave: () => this.#stop(turn),
    });
    return turn.stream;
  }

  async interrupt(): Promise<void> {
    if (this.#latest !== undefined) this.#stop(this.#latest);
  }

  async answerPermission(id: string, answer: PermissionAnswer): Promise<void> {
    const turn = this.#turn;
    const ask = turn?.state.asks.get(id);
    if (turn === undefined || ask === undefined) {
      throw new TurnoutError('bad_request', `No permission request ${JSON.stringify(id)} is waiting.`);
    }
    this.#answer(ask, answer);
    this.#take(turn, resolveAsk(turn.state, id, answer.decision));
  }

  async steer(prompt: string): Promise<boolean> {
    const turn = this.#turn;
    if (turn === undefined || turn !== this.#latest || turn.stopping) return false;
    const { turnId, started, ended } = turn.state;
    if (turnId === undefined || !started || ended) return false;
    const id = randomUUID();
    const params = { threadId: this.sessionId, expectedTurnId: turnId, input: typed(prompt) };
    const telling = this.#peer
      .call('turn/steer', { ...params, clientUserMessageId: id }, answerMs, () => turn.told.set(id, prompt))
      .then(
        () => true,
        () => false,
      );
    turn.telling.add(telling);
    void telling.then(() => turn.telling.delete(telling));
    return telling;
  }

  async setModel(model: string): Promise<void> {
    if (model.trim() === '') throw new TurnoutError('bad_request', 'The name of the model is empty.');
    this.#model = model;
    this.#overrides = { ...this.#overrides, model };
  }

  async setPermissionMode(mode: PermissionMode): Promise<boolean> {
    this.#mode = mode;
    this.#overrides = { ...this.#overrides, ...turnPolicy(mode) };
    return true;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const turn = this.#turn;
    if (turn !== undefined) {
      this.#stop(turn);
      await within(cleanMs, turn.stream.over);
    }
    if (this.#dead === undefined) await this.#clean();
    await this.#setup.letGo();
    this.lost(new TurnoutError('interrupted', 'The session was closed.'));
  }

  /** A notification about this thread. */
  notified(message: Message): readonly LiveEvent[] {
    this.#meetChild(message.value);
    const turn = this.#turn;
    if (turn !== undefined) return this.#take(turn, codexTurnStep(turn.state, message));
    const { method, params } = message.value;
    const events = decodeAside(text(method), object(params), message.raw);
    this.tell(events);
    return events;
  }

  /** A notification about the thread of a sub-agent: what it says is not what the agent says. */
  childNotified({ value }: Message): void {
    this.#meetChild(value);
    const params = object(value['params']);
    const threadId = text(params['threadId']);
    if (value['method'] === 'turn/started') this.#children.set(threadId, text(object(params['turn'])['id']));
    if (value['method'] === 'turn/completed') this.#children.set(threadId, undefined);
  }

  hasChild(threadId: string): boolean {
    return this.#children.has(threadId);
  }

  /** A request of the server about this thread, or about that of a sub-agent. */
  asked(message: Message): readonly LiveEvent[] {
    const turn = this.#turn;
    const ask = readAsk(message.value, turn?.state.tools ?? new Map());
    if (ask === undefined) {
      this.#peer.refuse(message.value['id'], text(message.value['method']));
      return turn === undefined ? [] : this.#take(turn, codexTurnStep(turn.state, message));
    }
    // An MCP server's question may belong to no turn.
    const ours = ['', turn?.state.turnId].includes(ask.turnId) || this.#children.has(ask.threadId);
    const decision = turn !== undefined && ours ? decideAlone(ask, this.#mode, this.#setup.cwd) : 'deny';
    if (decision !== undefined || turn === undefined) {
      this.#answer(ask, { decision: decision ?? 'deny' });
      return [];
    }
    return this.#take(turn, codexTurnStep(turn.state, message));
  }

  /** Something to say with the running turn, or with the next one. */
  tell(events: readonly StepEvent[]): void {
    if (this.#turn !== undefined && !this.#turn.state.ended)
      for (const event of events) this.#turn.push(event);
    else this.#unheard = [...this.#unheard, ...events].slice(-maxUnheard);
  }

  /** The process is gone. */
  lost(error: TurnoutError): void {
    this.#dead = error;
    if (this.#turn !== undefined) this.#fail(this.#turn, error);
  }

  async #begin(turn: RunningTurn, prompt: string): Promise<void> {
    const before = this.#latest?.stream;
    if (before !== undefined && !before.isOver && !before.isLeft) {
      this.#refuse(turn, 'has a turn already');
      return;
    }
    this.#latest = turn;
    // A second turn/start would be merged into a turn that still runs.
    await before?.over;
    if (this.#closed) {
      this.#refuse(turn, 'is closed');
      return;
    }
    this.#turn = turn;
    turn.push({ type: 'session', sessionId: this.sessionId, backend: 'codex', model: this.#model });
    const unheard = this.#unheard;
    this.#unheard = [];
    for (const event of unheard) turn.push(event);
    if (this.#dead !== undefined) this.#fail(turn, this.#dead);
    const told = this.#instructions === '' || this.#dead ? prompt : await this.#instruct(prompt);
    if (turn.stopping) this.#fail(turn, interruptedError());
    if (this.#turn === turn) this.#startTurn(turn, typed(told));
  }

  #refuse(turn: RunningTurn, why: string): void {
    const message = `The Codex session ${this.sessionId} ${why}.`;
    turn.finish({ type: 'ending', ending: { type: 'failed', code: 'bad_request', message } });
  }

  #startTurn(turn: RunningTurn, input: readonly JsonObject[]): void {
    const overrides = this.#overrides;
    this.#peer.ask('turn/start', { threadId: this.sessionId, input, ...overrides }, (message) => {
      if (message.value['error'] === undefined && this.#overrides === overrides) this.#overrides = {};
      return this.#take(turn, codexTurnStep(turn.state, message));
    });
  }

  /** Instructions can't be changed when a thread is resumed: new ones are put into its history, as Codex does it. */
  async #instruct(prompt: string): Promise<string> {
    const instructions = this.#instructions;
    this.#instructions = '';
    const item = {
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: instructions }],
    };
    try {
      await this.#peer.call('thread/inject_items', { threadId: this.sessionId, items: [item] }, answerMs);
      this.#setup.instructed();
      return prompt;
    } catch {
      return putInFront(instructions, prompt);
    }
  }

  #take(turn: RunningTurn, step: TurnStep): readonly LiveEvent[] {
    const { started } = turn.state;
    const { ending } = turn.take(step);
    if (turn.stopping && !started && turn.state.started) this.#sendInterrupt(turn);
    if (ending !== undefined) void this.#finish(turn, ending);
    else if (turn.stream.overflowed) this.#stop(turn);
    return step[1];
  }

  async #finish(turn: RunningTurn, ending: TurnEnding): Promise<void> {
    if (turn.telling.size > 0) await Promise.all(turn.telling);
    // Codex leaves the tools of an interrupted turn running.
    if (turn.stopping && this.#dead === undefined) await this.#clean();
    if (this.#turn !== turn) return;
    if (ending.ending.type === 'answered' && !turn.stopping && this.#goesOn(turn)) return;
    this.#turn = undefined;
    turn.finish(ending);
  }

  /** At its very end a turn (0.166) still takes what is said into it, but asks the model no more: another one does. */
  #goesOn(turn: RunningTurn): boolean {
    const { heard, unanswered } = turn.state;
    if (turn.told.size === 0) return false;
    const unheard = [...turn.told].filter(([id]) => !heard.includes(id)).map(([, prompt]) => prompt);
    if (unheard.length === 0 && !unanswered) return false;
    turn.told.clear();
    turn.state = goOn(turn.state);
    // Without input it answers what the thread ends with.
    this.#startTurn(turn, unheard.flatMap(typed));
    return true;
  }

  #fail(turn: RunningTurn, error: unknown): void {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    turn.fail(failedEnding(error));
  }

  #stop(turn: RunningTurn): void {
    if (turn.stopping) return;
    turn.stopping = true;
    if (this.#turn === turn && turn.state.started && !turn.state.ended) this.#sendInterrupt(turn);
  }

  #sendInterrupt(turn: RunningTurn): void {
    const turns = [[this.sessionId, turn.state.turnId] as const, ...this.#children];
    for (const [threadId, turnId] of turns) {
      if (turnId === undefined) continue;
      // For a turn that has just ended there may be no answer at all: its end is what is waited for.
      void turn.stream.over.then(this.#peer.ask('turn/interrupt', { threadId, turnId }));
    }
  }

  async #clean(): Promise<void> {
    const threads = [this.sessionId, ...this.#children.keys()];
    await Promise.allSettled(
      threads.map((threadId) => this.#peer.call('thread/backgroundTerminals/clean', { threadId }, cleanMs)),
    );
  }

  #answer(ask: Ask, { decision, message }: PermissionAnswer): void {
    if (decision === 'deny' && message !== undefined && message !== '') {
      // A refusal has no room for words. Steered in before it, they reach the model together with it.
      const params = { threadId: ask.threadId, expectedTurnId: ask.turnId, input: typed(message) };
      this.#peer.ask('turn/steer', params);
    }
    this.#peer.reply(ask.requestId, ask.reply(decision));
  }

  #meetChild(value: JsonObject): void {
    const item = object(object(value['params'])['item']);
    if (item['type'] !== 'subAgentActivity') return;
    const child = text(item['agentThreadId']);
    if (child !== '' && !this.#children.has(child)) this.#children.set(child, undefined);
  }
}

function typed(prompt: string): readonly JsonObject[] {
  return [{ type: 'text', text: prompt, text_elements: [] }];
}
