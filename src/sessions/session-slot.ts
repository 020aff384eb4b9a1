import type { LiveProtocol, LiveSession, LiveSessionOptions } from '../backends/live/types.js';
import type { AnyBackendName } from '../backends/registry.js';
import type { Clocks } from '../config/limits.js';
import { type ChatEvent, notice, type StepEvent } from '../core/chat-event.js';
import { interruptedError, TurnoutError } from '../core/errors.js';
import type { PermissionMode } from '../core/permission-mode.js';
import { isSessionId } from '../core/session-id.js';
import { abortable, late, setDeadline, within } from '../core/wait.js';
import type { Cancellation } from './cancellation.js';
import type { PooledProcess, ProcessKind, WarmPool } from './warm-pool.js';
import { neverStored, unsupported } from './wording.js';

export interface SlotSetup {
  readonly backend: AnyBackendName;
  readonly protocol: LiveProtocol;
  readonly options: LiveSessionOptions;
  readonly clocks: Clocks;
  readonly pool: WarmPool;
  /** The kind of process that a session with these options needs. */
  kindOf(options: LiveSessionOptions): ProcessKind;
  /** Called with the vendor's id as soon as it is known. */
  onSession(sessionId: string): void;
}

/** A session that is open in a process. */
export interface OpenPlace {
  readonly process: PooledProcess;
  readonly session: LiveSession;
  /**
   * `fit`: the place takes turns. `restart_needed`: the permission mode was changed to one that needs another
   * process; the next turn moves there. `lost_by_cli`: the CLI reports that it does not know the session it
   * holds; the place is left at the end of the turn.
   */
  status: 'fit' | 'restart_needed' | 'lost_by_cli';
}

/** An open place, with the notices for the turn's reader on how it was found. */
interface Entered {
  readonly place: OpenPlace;
  readonly notices: readonly StepEvent[];
}

/**
 * The place of a live session: its id, its settings and the process it is open in. Processes come and go, and
 * the session goes on by its id.
 *
 * The place: none → (enter) `fit` → (setPermissionMode) `restart_needed` → (enter) none, then another one;
 * `fit` → (the CLI reports session_not_found) `lost_by_cli` → (endTurn) none. It is also left if its process
 * has ended (enter), the CLI does not stop a turn (endTurn), another writer wants the session, or the session
 * is closed (leave).
 */
export class SessionSlot {
  readonly #setup: SlotSetup;
  /** Called when the id changes, possibly during a turn. */
  readonly #onRename: () => void;
  #options: LiveSessionOptions;
  #place: OpenPlace | undefined;
  #closed = false;
  /**
   * Whether the vendor has stored a session under the id: `no` before the first words of a new session,
   * `maybe` from then on, `yes` if the caller gave the id or a turn was completed. Only a session that may
   * not be stored is ever replaced by a new one.
   */
  #stored: 'no' | 'maybe' | 'yes';
  /** Events between two turns that no reader was told of yet. */
  readonly #unreported = new Set<'process_ended' | 'tasks_ended'>();
  /** Settles when all changes that were asked for are made: a model, a mode, another process. */
  #changes: Promise<void> | undefined;

  constructor(setup: SlotSetup, onRename: () => void) {
    this.#setup = setup;
    this.#onRename = onRename;
    this.#options = setup.options;
    this.#stored = setup.options.sessionId === undefined ? 'no' : 'yes';
  }

  get cwd(): string {
    return this.#options.cwd;
  }

  get sessionId(): string | undefined {
    return this.#options.sessionId;
  }

  get processId(): number | undefined {
    return this.#place?.process.process.pid;
  }

  /** True if the next turn needs no other place. */
  get isOpen(): boolean {
    return this.#place?.process.usable === true && this.#place.status === 'fit';
  }

