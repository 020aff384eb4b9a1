import type { LiveProtocol, LiveSession, LiveSessionOptions } from '../backends/live/types.js';
import type { BackendName } from '../backends/registry.js';
import type { PermissionMode } from '../backends/types.js';
import {
  type ChatEvent,
  errorEvent,
  notice,
  type PermissionDecision,
  type StepEvent,
} from '../core/chat-event.js';
import { TurnoutError } from '../core/errors.js';
import { flattenBatches } from '../core/flatten-batches.js';
import { CallOff } from './call-off.js';
import { LiveTurn } from './live-turn.js';
import { abortable, type TurnLocks, type Writer } from './turn-lock.js';
import type { BackendSession, Clocks, SendOptions } from './types.js';
import type { PooledProcess, ProcessKind, WarmPool } from './warm-pool.js';

export interface LiveSessionSetup {
  readonly backend: BackendName;
  readonly protocol: LiveProtocol;
  readonly options: LiveSessionOptions;
  readonly clocks: Clocks;
  readonly pool: WarmPool;
  readonly locks: TurnLocks;
  /** The kind of process that a session with these options lives in. */
  kindOf(options: LiveSessionOptions): ProcessKind;
  /** Told the vendor's id as soon as it is known. */
  onSession(sessionId: string): void;
  onClose(): void;
}

/** A session over a live process. The process may come and go: the session goes on by its id. */
export class LiveBackendSession implements BackendSession, Writer {
  readonly live = true;
  readonly backend: BackendName;
  readonly #setup: LiveSessionSetup;
  #options: LiveSessionOptions;
  #home: Home | undefined;
  #turn: LiveTurn | undefined;
  /** In the order of asking: also those that wait, for each other or for another object's turn. */
  readonly #sends = new Set<CallOff>();
  /** The send whose turn it is. */
  #current: CallOff | undefined;
  #closed = false;
  /** Until the changes that were asked for are made: a model, a mode, another process. */
  #changing: Promise<void> | undefined;
  #lost = false;
  /** Something may be there to be resumed: an id alone is none, before the first turn. */
  #resumable: boolean;
  /** Something is: the caller said so, or a turn was completed. Then to begin anew would be to forget. */
  #proven: boolean;
  /** The CLI says that it does not know the session that it holds. */
  #astray = false;
  /** Before the vendor's id is known the object itself is the key. */
  readonly #ownKey = `new-${Math.random().toString(36).slice(2)}`;

  constructor(setup: LiveSessionSetup) {
    this.#setup = setup;
    this.backend = setup.backend;
    this.#options = setup.options;
    this.#proven = setup.options.sessionId !== undefined;
    this.#resumable = this.#proven;
  }

  get cwd(): string {
    return this.#options.cwd;
  }

  get sessionId(): string | undefined {
    return this.#options.sessionId;
  }

  /**
   * Takes a place in a process now, so that the first turn does not wait for it. Not so where another one has the session
   * open: that goes on until this one has something to say.
   */
  async prepare(signal?: AbortSignal): Promise<void> {
    const release = this.#setup.locks.tryAcquire(this.#lockKey(), this);
    if (release === undefined) return;
    try {
      const { home } = await this.#enter(new CallOff(signal));
      home.process.idle();
    } catch (error) {
      this.#setup.locks.leave(this);
      throw error;
    } finally {
      release();
    }
  }

  /** The session goes on by its id, in another process, with what the other one has written. */
  async giveWay(): Promise<void> {
    await this.#leave();
  }

