import type { LiveProtocol, LiveSession, LiveSessionOptions } from '../backends/live/types.js';
import type { BackendName } from '../backends/registry.js';
import type { Clocks } from '../config/limits.js';
import { type ChatEvent, notice, type StepEvent } from '../core/chat-event.js';
import { interruptedError, TurnoutError } from '../core/errors.js';
import type { PermissionMode } from '../core/permission-mode.js';
import { abortable, longestTimerMs } from '../core/wait.js';
import type { CallOff } from './call-off.js';
import type { PooledProcess, ProcessKind, WarmPool } from './warm-pool.js';
import { neverStored, unsupported } from './wording.js';

export interface ResidenceSetup {
  readonly backend: BackendName;
  readonly protocol: LiveProtocol;
  readonly options: LiveSessionOptions;
  readonly clocks: Clocks;
  readonly pool: WarmPool;
  /** The kind of process that a session with these options lives in. */
  kindOf(options: LiveSessionOptions): ProcessKind;
  /** Told the vendor's id as soon as it is known. */
  onSession(sessionId: string): void;
}

/** A place in a process, and what there is to say about how it was found. */
interface Entry {
  readonly home: Home;
  readonly notices: readonly StepEvent[];
}

/**
 * Where a live session lives: what it is (its id and its settings), and its place in a process. Processes come and go,
 * and the session goes on by its id.
 */
export class Residence {
  readonly #setup: ResidenceSetup;
  /** The id may change under a running turn. */
  readonly #onRename: () => void;
  #options: LiveSessionOptions;
  #home: Home | undefined;
  #closed = false;
  /** Until the changes that were asked for are made: a model, a mode, another process. */
  #changing: Promise<void> | undefined;
  #lost = false;
  /** A move has ended something that was still running, and nobody was told yet. */
  #emptied = false;
  /** Something may be there to be resumed: an id alone is none, before the first turn. */
  #resumable: boolean;
  /** Something is: the caller said so, or a turn was completed. Then to begin anew would be to forget. */
  #proven: boolean;
  /** The CLI says that it does not know the session that it holds. */
  #astray = false;

  constructor(setup: ResidenceSetup, onRename: () => void) {
    this.#setup = setup;
    this.#onRename = onRename;
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

  async setModel(model: string): Promise<void> {
    const { backend, protocol } = this.#setup;
    if (!protocol.capabilities.setModel)
      throw unsupported(backend, 'changing the model of a running session');
    await this.#inOrder(async () => {
      if (this.#home?.process.usable) await this.#home.session.setModel?.(model);
      this.#options = { ...this.#options, model };
    });
  }

  async setPermissionMode(permissionMode: PermissionMode): Promise<void> {
    const { backend, protocol } = this.#setup;
    const { capabilities } = protocol;
    if (!capabilities.setPermissionMode || !capabilities.permissionModes.includes(permissionMode)) {
      throw unsupported(backend, `changing a running session to the permission mode "${permissionMode}"`);
    }
    await this.#inOrder(async () => {
      const home = this.#home;
      if (home?.process.usable)
        home.outgrown = (await home.session.setPermissionMode?.(permissionMode)) === false;
      this.#options = { ...this.#options, permissionMode };
    });
  }

  /** Nobody enters any more. */
  close(): void {
    this.#closed = true;
  }

  /** The turn is over; `settled`: and the CLI is ready for another one. */
  async endTurn({ process }: Home, settled: boolean): Promise<void> {
    // A CLI that does not stop is given up with its process, now: the session goes on in another one.
    if (!settled) process.retire();
    if (!settled || this.#astray) {
      this.#lost = true;
      this.#astray = false;
      await this.leave();
    }
    process.idle();
  }

  /** What a turn tells of the session. */
  learn(events: readonly ChatEvent[]): void {
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

  /** Where it has a place in a living process. */
  enterAtOnce(): Entry | undefined {
    if (this.#changing !== undefined || this.#closed) return undefined;
    if (!this.#home?.process.usable || this.#home.outgrown) return undefined;
    this.#home.process.busy();
    return { home: this.#home, notices: [] };
  }

  /** A place in a living process: the one it has, or a new one, resumed by id. `mostMs` is how long that may take. */
  async enter(callOff: CallOff, mostMs = 0): Promise<Entry> {
    if (this.#changing !== undefined) await abortable(this.#changing, callOff.signal);
    if (this.#closed) throw new TurnoutError('bad_request', 'The session was closed.');
    const entry = this.enterAtOnce();
    if (entry !== undefined) return entry;
    const late = () =>
      callOff.abort(new TurnoutError('timeout', `The turn took longer than ${mostMs / 1000} s`));
    const timer = mostMs > 0 ? setTimeout(late, Math.min(mostMs, longestTimerMs)) : undefined;
    try {
      return await this.#inOrder(() => this.#enterAnew(callOff));
    } finally {
      clearTimeout(timer);
    }
  }

  async #enterAnew(callOff: CallOff): Promise<Entry> {
    const moves = this.#home?.process.usable === true && this.#home.outgrown;
    this.#lost ||= this.#home?.process.usable === false;
    if (moves && (await this.#moveOut())) this.#emptied = true;
    await this.leave();
    // One that moves has an id: whether anything was stored under it will be seen.
    if (moves) this.#resumable = true;
    const resumed = this.#resumable && this.#options.sessionId !== undefined;
    const { home, goesOn } = await this.#settleIn(resumed, callOff.signal);
    const notices = [
      ...(this.#emptied ? [leftBehind] : []),
      ...(this.#lost ? [ended(goesOn)] : resumed && !goesOn ? [neverStored] : []),
    ];
    this.#lost = false;
    this.#emptied = false;
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
      if (this.#closed) throw interruptedError();
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

  async leave(): Promise<void> {
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

  #becomes(options: LiveSessionOptions): void {
    this.#options = options;
    this.#onRename();
  }
}

/** A place in a process. */
export interface Home {
  readonly process: PooledProcess;
  readonly session: LiveSession;
  /** The session now needs another process. */
  outgrown: boolean;
}

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
