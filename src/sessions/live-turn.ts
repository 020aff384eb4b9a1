import type { LiveEvent, LiveEvents, LiveSession } from '../backends/live/types.js';
import { classifyFailure } from '../backends/output/classify-failure.js';
import type { BackendName } from '../backends/registry.js';
import type { Clocks } from '../config/limits.js';
import {
  type ChatEvent,
  type ErrorEvent,
  errorEvent,
  interruptedEvent,
  type PermissionDecision,
  type PermissionResolvedEvent,
} from '../core/chat-event.js';
import type { BatchSource } from '../core/flatten-batches.js';
import { TurnLedger } from '../core/turn-ledger.js';
import type { Alarm } from './alarm.js';
import { type Expiry, Watchdog } from './watchdog.js';
import { noSuchRequest } from './wording.js';

/** One turn of a live session: its events in order, its clocks, and its one ending. */
export class LiveTurn implements BatchSource<ChatEvent> {
  readonly #session: LiveSession;
  readonly #backend: BackendName;
  readonly #clocks: Clocks;
  /** Told what the reader is told, just before. */
  readonly #learn: (events: readonly ChatEvent[]) => void;
  readonly #ledger = new TurnLedger();
  readonly #pending = new Set<string>();
  readonly #denials = new Map<string, string>();
  #stopped: ErrorEvent | undefined;
  #stopping: Promise<void> | undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  /** The CLI did not stop in time. */
  #stuck = false;
  /** Whoever asked for the stop waits no longer. */
  #stopWaiting: () => void = () => {};
  #waitedEnough: Promise<void> | undefined;
  /** The reader has an event, and has not asked for the next one yet. */
  #reading = false;
  #source: LiveEvents | undefined;
  #events: AsyncIterator<LiveEvent> | undefined;
  /** The CLI was asked for its next event, which has not come yet. */
  #asked = false;
  /** It has come, and nobody has taken it yet. */
  #arrived: IteratorResult<LiveEvent> | undefined;
  #waiting: Waiting | undefined;
  /** The protocol's own code has failed, which it should not. */
  #broken: { readonly error: unknown } | undefined;
  /** Nobody reads any more. */
  #left = false;
  #watchdog: Watchdog | undefined;
  #over = false;

  constructor(
    session: LiveSession,
    clocks: Clocks,
    backend: BackendName,
    learn: (events: readonly ChatEvent[]) => void = () => {},
  ) {
    this.#session = session;
    this.#clocks = clocks;
    this.#backend = backend;
    this.#learn = learn;
  }

  /** With this the prompt goes out. To be called once, before `next`. The alarm is the turn's until it is settled. */
  begin(prompt: string, alarm: Alarm): void {
    if (this.#stopped !== undefined) {
      this.#over = true;
      return;
    }
    this.#source = this.#session.turn(prompt);
    this.#events = this.#source[Symbol.asyncIterator]();
    this.#ask(this.#events);
    this.#watchdog = new Watchdog(this.#clocks, alarm, (expiry) => this.#expire(expiry));
  }