  send(prompt: string, options: SendOptions = {}): AsyncIterable<ChatEvent> {
    const callOff = new CallOff(options.signal);
    return flattenBatches(this.#send(prompt, options.signal, callOff), () => void this.#callOff(callOff));
  }

  async interrupt(): Promise<void> {
    const [oldest] = this.#sends;
    if (oldest !== undefined) await this.#callOff(oldest);
  }

  /** Also one that is still waiting for its process, or for the turn before it, which is left alone. */
  async #callOff(send: CallOff): Promise<void> {
    send.abort();
    if (send === this.#current) await this.#turn?.stop(errorEvent('interrupted', 'Interrupted'));
  }

  async answerPermission(id: string, decision: PermissionDecision, message?: string): Promise<void> {
    if (this.#turn === undefined) throw noSuchRequest(id);
    await this.#turn.answer(id, decision, message);
  }

  async steer(prompt: string): Promise<boolean> {
    return (await this.#turn?.steer(prompt)) ?? false;
  }

  async setModel(model: string): Promise<void> {
    if (!this.#setup.protocol.capabilities.setModel)
      throw unsupported(this.backend, 'changing the model of a running session');
    await this.#inOrder(async () => {
      if (this.#home?.process.usable) await this.#home.session.setModel?.(model);
      this.#options = { ...this.#options, model };
    });
  }

  async setPermissionMode(permissionMode: PermissionMode): Promise<void> {
    const { capabilities } = this.#setup.protocol;
    if (!capabilities.setPermissionMode || !capabilities.permissionModes.includes(permissionMode)) {
      throw unsupported(
        this.backend,
        `changing a running session to the permission mode "${permissionMode}"`,
      );
    }
    await this.#inOrder(async () => {
      const home = this.#home;
      if (home?.process.usable)
        home.outgrown = (await home.session.setPermissionMode?.(permissionMode)) === false;
      this.#options = { ...this.#options, permissionMode };
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.interrupt();
    await this.#leave();
    this.#setup.locks.leave(this);
    this.#setup.onClose();
  }

  async *#send(
    prompt: string,
    given: AbortSignal | undefined,
    callOff: CallOff,
  ): AsyncGenerator<readonly ChatEvent[]> {
    if (prompt === '') {
      yield [errorEvent('bad_request', 'The prompt is empty: there is nothing to send to the agent.')];
      return;
    }
    const { locks, clocks } = this.#setup;
    let release: (() => void) | undefined;
    this.#sends.add(callOff);
    try {
      callOff.check();
      const key = this.#lockKey();
      release = locks.tryAcquire(key, this) ?? (await locks.acquire(key, callOff.signal, this));
      this.#current = callOff;
      const { home, notices } = await this.#enter(callOff, clocks.turnMs);
      const turn = new LiveTurn(home.session, clocks, this.backend);
      this.#turn = turn;
      const onAbort = () => void this.interrupt();
      given?.addEventListener('abort', onAbort, { once: true });
      if (callOff.aborted) onAbort();
      try {
        if (notices.length > 0) yield notices;
        turn.begin(prompt);
        for (let events = await turn.next(); events !== undefined; events = await turn.next()) {
          this.#learn(events);
          yield events;
        }
      } finally {
        given?.removeEventListener('abort', onAbort);
        await this.#endTurn(turn, home);
      }
    } catch (error) {
      const { reason } = callOff;
      if (reason !== undefined) yield [errorEvent(reason.code, reason.message)];
      else if (error instanceof TurnoutError) yield [errorEvent(error.code, error.explanation)];
      else throw error;
    } finally {
      this.#sends.delete(callOff);
      if (this.#current === callOff) this.#current = undefined;
      release?.();
    }
  }

  /** A CLI that does not stop is given up with its process, now: the session goes on in another one. */
  async #endTurn(turn: LiveTurn, { process }: Home): Promise<void> {
    this.#turn = undefined;
    const settled = await turn.settle();
    if (!settled) process.retire();
    if (!settled || this.#astray) {
      this.#lost = true;
      this.#astray = false;
      await this.#leave();
    }
    process.idle();
  }

  #learn(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if (event.type === 'complete' || event.type === 'text' || event.type === 'tool_start')
        this.#resumable = true;
      if (event.type === 'complete') this.#proven = true;
      if (event.type === 'error' && event.code === 'session_not_found') {
        this.#astray = true;
        this.#resumable = this.#proven;
      }
      if (event.type !== 'session') continue;
      if (event.sessionId !== this.sessionId) this.#becomes({ ...this.#options, sessionId: event.sessionId });
      this.#setup.onSession(event.sessionId);
    }
  }

