import { withAdvice } from '../backends/output/failed-turn.js';
import { noSuchRequest } from '../backends/output/permission-request.js';
import type { AnyBackendName } from '../backends/registry.js';
import {
  type ChatEvent,
  errorEvent,
  interruptedEvent,
  type PermissionDecision,
  type StepEvent,
} from '../core/chat-event.js';
import { failureEvent, interruptedError, TurnoutError } from '../core/errors.js';
import { flattenBatches } from '../core/flatten-batches.js';
import type { PermissionMode } from '../core/permission-mode.js';
import { Alarm } from './alarm.js';
import { Cancellation } from './cancellation.js';
import { checkModel, checkSend } from './check-session-options.js';
import { LiveTurn } from './live-turn.js';
import { SessionSlot, type SlotSetup } from './session-slot.js';
import type { TurnLocks, Writer } from './turn-lock.js';
import type { BackendSession, SendOptions } from './types.js';

export interface LiveSessionSetup extends SlotSetup {
  readonly locks: TurnLocks;
  onClose(): void;
  /** The notices that the first turn carries. */
  readonly firstNotices?: readonly StepEvent[];
  /** Returns the notice that a turn with this version of the CLI carries, if the version was not vetted. */
  versionNotice?(version: string | undefined): StepEvent | undefined;
}

/** A session over live processes. Its turns run one after the other, whoever sends them. */
export class LiveBackendSession implements BackendSession, Writer {
  readonly live = true;
  readonly backend: AnyBackendName;
  readonly #setup: LiveSessionSetup;
  readonly #slot: SessionSlot;
  /** The alarm of the running turn. */
  readonly #alarm = new Alarm();
  #turn: LiveTurn | undefined;
  /** The sends in the order of asking: one runs, the others wait for it or for another object's turn. */
  readonly #sends = new Set<Cancellation>();
  /** The send whose turn runs. */
  #current: Cancellation | undefined;
  /** Ends the running turn's part in the session: its place and its lock are free afterwards. Repeats do nothing. */
  #endTurn: (() => Promise<void>) | undefined;
  /** The time that the start of the CLI took: it counts for the first turn. */
  #startMs = 0;
  /** The lock's key until the vendor's id is known. */
  readonly #ownKey = `new-${Math.random().toString(36).slice(2)}`;
  #lockKey: string;
  #untold: readonly StepEvent[];

  constructor(setup: LiveSessionSetup) {
    this.#setup = setup;
    this.backend = setup.backend;
    this.#untold = setup.firstNotices ?? [];
    this.#slot = new SessionSlot(setup, () => this.#renamed());
    this.#lockKey = this.#keyOf(setup.options.sessionId);
  }

  get cwd(): string {
    return this.#slot.cwd;
  }

  get sessionId(): string | undefined {
    return this.#slot.sessionId;
  }

  get isOpenInProcess(): boolean {
    return this.#slot.isOpen;
  }

  get processId(): number | undefined {
    return this.#slot.processId;
  }

  /**
   * Takes a place in a process now, so that the first turn does not wait for it. If another object has the
   * session open, nothing happens: that object keeps it until this one sends a prompt.
   */
  async prepare(signal?: AbortSignal): Promise<void> {
    const release = this.#setup.locks.tryAcquire(this.#lockKey, this);
    if (release === undefined) return;
    const cancellation = new Cancellation(signal);
    const began = performance.now();
    try {
      const { place } = await this.#slot.enter(cancellation, this.#setup.clocks.turnMs);
      this.#startMs = performance.now() - began;
      place.process.idle();
    } catch (error) {
      this.#setup.locks.leave(this);
      throw cancellation.reason ?? error;
    } finally {
      cancellation.release();
      release();
    }
  }

  /**
   * Closes the session here; the next turn resumes it by its id, in another process, with the turns that the
   * other writer added.
   */
  async giveWay(): Promise<void> {
    await this.#slot.leave();
  }

  send(prompt: string, options: SendOptions = {}): AsyncIterable<ChatEvent> {
    checkSend(prompt, options);
    const cancellation = new Cancellation(options.signal);
    return flattenBatches(
      this.#send(prompt, options.signal, cancellation),
      () => void this.#cancel(cancellation),
    );
  }

  async interrupt(): Promise<void> {
    const [oldest] = this.#sends;
    if (oldest !== undefined) await this.#cancel(oldest);
  }