  /** The next events; asking for them says that those before have been read. Undefined after the last ones. */
  next(): Promise<readonly ChatEvent[] | undefined> {
    if (this.#ledger.ended) return Promise.resolve(undefined);
    if (this.#reading) this.#readOn();
    return this.#wait();
  }

  #readOn(): void {
    this.#reading = false;
    this.#watchdog?.resume();
    // What the CLI said meanwhile is still to be read: only from now on it can be late.
    if (this.#stopped !== undefined && !this.#over) this.#startGrace();
  }

  /** Ends the turn with this error. The CLI is asked to stop, and given a while to do so. */
  async stop(error: ErrorEvent): Promise<void> {
    if (this.#over) return;
    this.#stopped ??= error;
    this.#waitedEnough ??= new Promise((resolve) => {
      this.#stopWaiting = resolve;
    });
    if (this.#graceTimer === undefined) this.#startGrace();
    this.#stopping ??= this.#session.interrupt().catch(() => undefined);
    await Promise.race([this.#stopping, this.#waitedEnough]);
  }

  /** Says something into the turn. False: it is over, or about to be, or the CLI does not take it. */
  async steer(prompt: string): Promise<boolean> {
    const running = this.#events !== undefined && !this.#over && this.#stopped === undefined;
    if (!running || prompt === '') return false;
    return (await this.#session.steer?.(prompt).catch(() => false)) ?? false;
  }

  async answer(id: string, decision: PermissionDecision, message?: string): Promise<void> {
    if (!this.#pending.delete(id)) throw noSuchRequest(id);
    if (decision === 'deny' && message !== undefined) this.#denials.set(id, message);
    await this.#session.answerPermission(id, { decision, message });
  }

  /** After the last event, or when the reader has left: is the CLI ready for another turn? */
  async settle(): Promise<boolean> {
    this.#left = true;
    this.#reading = false;
    this.#watchdog?.stop();
    try {
      if (!this.#over) {
        this.#startGrace();
        await this.stop(interruptedEvent);
      }
      while (!this.#over && !this.#stuck && this.#events !== undefined) await this.#wait();
      if (this.#stuck && !this.#over) return false;
      await this.#events?.return?.();
      return true;
    } finally {
      clearTimeout(this.#graceTimer);
      this.#stopWaiting();
    }
  }

  /** The next events that there is something to say of. */
  #wait(): Promise<readonly ChatEvent[]> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#look();
    });
  }

  #ask(events: AsyncIterator<LiveEvent>): void {
    this.#asked = true;
    events.next().then(this.#answered, this.#failed);
  }

  readonly #answered = (result: IteratorResult<LiveEvent>): void => {
    this.#asked = false;
    this.#arrived = result;
    this.#look();
  };

  readonly #failed = (error: unknown): void => {
    this.#asked = false;
    this.#broken = { error };
    this.#over = true;
    this.#look();
  };

  /** Something has come: is it something for the one who waits? */
  #look(): void {
    for (let waiting = this.#waiting; waiting !== undefined; waiting = this.#waiting) {
      const seen = this.#broken === undefined ? this.#tryToTake() : [];
      if (seen === undefined) return;
      if (seen.length === 0 && !this.#over && !this.#stuck) continue;
      this.#waiting = undefined;
      if (this.#broken === undefined) waiting.resolve(seen);
      else waiting.reject(this.#broken.error);
    }
  }

  /** What fails here is the reader's to hear, and nobody else's. */
  #tryToTake(): readonly ChatEvent[] | undefined {
    try {
      const seen = this.#take();
      if (seen !== undefined && !this.#left) this.#learn(seen);
      return seen;
    } catch (error) {
      this.#broken = { error };
      this.#over = true;
      return [];
    }
  }

  /** Undefined: nothing has come yet. */
  #take(): readonly ChatEvent[] | undefined {
    const events = this.#events;
    if (events === undefined || this.#stuck) return this.#ledger.fail(this.#stopped ?? this.#withoutResult());
    const result = this.#arrived;
    if (result === undefined) {
      if (!this.#asked) this.#ask(events);
      return undefined;
    }
    this.#arrived = undefined;
    if (result.done) {
      this.#over = true;
      return this.#ledger.fail(this.#stopped ?? this.#withoutResult());
    }
    const seen = this.#acceptAll(result.value);
    if (seen.length === 0) return seen;
    this.#watchdog?.pause();
    for (const event of seen) this.#watchdog?.see(event);
    this.#reading = !this.#left;
    return seen;
  }

  #giveUp(): void {
    this.#stuck = true;
    this.#look();
  }

  /** From now on the CLI has this long to stop. While the reader is busy it can't be seen whether it did. */
  #startGrace(): void {
    clearTimeout(this.#graceTimer);
    const { stopMs } = this.#clocks;
    if (stopMs <= 0) return;
    this.#graceTimer = setTimeout(() => {
      this.#stopWaiting();
      if (!this.#reading) this.#giveUp();
    }, stopMs);
  }

  #acceptAll(first: LiveEvent): readonly ChatEvent[] {
    const others = first.type === 'permission_request' ? [] : (this.#source?.takeBuffered?.(first) ?? []);
    if (others.length === 0) return this.#accept(first);
    const seen = [...this.#accept(first)];
    for (const event of others) seen.push(...this.#accept(event));
    return seen;
  }

  #accept(event: LiveEvent): readonly ChatEvent[] {
    if (event.type === 'permission_request') this.#pending.add(event.id);
    if (event.type === 'permission_resolved') return this.#resolved(event);
    // OpenCode calls it a success when a command is aborted.
    if (event.type === 'tool_end' && this.#stopped !== undefined)
      return this.#ledger.accept({ ...event, isError: true });
    if (event.type !== 'ending') return this.#ledger.accept(event);
    this.#over = true;
    const { ending } = event;
    if (this.#stopped !== undefined) return this.#ledger.fail(this.#stopped);
    if (ending.type === 'failed') {
      return this.#ledger.fail(errorEvent(ending.code ?? classifyFailure(ending.message), ending.message));
    }
    const empty = ending.text === undefined ? this.#ledger.answerIsEmpty : ending.text === '';
    if (empty) return this.#ledger.fail(errorEvent('unknown', `${this.#backend} gave an empty answer`));
    return this.#ledger.complete(ending.stopReason, ending.text);
  }

  #resolved(event: PermissionResolvedEvent): readonly ChatEvent[] {
    this.#pending.delete(event.id);
    const message = this.#denials.get(event.id) ?? this.#stopped?.message;
    const denied = event.decision === 'deny' && message !== undefined;
    return this.#ledger.accept(denied ? { ...event, message } : event);
  }

  #expire(expiry: Expiry): void {
    if (expiry.type === 'permission') {
      void this.answer(expiry.id, 'deny', expiry.message).catch(() => undefined);
      return;
    }
    void this.stop(errorEvent('timeout', expiry.message));
  }

  #withoutResult(): ErrorEvent {
    return errorEvent('crashed', `${this.#backend} ended the turn without a result`);
  }
}

interface Waiting {
  resolve(events: readonly ChatEvent[]): void;
  reject(error: unknown): void;
}
