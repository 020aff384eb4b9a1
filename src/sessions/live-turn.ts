import type { LiveEvent, LiveEvents, LiveSession } from '../backends/live/types.js';
import type { Advice } from '../backends/output/advice.js';
import { classifyFailure } from '../backends/output/classify-failure.js';
import { failedTurn } from '../backends/output/failed-turn.js';
import { checkDecision, noSuchRequest, withoutUnseenAlways } from '../backends/output/permission-request.js';
import { awaitedRetry, hopelessRetry, timedOut } from '../backends/output/retries.js';
import type { AnyBackendName } from '../backends/registry.js';
import type { Clocks } from '../config/limits.js';
import {
  type ChatEvent,
  type ErrorEvent,
  errorEvent,
  interruptedEvent,
  type PermissionDecision,
  type PermissionResolvedEvent,
  type Retry,
} from '../core/chat-event.js';
import type { BatchSource } from '../core/flatten-batches.js';
import { TurnLedger } from '../core/turn-ledger.js';
import { type Deadline, setDeadline, within } from '../core/wait.js';
import type { Alarm } from './alarm.js';
import { type Expiry, Watchdog } from './watchdog.js';

/** A CLI that stops has little left to say; text comes many pieces at a time. */
const maxReadsAfterStop = 4000;

type State =
  | { readonly name: 'new' }
  | { readonly name: 'running' }
  | { readonly name: 'stopping'; readonly error: ErrorEvent }
  | { readonly name: 'ended' }
  | { readonly name: 'abandoned'; readonly error: ErrorEvent }
  | { readonly name: 'broken'; readonly error: unknown };

/**
 * One turn of a live session: its events in order, its clocks, and its one ending.
 *
 * - `new`: the CLI has not been asked. → `running` (begin), `stopping` (stop, settle)
 * - `running`: → `stopping` (stop, an expired clock, settle before the end), `ended` (the CLI's ending, or
 *   the end of its events), `broken` (the protocol's own code fails, which it should not)
 * - `stopping`: the CLI was asked to stop, and the turn ends with `error`. → `ended` (as above, or nothing
 *   was begun), `abandoned` (`stopMs` have passed while somebody was waiting for its events, or it has not
 *   stopped talking), `broken`
 * - `ended`, `abandoned` (the CLI's process is of no use any more) and `broken` are final.
 */
export class LiveTurn implements BatchSource<ChatEvent> {
  readonly #session: LiveSession;
  readonly #backend: AnyBackendName;
  readonly #clocks: Clocks;
  /** Called with each batch just before the reader gets it. */
  readonly #learn: (events: readonly ChatEvent[]) => void;
  readonly #advice: Advice | undefined;
  readonly #ledger = new TurnLedger();
  /** The retry that the CLI waits for. */
  #retry: Retry | undefined;
  /** When the turn's time is up, if it has a limit. */
  #endsAt: number | undefined;
  #state: State = { name: 'new' };
  /** `busy`: the reader has events and has not asked for more yet. `gone`: it has left, or has all events. */
  #reader: 'ready' | 'busy' | 'gone' = 'ready';
  /** The CLI's next event: not asked for, asked for, or arrived and not taken yet. */
  #next: 'not_requested' | 'requested' | IteratorResult<LiveEvent> = 'not_requested';
  #source: LiveEvents | undefined;
  #events: AsyncIterator<LiveEvent> | undefined;
  /** Who waits for events, in order: the reader, and `settle`, which may come while the reader waits. */
  readonly #waiting: Waiting[] = [];
  #endWasShown = false;
  #watchdog: Watchdog | undefined;
  /** The possible answers to each permission request that has none yet, by its id. */
  readonly #unanswered = new Map<string, readonly PermissionDecision[]>();
  /** The messages of denials, by the request's id. */
  readonly #denials = new Map<string, string>();
  #interrupting: Promise<void> | undefined;
  #interruptAnswered = false;
  #grace: Deadline | undefined;
  #readsAfterStop = 0;
  readonly #settled: Promise<void>;
  #markSettled: () => void = () => {};

