import { randomUUID } from 'node:crypto';
import type { StepEvent } from '../../../core/chat-event.js';
import { interruptedError, TurnoutError } from '../../../core/errors.js';
import type { PermissionMode } from '../../../core/permission-mode.js';
import { within } from '../../../core/wait.js';
import { putInFront } from '../../launch/prompt.js';
import { toBeConfirmed } from '../../live/confirmation.js';
import type { TurnStream } from '../../live/turn-stream.js';
import type { LiveEvent, LiveSession, PermissionAnswer, TurnEnding } from '../../live/types.js';
import { failedEnding } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { noSuchRequest } from '../../output/permission-request.js';
import { object, text } from '../../output/read-fields.js';
import { stepCodexTurn } from './decoder.js';
import { decodeNotification } from './notifications.js';
import {
  automaticDecision,
  type PermissionRequest,
  readPermissionRequest,
  turnPolicy,
} from './permissions.js';
import { type CodexMessage, type CodexTurnStep, continueInNewTurn, resolvePermission } from './state.js';
import type { CodexConnection } from './transport.js';
import { CodexTurn } from './turns.js';

export interface CodexSessionSetup {
  readonly connection: CodexConnection;
  readonly threadId: string;
  readonly model: string;
  /** The kind of account, if Codex tells it. */
  keySource(): string | undefined;
  readonly cwd: string;
  readonly mode: PermissionMode;
  readonly confirmTools: boolean;
  /** Settings that the thread was not opened with though they were asked for: the first turn sets them. */
  readonly overrides: JsonObject;
  /** Instructions that the thread does not have yet. */
  readonly instructions: string;
  /** Called when the thread has its instructions. */
  onInstructed(): void;
  /** Makes the server unload the thread. */
  unload(): Promise<void>;
}

const answerMs = 30_000;
const cleanMs = 3000;
/** The most events that are kept for the next turn while none runs. */
export const maxUndelivered = 50;

/** One thread of an app-server. */
export class CodexSession implements LiveSession {
  readonly sessionId: string;
  readonly #setup: CodexSessionSetup;
  readonly #connection: CodexConnection;
  #mode: PermissionMode;
  #model: string;
  #overrides: JsonObject;
  #instructions: string;
  /** The turn that the server runs, until it says that it is over. */
  #turn: CodexTurn | undefined;
  /** The newest turn: it may still wait for the one before it to be over. */
  #latest: CodexTurn | undefined;
  /** Threads of sub-agents, with the turn that each of them runs. */
  readonly #children = new Map<string, string | undefined>();
  /** Events that came while no turn ran. */
  #undelivered: readonly StepEvent[] = [];
  /** Why no turn can run any more: the process is gone, or the session closed. */
  #terminated: TurnoutError | undefined;
  #closed = false;

  constructor(setup: CodexSessionSetup) {
    this.#setup = setup;
    this.#connection = setup.connection;
    this.sessionId = setup.threadId;
    this.#mode = setup.mode;
    this.#model = setup.model;
    this.#overrides = setup.overrides;
    this.#instructions = setup.instructions;
  }

  get model(): string {
    return this.#model;
  }

