import type { LiveEvent, LiveSession } from '../backends/live/types.js';
import { classifyFailure } from '../backends/one-shot/classify-failure.js';
import type { BackendName } from '../backends/registry.js';
import { type ChatEvent, type ErrorEvent, errorEvent, type PermissionDecision } from '../core/chat-event.js';
import { TurnLedger } from '../core/turn-ledger.js';
import { noSuchRequest } from './live-session.js';
import type { Clocks } from './types.js';
import { type Expiry, Watchdog } from './watchdog.js';

/** How long a CLI may take to stop when it is asked to. Then its process is ended. */
const stopGraceMs = 5000;

/** One turn of a live session: its events in order, its clocks, and its one ending. */
export class LiveTurn {
  readonly #session: LiveSession;
  readonly #backend: BackendName;
  readonly #clocks: Clocks;
  readonly #ledger = new TurnLedger();
  readonly #pending = new Set<string>();
  #stopped: ErrorEvent | undefined;
  #stopping: Promise<void> | undefined;
  #iterator: AsyncIterator<LiveEvent> | undefined;
  #over = false;

  constructor(session: LiveSession, clocks: Clocks, backend: BackendName) {
    this.#session = session;
    this.#clocks = clocks;
    this.#backend = backend;
  }

  async *run(prompt: string): AsyncGenerator<readonly ChatEvent[]> {
    const watchdog = new Watchdog(this.#clocks, (expiry) => this.#expire(expiry));
    try {
      this.#iterator = this.#session.turn(prompt)[Symbol.asyncIterator]();
      for (let next = await this.#iterator.next(); !next.done; next = await this.#iterator.next()) {
        const events = this.#accept(next.value);
        for (const event of events) watchdog.see(event);
        if (events.length > 0) yield events;
        if (this.#ledger.ended) return;
      }
      this.#over = true;
      yield this.#ledger.fail(
        this.#stopped ?? errorEvent('crashed', `${this.#backend} ended the turn without a result`),
      );
    } finally {
      watchdog.stop();
    }
  }

  /** Ends the turn with this error. The CLI is asked to stop; whether it did, `settle` tells. */
  async stop(error: ErrorEvent): Promise<void> {
    this.#stopped ??= error;
    this.#stopping ??= this.#session.interrupt().catch(() => undefined);
    await this.#stopping;
  }

  async answer(id: string, decision: PermissionDecision, message?: string): Promise<void> {
    if (!this.#pending.delete(id)) throw noSuchRequest(id);
    await this.#session.answerPermission(id, { decision, message });
  }

  /** After the last event, or when the reader has left: has the CLI really stopped? `false`: it must be ended. */
  async settle(): Promise<boolean> {
    if (this.#over) return true;
    await this.stop(errorEvent('interrupted', 'Interrupted'));
    const iterator = this.#iterator;
    if (iterator === undefined) return true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), stopGraceMs);
    });
    try {
      return await Promise.race([this.#drain(iterator), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #drain(iterator: AsyncIterator<LiveEvent>): Promise<boolean> {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      if (next.value.type === 'ending') break;
    }
    this.#over = true;
    return true;
  }

  #accept(event: LiveEvent): readonly ChatEvent[] {
    if (event.type === 'permission_request') this.#pending.add(event.id);
    if (event.type === 'permission_resolved') this.#pending.delete(event.id);
    if (event.type !== 'ending') return this.#stopped?.code === 'timeout' ? [] : this.#ledger.accept(event);
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

  #expire(expiry: Expiry): void {
    if (expiry.type === 'permission') {
      void this.answer(expiry.id, 'deny', expiry.message).catch(() => undefined);
      return;
    }
    void this.stop(errorEvent('timeout', expiry.message));
  }
}