  constructor(
    session: LiveSession,
    clocks: Clocks,
    backend: AnyBackendName,
    learn: (events: readonly ChatEvent[]) => void = () => {},
    advice?: Advice,
  ) {
    this.#session = session;
    this.#clocks = clocks;
    this.#backend = backend;
    this.#learn = learn;
    this.#advice = advice;
    this.#settled = new Promise((resolve) => {
      this.#markSettled = resolve;
    });
  }

  /** True if the reader was given the event that ends the turn. */
  get endWasShown(): boolean {
    return this.#endWasShown;
  }

  /**
   * Sends the prompt. Must be called once, before `next`. The turn uses the alarm until it is settled. `spentMs` of its
   * time have passed already.
   */
  begin(prompt: string, alarm: Alarm, spentMs = 0): void {
    if (this.#state.name !== 'new') return;
    this.#state = { name: 'running' };
    this.#source = this.#session.turn(prompt);
    this.#events = this.#source[Symbol.asyncIterator]();
    this.#request(this.#events);
    if (this.#clocks.turnMs > 0) this.#endsAt = performance.now() + this.#clocks.turnMs - spentMs;
    this.#watchdog = new Watchdog(this.#clocks, alarm, (expiry) => this.#expire(expiry), spentMs);
  }

  /** Returns the next events, `undefined` after the last. Each call confirms that those before were read. */
  next(): Promise<readonly ChatEvent[] | undefined> {
    if (this.#ledger.ended) return Promise.resolve(undefined);
    if (this.#reader === 'busy') this.#readerIsBack();
    return this.#wait(true);
  }

  #readerIsBack(): void {
    this.#reader = 'ready';
    this.#watchdog?.resume();
    // Events that the CLI sent meanwhile are still to be read, so the CLI's time to stop begins only now.
    if (this.#state.name === 'stopping') this.#startGrace();
  }

  /** Ends the turn with this error. The CLI is asked to stop, and has `stopMs` to do so. */
  async stop(error: ErrorEvent): Promise<void> {
    const { name } = this.#state;
    if (name === 'ended' || name === 'abandoned' || name === 'broken') return;
    if (name !== 'stopping') this.#state = { name: 'stopping', error };
    if (name === 'running') this.#startGrace();
    this.#interrupting ??= this.#session
      .interrupt()
      .catch(() => undefined)
      .then(() => {
        this.#interruptAnswered = true;
      });
    await within(this.#clocks.stopMs, this.#interrupting, this.#settled);
  }

  /** Sends a message into the turn. Returns false if the turn is over or ending, or the CLI refuses. */
  async steer(prompt: string): Promise<boolean> {
    if (this.#state.name !== 'running' || prompt === '') return false;
    return (await this.#session.steer?.(prompt).catch(() => false)) ?? false;
  }

  async answer(id: string, decision: PermissionDecision, message?: string): Promise<void> {
    const options = this.#unanswered.get(id);
    if (options === undefined) throw noSuchRequest(id);
    checkDecision(decision, options);
    this.#unanswered.delete(id);
    if (decision === 'deny' && message !== undefined) this.#denials.set(id, message);
    await this.#session.answerPermission(id, { decision, message });
  }

  /**
   * Must be called after the last event, or when the reader has left. Resolves to whether the CLI can take
   * another turn.
   */
  async settle(): Promise<boolean> {
    this.#reader = 'gone';
    this.#watchdog?.stop();
    try {
      if (!this.#isFinal) {
        const stopped = this.stop(interruptedEvent);
        this.#startGrace();
        await stopped;
      }
      while (!this.#isFinal && this.#events !== undefined) await this.#wait(false);
      if (this.#state.name === 'abandoned') return false;
      // Nothing was begun: a CLI that does not even answer an interrupt is of no use.
      if (this.#state.name === 'stopping') return this.#interruptAnswered;
      await this.#events?.return?.();
      return true;
    } finally {
      this.#grace?.cancel();
      this.#markSettled();
    }
  }

  get #isFinal(): boolean {
    const { name } = this.#state;
    return name === 'ended' || name === 'abandoned' || name === 'broken';
  }

  /** Resolves with the next events as soon as there are any. */
  #wait(isReader: boolean): Promise<readonly ChatEvent[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ isReader, resolve, reject });
      this.#serve();
    });
  }

  #request(events: AsyncIterator<LiveEvent>): void {
    this.#next = 'requested';
    events.next().then(this.#onNext, this.#onFailure);
  }

  readonly #onNext = (result: IteratorResult<LiveEvent>): void => {
    this.#next = result;
    this.#serve();
  };

  readonly #onFailure = (error: unknown): void => {
    this.#next = 'not_requested';
    if (!this.#isFinal) this.#state = { name: 'broken', error };
    this.#serve();
  };

  /** Gives those who wait the events that have arrived, if any. */
  #serve(): void {
    for (let [waiting] = this.#waiting; waiting !== undefined; [waiting] = this.#waiting) {
      // The one before has got the last event.
      const seen = this.#state.name === 'broken' || this.#ledger.ended ? [] : this.#tryToTake();
      if (seen === undefined) return;
      if (seen.length === 0 && !this.#isFinal) continue;
      this.#waiting.shift();
      if (waiting.isReader && this.#ledger.ended && seen.length > 0) this.#endWasShown = true;
      if (this.#state.name === 'broken') waiting.reject(this.#state.error);
      else waiting.resolve(seen);
    }
  }

  /** An error of Turnout's own code reaches the reader of this turn, and nobody else. */
  #tryToTake(): readonly ChatEvent[] | undefined {
    try {
      const seen = this.#take();
      if (seen !== undefined && this.#reader !== 'gone') this.#learn(seen);
      return seen;
    } catch (error) {
      this.#state = { name: 'broken', error };
      return [];
    }
  }

  /** Returns `undefined` if no event has arrived yet. */
  #take(): readonly ChatEvent[] | undefined {
    const events = this.#events;
    if (events === undefined) return this.#endWithoutResult();
    this.#boundStop();
    if (this.#state.name === 'abandoned') return this.#ledger.fail(this.#state.error);
    const result = this.#next;
    if (typeof result === 'string') {
      if (result === 'not_requested') this.#request(events);
      return undefined;
    }
    this.#next = 'not_requested';
    if (result.done) return this.#endWithoutResult();
    const seen = this.#acceptAll(result.value);
    if (seen.length === 0) return seen;
    this.#watchdog?.pause();
    for (const event of seen) this.#watchdog?.see(event);
    this.#retry = awaitedRetry(this.#retry, seen);
    if (this.#reader !== 'gone') this.#reader = 'busy';
    return seen;
  }

  /** A CLI that has been told to stop and goes on talking is given up: what it still says is no part of the turn. */
  #boundStop(): void {
    if (this.#state.name !== 'stopping') return;
    this.#readsAfterStop += 1;
    if (this.#readsAfterStop > maxReadsAfterStop) this.#state = { ...this.#state, name: 'abandoned' };
  }

  #endWithoutResult(): readonly ChatEvent[] {
    const error =
      this.#stopError ?? errorEvent('crashed', `${this.#backend} ended the turn without a result`);
    this.#state = { name: 'ended' };
    return this.#ledger.fail(error);
  }

  /** The error that the turn ends with if it was stopped. */
  get #stopError(): ErrorEvent | undefined {
    return this.#state.name === 'stopping' ? this.#state.error : undefined;
  }

  /** Gives the CLI `stopMs` from now on to stop. Nobody can see it stop while the reader is busy. */
  #startGrace(): void {
    this.#grace?.cancel();
    const { stopMs } = this.#clocks;
    if (stopMs <= 0) return;
    this.#grace = setDeadline(stopMs, () => {
      if (this.#reader === 'busy' || this.#state.name !== 'stopping') return;
      this.#state = { name: 'abandoned', error: this.#state.error };
      this.#serve();
    });
  }

  #acceptAll(first: LiveEvent): readonly ChatEvent[] {
    const others = first.type === 'permission_request' ? [] : (this.#source?.takeBuffered(first) ?? []);
    if (others.length === 0) return this.#accept(first);
    const seen = [...this.#accept(first)];
    for (const event of others) seen.push(...this.#accept(event));
    return seen;
  }

  #accept(event: LiveEvent): readonly ChatEvent[] {
    if (event.type === 'permission_request') {
      const request = withoutUnseenAlways(event);
      this.#unanswered.set(event.id, request.options);
      return this.#ledger.accept(request);
    }
    if (event.type === 'permission_resolved') return this.#resolved(event);
    const stopped = this.#stopError;
    // OpenCode reports an aborted command as a success.
    if (event.type === 'tool_end' && stopped !== undefined)
      return this.#ledger.accept({ ...event, isError: true });
    if (event.type === 'notice' && event.retry !== undefined) this.#judgeRetry(event.retry);
    if (event.type !== 'ending') return this.#ledger.accept(event);
    this.#state = { name: 'ended' };
    const { ending } = event;
    if (stopped !== undefined) return this.#ledger.fail(stopped);
    if (ending.type === 'failed') {
      const { code = classifyFailure(ending.message), message: words, retryAfterMs, retryAt } = ending;
      return this.#ledger.fail(failedTurn({ code, words, retryAfterMs, retryAt }, this.#advice));
    }
    const empty = ending.text === undefined ? this.#ledger.answerIsEmpty : ending.text === '';
    if (empty) return this.#ledger.fail(errorEvent('unknown', `${this.#backend} gave an empty answer`));
    return this.#ledger.complete(ending.stopReason, ending.text);
  }

  /** Ends the turn if the CLI would try in vain, or for longer than it may be silent. */
  #judgeRetry(retry: Retry): void {
    const { modelSilenceMs } = this.#clocks;
    const left = this.#endsAt === undefined ? Number.POSITIVE_INFINITY : this.#endsAt - performance.now();
    const patienceMs = Math.min(left, modelSilenceMs > 0 ? modelSilenceMs : Number.POSITIVE_INFINITY);
    const error = hopelessRetry(retry, patienceMs, this.#advice);
    if (error !== undefined) void this.stop(error);
  }

  #resolved(event: PermissionResolvedEvent): readonly ChatEvent[] {
    this.#unanswered.delete(event.id);
    const message = this.#denials.get(event.id) ?? this.#stopError?.message;
    const denied = event.decision === 'deny' && message !== undefined;
    return this.#ledger.accept(denied ? { ...event, message } : event);
  }

  #expire(expiry: Expiry): void {
    if (expiry.type === 'permission') {
      void this.answer(expiry.id, 'deny', expiry.message).catch(() => undefined);
      return;
    }
    void this.stop(timedOut(expiry.message, this.#retry));
  }
}

interface Waiting {
  readonly isReader: boolean;
  resolve(events: readonly ChatEvent[]): void;
  reject(error: unknown): void;
}