  turn(prompt: string): TurnStream {
    const turn: CodexTurn = new CodexTurn({
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
    const request = turn?.state.permissionRequests.get(id);
    if (turn === undefined || request === undefined) throw noSuchRequest(id);
    this.#answer(request, answer);
    this.#take(turn, resolvePermission(turn.state, id, answer.decision));
  }

  async steer(prompt: string): Promise<boolean> {
    const turn = this.#turn;
    if (turn === undefined || turn !== this.#latest || turn.stopped) return false;
    const { turnId, started, ended } = turn.state;
    if (turnId === undefined || !started || ended) return false;
    const id = randomUUID();
    const params = {
      threadId: this.sessionId,
      expectedTurnId: turnId,
      input: textInput(prompt),
      clientUserMessageId: id,
    };
    const accepted = this.#connection
      .request('turn/steer', params, answerMs, () => turn.steered.set(id, prompt))
      .then(
        () => true,
        () => false,
      );
    turn.pendingSteers.add(accepted);
    void accepted.then(() => turn.pendingSteers.delete(accepted));
    return accepted;
  }

  async setModel(model: string): Promise<void> {
    if (model.trim() === '') throw new TurnoutError('bad_request', 'The name of the model is empty.');
    this.#model = model;
    this.#overrides = { ...this.#overrides, model };
  }

  /** The next turn sets the effort, and the thread keeps it. */
  setEffort(effort: string): void {
    this.#overrides = { ...this.#overrides, effort };
  }

  async setPermissionMode(mode: PermissionMode): Promise<boolean> {
    this.#mode = mode;
    this.#overrides = {
      ...this.#overrides,
      ...turnPolicy({ permissionMode: mode, confirmTools: this.#setup.confirmTools }),
    };
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
    if (this.#terminated === undefined) await this.#endBackgroundTerminals();
    await this.#setup.unload();
    this.terminate(new TurnoutError('interrupted', 'The session was closed.'));
  }

  /** Takes a notification about this thread; returns its events. */
  receiveNotification(message: CodexMessage): readonly LiveEvent[] {
    this.#registerChild(message.value);
    const turn = this.#turn;
    if (turn !== undefined) return this.#take(turn, stepCodexTurn(turn.state, message));
    const { method, params } = message.value;
    const events = decodeNotification(text(method), object(params), message.raw);
    this.deliver(events);
    return events;
  }

  /** Takes a notification about the thread of a sub-agent, whose messages are not the agent's. */
  receiveChildNotification({ value }: CodexMessage): void {
    this.#registerChild(value);
    const params = object(value['params']);
    const threadId = text(params['threadId']);
    if (value['method'] === 'turn/started') this.#children.set(threadId, text(object(params['turn'])['id']));
    if (value['method'] === 'turn/completed') this.#children.set(threadId, undefined);
  }

  hasChild(threadId: string): boolean {
    return this.#children.has(threadId);
  }

  /** Takes a request of the server about this thread, or about that of a sub-agent; returns its events. */
  receiveRequest(message: CodexMessage): readonly LiveEvent[] {
    const turn = this.#turn;
    const request = readPermissionRequest(message.value, turn?.state.tools ?? new Map());
    if (request === undefined) {
      this.#connection.refuse(message.value['id'], text(message.value['method']));
      return turn === undefined ? [] : this.#take(turn, stepCodexTurn(turn.state, message));
    }
    const id = String(request.requestId);
    if (turn?.asked.has(id)) return this.#refuseReused(turn, id, request);
    // The request of an MCP server may belong to no turn.
    const ours = ['', turn?.state.turnId].includes(request.turnId) || this.#children.has(request.threadId);
    const decision =
      turn !== undefined && ours ? automaticDecision(request, this.#mode, this.#setup.cwd) : 'deny';
    const { confirmTools } = this.#setup;
    if (turn === undefined || decision === 'deny' || (decision !== undefined && !confirmTools)) {
      this.#answer(request, { decision: decision ?? 'deny' });
      return [];
    }
    turn.asked.add(id);
    const [state, events] = stepCodexTurn(turn.state, message);
    const allowed = decision === 'allow';
    return this.#take(turn, [
      state,
      confirmTools ? events.map((event) => toBeConfirmed(event, allowed)) : events,
    ]);
  }

  /** Delivers events that are not of the turn itself: with the running turn, or with the next one. */
  deliver(events: readonly StepEvent[]): void {
    if (this.#turn !== undefined && !this.#turn.state.ended)
      for (const event of events) this.#turn.stream.push(event);
    else this.#undelivered = [...this.#undelivered, ...events].slice(-maxUndelivered);
  }

  /** Ends the running turn with this error, and every later one: the process is gone, or the session closed. */
  terminate(error: TurnoutError): void {
    this.#terminated = error;
    if (this.#turn !== undefined) this.#fail(this.#turn, error);
  }

  async #begin(turn: CodexTurn, prompt: string): Promise<void> {
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
    const keySource = this.#setup.keySource();
    turn.stream.push({
      type: 'session',
      sessionId: this.sessionId,
      backend: 'codex',
      model: this.#model,
      ...(keySource === undefined ? {} : { keySource }),
    });
    const undelivered = this.#undelivered;
    this.#undelivered = [];
    for (const event of undelivered) turn.stream.push(event);
    if (this.#terminated !== undefined) this.#fail(turn, this.#terminated);
    const whole = this.#instructions === '' || this.#terminated ? prompt : await this.#instruct(prompt);
    if (turn.stopped) this.#fail(turn, interruptedError());
    if (this.#turn === turn) this.#startTurn(turn, textInput(whole));
  }

  #refuse(turn: CodexTurn, why: string): void {
    const message = `The Codex session ${this.sessionId} ${why}.`;
    turn.finish({ type: 'ending', ending: { type: 'failed', code: 'bad_request', message } });
  }

  #startTurn(turn: CodexTurn, input: readonly JsonObject[]): void {
    const overrides = this.#overrides;
    this.#connection.requestInOrder(
      'turn/start',
      { threadId: this.sessionId, input, ...overrides },
      (message) => {
        if (message.value['error'] === undefined && this.#overrides === overrides) this.#overrides = {};
        return this.#take(turn, stepCodexTurn(turn.state, message));
      },
    );
  }

  /**
   * The instructions of a thread can't be changed when it is resumed: new ones are put into its history, as Codex does it,
   * or in front of the prompt where the server does not take them. Returns the prompt to send.
   */
  async #instruct(prompt: string): Promise<string> {
    const instructions = this.#instructions;
    this.#instructions = '';
    const item = {
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: instructions }],
    };
    try {
      await this.#connection.request(
        'thread/inject_items',
        { threadId: this.sessionId, items: [item] },
        answerMs,
      );
      this.#setup.onInstructed();
      return prompt;
    } catch {
      return putInFront(instructions, prompt);
    }
  }

  #take(turn: CodexTurn, step: CodexTurnStep): readonly LiveEvent[] {
    const { started } = turn.state;
    const ending = turn.take(step);
    if (turn.stopped && !started && turn.state.started) this.#sendInterrupt(turn);
    if (ending !== undefined) void this.#finish(turn, ending);
    else if (turn.stream.overflowed) this.#stop(turn);
    return step[1];
  }