  /** Cancels a send, also one that waits for its process or for the turn before it; that turn goes on. */
  async #cancel(send: Cancellation): Promise<void> {
    send.abort();
    const reason = send.reason ?? interruptedError();
    if (send === this.#current) await this.#turn?.stop(failureEvent(reason));
  }

  async answerPermission(id: string, decision: PermissionDecision, message?: string): Promise<void> {
    if (this.#turn === undefined) throw noSuchRequest(id);
    await this.#turn.answer(id, decision, message);
  }

  async steer(prompt: string): Promise<boolean> {
    return (await this.#turn?.steer(prompt)) ?? false;
  }

  async setModel(model: string): Promise<void> {
    checkModel(model);
    await this.#slot.setModel(model);
  }

  async setPermissionMode(permissionMode: PermissionMode): Promise<void> {
    await this.#slot.setPermissionMode(permissionMode);
  }

  async close(): Promise<void> {
    this.#slot.close();
    await Promise.all([...this.#sends].map((send) => this.#cancel(send)));
    // A reader that does not read on would keep the session's lock for ever.
    await this.#endTurn?.();
    await this.#slot.leave();
    this.#alarm.cancel();
    this.#setup.locks.leave(this);
    this.#setup.onClose();
  }

  async *#send(
    prompt: string,
    given: AbortSignal | undefined,
    cancellation: Cancellation,
  ): AsyncGenerator<readonly ChatEvent[] | LiveTurn> {
    if (prompt === '') {
      yield [errorEvent('bad_request', 'The prompt is empty: there is nothing to send to the agent.')];
      return;
    }
    const { locks, clocks, protocol } = this.#setup;
    let release: (() => void) | undefined;
    this.#sends.add(cancellation);
    try {
      cancellation.check();
      const key = this.#lockKey;
      release = locks.tryAcquire(key, this) ?? (await locks.acquire(key, cancellation.signal, this));
      this.#current = cancellation;
      const began = performance.now() - this.#startMs;
      this.#startMs = 0;
      const spent = () => performance.now() - began;
      const { place, notices } =
        this.#slot.enterAtOnce() ?? (await this.#slot.enter(cancellation, clocks.turnMs, spent()));
      const learn = (events: readonly ChatEvent[]) => this.#slot.learn(events);
      const turn = new LiveTurn(place.session, clocks, this.backend, learn, protocol.advice);
      this.#turn = turn;
      const onAbort = () => void this.#cancel(cancellation);
      given?.addEventListener('abort', onAbort, { once: true });
      if (cancellation.aborted) onAbort();
      let ended: Promise<void> | undefined;
      const end = async () => {
        given?.removeEventListener('abort', onAbort);
        this.#turn = undefined;
        await this.#slot.endTurn(place, await turn.settle()).finally(release);
      };
      const endTurn = () => (ended ??= end());
      this.#endTurn = endTurn;
      try {
        const spentMs = spent();
        const unvetted = this.#setup.versionNotice?.(place.process.process.version);
        const told = [...this.#untold, ...notices, ...(unvetted === undefined ? [] : [unvetted])];
        this.#untold = [];
        if (told.length > 0) yield told;
        turn.begin(prompt, this.#alarm, spentMs);
        yield turn;
        // The session was closed while the reader was busy with an event.
        if (ended !== undefined && !turn.endWasShown) yield [interruptedEvent];
      } finally {
        if (this.#endTurn === endTurn) this.#endTurn = undefined;
        await endTurn();
      }
    } catch (error) {
      // A reader that does not read on must not keep the lock.
      release?.();
      const { reason } = cancellation;
      if (reason !== undefined) yield [failureEvent(reason)];
      else if (error instanceof TurnoutError) yield [failureEvent(withAdvice(error, protocol.advice))];
      else throw error;
    } finally {
      this.#sends.delete(cancellation);
      cancellation.release();
      if (this.#current === cancellation) this.#current = undefined;
      release?.();
    }
  }

  /** Locks the new id as well, so that a caller who knows it waits for the running turn. */
  #renamed(): void {
    const before = this.#lockKey;
    this.#lockKey = this.#keyOf(this.sessionId);
    this.#setup.locks.alias(before, this.#lockKey);
  }

  #keyOf(sessionId = this.#ownKey): string {
    return `${this.backend} ${sessionId}`;
  }
}
