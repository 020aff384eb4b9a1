import type { LiveEvent, LiveSession } from '../backends/live/types.js';
import { classifyFailure } from '../backends/one-shot/classify-failure.js';
import type { BackendName } from '../backends/registry.js';
import {
  type ChatEvent,
  type ErrorEvent,
  errorEvent,
  type PermissionDecision,
  type PermissionResolvedEvent,
} from '../core/chat-event.js';
import { TurnLedger } from '../core/turn-ledger.js';
import type { Clocks } from './types.js';
import { type Expiry, Watchdog } from './watchdog.js';
import { noSuchRequest } from './wording.js';

/** One turn of a live session: its events in order, its clocks, and its one ending. */
export class LiveTurn {
  readonly #session: LiveSession;
  readonly #backend: BackendName;
  readonly #clocks: Clocks;
  readonly #ledger = new TurnLedger();
  readonly #pending = new Set<string>();
  readonly #denials = new Map<string, string>();
  #stopped: ErrorEvent | undefined;
  #stopping: Promise<void> | undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  /** The CLI did not stop in time. */
  #stuck = false;
  #tellStuck: () => void = () => {};
  /** Whoever asked for the stop waits no longer. */
  #stopWaiting: () => void = () => {};
  #waitedEnough: Promise<void> | undefined;
  /** The reader has an event, and has not asked for the next one yet. */
  #reading = false;
  #events: AsyncIterator<LiveEvent> | undefined;
  /** The first event, which is waited for from the beginning on. */
  #awaited: Promise<IteratorResult<LiveEvent> | 'stuck'> | undefined;
  #watchdog: Watchdog | undefined;
  #over = false;

  constructor(session: LiveSession, clocks: Clocks, backend: BackendName) {
    this.#session = session;
    this.#clocks = clocks;
    this.#backend = backend;
  }

  /** With this the prompt goes out. To be called once, before `next`. */
  begin(prompt: string): void {
    if (this.#stopped !== undefined) {
      this.#over = true;
      return;
    }
    const events = this.#session.turn(prompt)[Symbol.asyncIterator]();
    this.#events = events;
    this.#awaited = this.#next(events);
    this.#watchdog = new Watchdog(this.#clocks, (expiry) => this.#expire(expiry));
  }

  /** The next events; asking for them says that those before have been read. Undefined after the last ones. */
  async next(): Promise<readonly ChatEvent[] | undefined> {
    const events = this.#events;
    if (this.#ledger.ended) return undefined;
    if (events === undefined) return this.#ledger.fail(this.#stopped ?? this.#withoutResult());
    if (this.#reading) this.#readOn();
    for (;;) {
      const next = await (this.#awaited ?? this.#next(events));
      this.#awaited = undefined;
      if (next === 'stuck' || next.done) {
        this.#over = next !== 'stuck';
        return this.#ledger.fail(this.#stopped ?? this.#withoutResult());
      }
      const seen = this.#accept(next.value);
      if (seen.length === 0) continue;
      this.#watchdog?.pause();
      for (const event of seen) this.#watchdog?.see(event);
      this.#reading = true;
      return seen;
    }
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
    this.#reading = false;
    this.#watchdog?.stop();
    try {
      if (!this.#over) {
        this.#startGrace();
        await this.stop(errorEvent('interrupted', 'Interrupted'));
      }
      while (!this.#over && this.#events !== undefined) {
        const next = await this.#next(this.#events);
        if (next === 'stuck') return false;
        this.#over = next.done === true || next.value.type === 'ending';
      }
      await this.#events?.return?.();
      return true;
    } finally {
      clearTimeout(this.#graceTimer);
      this.#stopWaiting();
    }
  }

  /** Not a race against one promise for the whole turn: that would remember every event until the end. */
  #next(events: AsyncIterator<LiveEvent>): Promise<IteratorResult<LiveEvent> | 'stuck'> {
    return new Promise((resolve, reject) => {
      this.#tellStuck = () => resolve('stuck');
      if (this.#stuck) resolve('stuck');
      else events.next().then(resolve, reject);
    });
  }

  #giveUp(): void {
    this.#stuck = true;
    this.#tellStuck();
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