  async setModel(model: string): Promise<void> {
    const { backend, protocol } = this.#setup;
    if (!protocol.capabilities.setModel)
      throw unsupported(backend, 'changing the model of a running session');
    await this.#inOrder(async () => {
      if (this.#place?.process.usable) await this.#place.session.setModel?.(model);
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
      const place = this.#place;
      if (place?.process.usable) {
        const taken = (await place.session.setPermissionMode?.(permissionMode)) !== false;
        if (place.status !== 'lost_by_cli') place.status = taken ? 'fit' : 'restart_needed';
      }
      this.#options = { ...this.#options, permissionMode };
    });
  }

  /** Makes every later `enter` fail. */
  close(): void {
    this.#closed = true;
  }

  /**
   * Must be called after each turn. If `stopped` is false, the CLI did not stop: its process is retired, and
   * the session goes on in another one.
   */
  async endTurn(place: OpenPlace, stopped: boolean): Promise<void> {
    if (!stopped) place.process.retire();
    if (!stopped || place.status === 'lost_by_cli') {
      this.#unreported.add('process_ended');
      await this.leave();
    }
    place.process.idle();
  }

  /** Takes the session's id and state from a turn's events. */
  learn(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if (event.type === 'complete') this.#stored = 'yes';
      if (this.#stored === 'no' && (event.type === 'text' || event.type === 'tool_start'))
        this.#stored = 'maybe';
      if (event.type === 'error' && event.code === 'session_not_found') {
        if (this.#place !== undefined) this.#place.status = 'lost_by_cli';
        if (this.#stored === 'maybe') this.#stored = 'no';
      }
      if (event.type !== 'session') continue;
      if (event.sessionId !== this.sessionId) this.#become({ ...this.#options, sessionId: event.sessionId });
      this.#setup.onSession(event.sessionId);
    }
  }

  /** Returns the place if the session has one that takes a turn now. */
  enterAtOnce(): Entered | undefined {
    if (this.#changes !== undefined || this.#closed) return undefined;
    if (!this.#place?.process.usable || this.#place.status === 'restart_needed') return undefined;
    this.#place.process.busy();
    return { place: this.#place, notices: [] };
  }

  /**
   * Returns the session's place, or a new one, resumed by id. It is part of a turn, which may take `turnMs` in all, 0 means
   * no limit; `spentMs` of them have passed already.
   */
  async enter(cancellation: Cancellation, turnMs: number, spentMs = 0): Promise<Entered> {
    if (this.#changes !== undefined) await abortable(this.#changes, cancellation.signal);
    if (this.#closed) throw new TurnoutError('bad_request', 'The session was closed.');
    const entered = this.enterAtOnce();
    if (entered !== undefined) return entered;
    const onLate = () =>
      cancellation.abort(new TurnoutError('timeout', `The turn took longer than ${turnMs / 1000} s`));
    const deadline = turnMs > 0 ? setDeadline(Math.max(1, turnMs - spentMs), onLate) : undefined;
    try {
      return await this.#inOrder(() => this.#enterNewPlace(cancellation));
    } finally {
      deadline?.cancel();
    }
  }

  async #enterNewPlace(cancellation: Cancellation): Promise<Entered> {
    const restarts = this.#place?.process.usable === true && this.#place.status === 'restart_needed';
    if (this.#place?.process.usable === false) this.#unreported.add('process_ended');
    if (restarts && (await this.#leaveForRestart())) this.#unreported.add('tasks_ended');
    await this.leave();
    // A session that restarts has an id; whether anything is stored under it shows when it is resumed.
    if (restarts && this.#stored === 'no') this.#stored = 'maybe';
    const resumes = this.#stored !== 'no' && this.#options.sessionId !== undefined;
    const { place, resumed } = await this.#openPlace(resumes, cancellation.signal);
    const notices = [
      ...(this.#unreported.has('tasks_ended') ? [tasksEnded] : []),
      ...(this.#unreported.has('process_ended')
        ? [processEnded(resumed)]
        : resumes && !resumed
          ? [neverStored]
          : []),
    ];
    this.#unreported.clear();
    return { place, notices };
  }

  /** If the vendor has nothing under the id of a session that may not be stored, a new session is begun. */
  async #openPlace(
    resumes: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly place: OpenPlace; readonly resumed: boolean }> {
    const { sessionId: _, ...fresh } = this.#options;
    try {
      return { place: await this.#openIn(resumes ? this.#options : fresh, signal), resumed: resumes };
    } catch (error) {
      const unknown = error instanceof TurnoutError && error.code === 'session_not_found';
      if (!unknown || !resumes || this.#stored === 'yes') throw error;
      return { place: await this.#openIn(fresh, signal), resumed: false };
    }
  }

  async #openIn(options: LiveSessionOptions, signal: AbortSignal): Promise<OpenPlace> {
    const { pool, kindOf } = this.#setup;
    const process = await pool.acquire(kindOf(options), options, signal);
    // The process is busy from now on, so that it is not ended to make room while the session is opened.
    process.busy();
    const opening = process.process.open(options);
    try {
      const session = await abortable(opening, signal);
      if (this.#closed) throw interruptedError();
      const place: OpenPlace = { process, session, status: 'fit' };
      this.#place = place;
      const { sessionId } = session;
      if (sessionId !== undefined && isSessionId(sessionId)) this.#become({ ...options, sessionId });
      else this.#become(options);
      return place;
    } catch (error) {
      void this.#giveBack(process, opening);
      throw error;
    }
  }

  /** Closes a session that was opened for nobody. A process that does not do so in time is retired. */
  async #giveBack(process: PooledProcess, opening: Promise<LiveSession>): Promise<void> {
    const answered = opening.then((session) => session.close().catch(() => undefined), throwIfTimedOut);
    const inTime = await within(this.#setup.clocks.stopMs, answered).catch(() => late);
    if (inTime === late) process.retire();
    process.idle();
    void process.release();
  }

  async leave(): Promise<void> {
    const place = this.#place;
    if (place === undefined) return;
    await this.#closeAt(place);
    void place.process.release();
  }

  /**
   * Ends the process: the session is resumed in another one, two must not write to it, and nobody could use
   * the old one again. Returns true if tasks were still running in it.
   */
  async #leaveForRestart(): Promise<boolean> {
    const place = this.#place;
    if (place === undefined) return false;
    await this.#closeAt(place);
    const tasksWereRunning = !place.process.alive;
    place.process.retire();
    await place.process.release();
    return tasksWereRunning;
  }

  async #closeAt(place: OpenPlace): Promise<void> {
    this.#place = undefined;
    if (!place.process.alive) return;
    const closing = place.session.close().catch(() => undefined);
    // A process that is already retired is not waited for.
    if (place.process.usable && (await within(this.#setup.clocks.stopMs, closing)) === late)
      place.process.retire();
  }

  /** Runs changes of the session, or of its place, one after the other. */
  #inOrder<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#changes === undefined ? change() : this.#changes.then(change);
    const over: Promise<void> = result.then(nothing, nothing).then(() => {
      if (this.#changes === over) this.#changes = undefined;
    });
    this.#changes = over;
    return result;
  }

  #become(options: LiveSessionOptions): void {
    this.#options = options;
    this.#onRename();
  }
}

const tasksEnded = notice(
  'warning',
  'The session moved to another process, for its permission mode: what it had left running in the old one was ended',
);

function processEnded(resumed: boolean): StepEvent {
  const how = resumed ? 'the session was resumed in a new one' : 'a new session was begun';
  return notice('info', `The agent’s process had ended: ${how}`);
}

function nothing(): void {}

/** A refusal counts as an answer; no answer within the protocol's own time does not. */
function throwIfTimedOut(error: unknown): void {
  if (error instanceof TurnoutError && error.code === 'timeout') throw error;
}