  async #finish(turn: CodexTurn, ending: TurnEnding): Promise<void> {
    if (turn.pendingSteers.size > 0) await Promise.all(turn.pendingSteers);
    // Codex leaves the tools of an interrupted turn running.
    if (turn.stopped && this.#terminated === undefined) await this.#endBackgroundTerminals();
    if (this.#turn !== turn) return;
    if (ending.ending.type === 'answered' && !turn.stopped && this.#continue(turn)) return;
    this.#turn = undefined;
    turn.finish(ending);
  }

  /**
   * At its very end a turn of Codex (0.166) still accepts a steer, but does not ask the model any more: then our turn goes
   * on in another one of Codex's. False if nothing is left to answer.
   */
  #continue(turn: CodexTurn): boolean {
    const { userMessageIds, unanswered } = turn.state;
    if (turn.steered.size === 0) return false;
    const dropped = [...turn.steered]
      .filter(([id]) => !userMessageIds.includes(id))
      .map(([, prompt]) => prompt);
    if (dropped.length === 0 && !unanswered) return false;
    turn.steered.clear();
    turn.state = continueInNewTurn(turn.state);
    // Without input Codex answers the message that the thread ends with.
    this.#startTurn(turn, dropped.flatMap(textInput));
    return true;
  }

  #fail(turn: CodexTurn, error: unknown): void {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    turn.fail(failedEnding(error));
  }

  #stop(turn: CodexTurn): void {
    if (turn.stopped) return;
    turn.stopped = true;
    if (this.#turn === turn && turn.state.started && !turn.state.ended) this.#sendInterrupt(turn);
  }

  #sendInterrupt(turn: CodexTurn): void {
    const turns = [[this.sessionId, turn.state.turnId] as const, ...this.#children];
    for (const [threadId, turnId] of turns) {
      if (turnId === undefined) continue;
      // For a turn that has just ended there may be no answer at all: the request is given up when the turn is over.
      void turn.stream.over.then(this.#connection.requestInOrder('turn/interrupt', { threadId, turnId }));
    }
  }

  async #endBackgroundTerminals(): Promise<void> {
    const threads = [this.sessionId, ...this.#children.keys()];
    await Promise.allSettled(
      threads.map((threadId) =>
        this.#connection.request('thread/backgroundTerminals/clean', { threadId }, cleanMs),
      ),
    );
  }

  #answer(request: PermissionRequest, { decision, message }: PermissionAnswer): void {
    if (decision === 'deny' && message !== undefined && message !== '') {
      // A refusal carries no message. Steered in before it, the message reaches the model together with it.
      const { threadId, turnId } = request;
      const params = { threadId, expectedTurnId: turnId, input: textInput(message) };
      this.#connection.requestInOrder('turn/steer', params);
    }
    this.#connection.respond(request.requestId, request.reply(decision));
  }

  /** An answer names nothing but the id: an allow could be taken for either request, so both are denied. */
  #refuseReused(turn: CodexTurn, id: string, request: PermissionRequest): readonly LiveEvent[] {
    const first = turn.state.permissionRequests.get(id);
    if (first !== undefined) this.#answer(first, { decision: 'deny' });
    if (first?.requestId !== request.requestId) this.#answer(request, { decision: 'deny' });
    return this.#take(turn, resolvePermission(turn.state, id, 'deny'));
  }

  #registerChild(value: JsonObject): void {
    const item = object(object(value['params'])['item']);
    if (item['type'] !== 'subAgentActivity') return;
    const child = text(item['agentThreadId']);
    if (child !== '' && !this.#children.has(child)) this.#children.set(child, undefined);
  }
}

function textInput(prompt: string): readonly JsonObject[] {
  return [{ type: 'text', text: prompt, text_elements: [] }];
}