  /** A place in a living process: the one it has, or a new one, resumed by id. `mostMs` is how long that may take. */
  async #enter(
    callOff: CallOff,
    mostMs = 0,
  ): Promise<{ readonly home: Home; readonly notices: readonly StepEvent[] }> {
    if (this.#changing !== undefined) await abortable(this.#changing, callOff.signal);
    if (this.#closed) throw new TurnoutError('bad_request', 'The session was closed.');
    if (this.#home?.process.usable && !this.#home.outgrown) {
      this.#home.process.busy();
      return { home: this.#home, notices: [] };
    }
    const late = () =>
      callOff.abort(new TurnoutError('timeout', `The turn took longer than ${mostMs / 1000} s`));
    const timer = mostMs > 0 ? setTimeout(late, Math.min(mostMs, 2 ** 31 - 1)) : undefined;
    try {
      return await this.#inOrder(() => this.#enterAnew(callOff));
    } finally {
      clearTimeout(timer);
    }
  }

  async #enterAnew(
    callOff: CallOff,
  ): Promise<{ readonly home: Home; readonly notices: readonly StepEvent[] }> {
    const moves = this.#home?.process.usable === true && this.#home.outgrown;
    this.#lost ||= this.#home?.process.usable === false;
    const emptied = moves && (await this.#moveOut());
    await this.#leave();
    const resumed = (this.#resumable || moves) && this.#options.sessionId !== undefined;
    const { home, goesOn } = await this.#settleIn(resumed, callOff.signal);
    const notices = [
      ...(emptied ? [leftBehind] : []),
      ...(this.#lost ? [ended(goesOn)] : resumed && !goesOn ? [neverStored] : []),
    ];
    this.#lost = false;
    return { home, notices };
  }

  /** Tells whether the session goes on by its id. One that may never have been stored begins anew where it was not. */
  async #settleIn(
    resumed: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly home: Home; readonly goesOn: boolean }> {
    const { sessionId: _, ...fresh } = this.#options;
    try {
      return { home: await this.#moveIn(resumed ? this.#options : fresh, signal), goesOn: resumed };
    } catch (error) {
      const unknown = error instanceof TurnoutError && error.code === 'session_not_found';
      if (!unknown || !resumed || this.#proven) throw error;
      return { home: await this.#moveIn(fresh, signal), goesOn: false };
    }
  }

  async #moveIn(options: LiveSessionOptions, signal: AbortSignal): Promise<Home> {
    const { pool, kindOf } = this.#setup;
    const process = await pool.acquire(kindOf(options), options, signal);
    // Busy from the first moment: it must not be ended for want of room while the session is being opened.
    process.busy();
    const opening = process.process.open(options);
    try {
      const session = await abortable(opening, signal);
      if (this.#closed) throw new TurnoutError('interrupted', 'Interrupted');
      const home = { process, session, outgrown: false };
      this.#home = home;
      this.#becomes({ ...options, sessionId: session.sessionId ?? options.sessionId });
      return home;
    } catch (error) {
      void this.#giveUp(process, opening);
      throw error;
    }
  }

  /** What is opened for nobody is closed. A process that does not come to that takes no more sessions. */
  async #giveUp(process: PooledProcess, opening: Promise<LiveSession>): Promise<void> {
    const answered = opening.then((session) => session.close().catch(() => undefined), throwIfLate);
    const inTime = await within(this.#setup.clocks.stopMs, answered).catch(() => false);
    if (!inTime) process.retire();
    process.idle();
    void process.release();
  }

  async #leave(): Promise<void> {
    const home = this.#home;
    if (home === undefined) return;
    await this.#closeAt(home);
    void home.process.release();
  }

  /**
   * To another process, with the session: this one is gone before that resumes, since two may not write to it, and nobody
   * could use it again. True where something was still running in it.
   */
  async #moveOut(): Promise<boolean> {
    const home = this.#home;
    if (home === undefined) return false;
    await this.#closeAt(home);
    const emptied = !home.process.alive;
    home.process.retire();
    await home.process.release();
    return emptied;
  }

  async #closeAt(home: Home): Promise<void> {
    this.#home = undefined;
    // One that no longer listens is not waited for.
    const closing = home.process.alive ? home.session.close().catch(() => undefined) : undefined;
    if (home.process.usable && !(await within(this.#setup.clocks.stopMs, closing))) home.process.retire();
  }

  /** What changes the session, or where it lives, comes one after the other. */
  #inOrder<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#changing === undefined ? change() : this.#changing.then(change);
    const over: Promise<void> = result.then(nothing, nothing).then(() => {
      if (this.#changing === over) this.#changing = undefined;
    });
    this.#changing = over;
    return result;
  }

  /** The id may change under a running turn: whoever knows the new one waits for that turn all the same. */
  #becomes(options: LiveSessionOptions): void {
    const before = this.#lockKey();
    this.#options = options;
    this.#setup.locks.alias(before, this.#lockKey());
  }

  #lockKey(): string {
    return `${this.backend} ${this.#options.sessionId ?? this.#ownKey}`;
  }
}

/** A place in a process. */
interface Home {
  readonly process: PooledProcess;
  readonly session: LiveSession;
  /** The session now needs another process. */
  outgrown: boolean;
}

const neverStored = notice('info', 'The session was never stored: a new one was begun');
const leftBehind = notice(
  'warning',
  'The session moved to another process, for its permission mode: what it had left running in the old one was ended',
);

function ended(goesOn: boolean): StepEvent {
  const how = goesOn ? 'the session was resumed in a new one' : 'a new session was begun';
  return notice('info', `The agent’s process had ended: ${how}`);
}

function nothing(): void {}

/** A refusal is an answer too; none within the protocol's own time is not. */
function throwIfLate(error: unknown): void {
  if (error instanceof TurnoutError && error.code === 'timeout') throw error;
}

/** Did it come to its end in time? */
async function within(ms: number, work: Promise<unknown> | undefined): Promise<boolean> {
  if (ms <= 0) return Promise.resolve(work).then(() => true);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  return Promise.race([Promise.resolve(work).then(() => true), late]).finally(() => clearTimeout(timer));
}

export function unsupported(backend: BackendName, what: string): TurnoutError {
  return new TurnoutError('unsupported', `${backend} does not support ${what}.`);
}

export function noSuchRequest(id: string): TurnoutError {
  return new TurnoutError('bad_request', `There is no permission request ${JSON.stringify(id)} to answer.`);
}
