import { join } from 'node:path';
import { withLastSession } from '../backends/launch/continue-last.js';
import { removeScratchFiles, scratchDirectory, writeScratchFiles } from '../backends/launch/scratch-files.js';
import { RecentSessions } from '../backends/recent-sessions.js';
import type { BackendAdapter } from '../backends/types.js';
import type { PoolLimits } from '../config/limits.js';
import { TurnoutError } from '../core/errors.js';
import { directoryOf } from '../sessions/open-one-shot.js';
import { Sessions } from '../sessions/sessions.js';
import type { BackendSession } from '../sessions/types.js';
import type { HostedOptions, WarmStatus } from './messages.js';
import type { WarmKey } from './warm-key.js';

/** A session that was opened before somebody asked for it. */
interface Ahead {
  /** The clocks that it was opened with. */
  readonly clocks: string;
  readonly session: Promise<BackendSession | undefined>;
}

/** The processes for one key. They end when it is closed; no other key has them. */
export class WarmKind {
  readonly key: WarmKey;
  /** The number of turns that run with it or wait for it. */
  turns = 0;
  usedAt = performance.now();
  readonly #options: HostedOptions;
  readonly #adapter: BackendAdapter;
  /** True if one process has any number of sessions. */
  readonly #isShared: boolean;
  readonly #sessions: Sessions;
  readonly #closing = new AbortController();
  /** The directory of the files that the processes are started with. */
  readonly #scratch: string;
  /** Settles when the files are there. */
  #written: Promise<void> | undefined;
  #ahead: Ahead | undefined;
  /** The last sessions: the process of each one's last turn, and the state of its record at the end of that turn. */
  readonly #held = new RecentSessions<{ readonly processId: number; readonly state: string }>(100);

  constructor(
    key: WarmKey,
    options: HostedOptions,
    adapter: BackendAdapter,
    limits: PoolLimits,
    isShared: boolean,
  ) {
    this.#isShared = isShared;
    const { home, user } = options.config;
    this.key = key;
    this.#adapter = adapter;
    this.#scratch = scratchDirectory({ TURNOUT_HOME: home }, user);
    const paths = Object.fromEntries(key.files.map(({ name }) => [name, this.#pathOf(name)]));
    this.#options = { ...options, ...paths };
    // A spare would be started beside a turn, which it would slow.
    this.#sessions = new Sessions({ ...limits, spares: 0 });
  }

  get processes(): number {
    return this.#sessions.processes;
  }

  /** How many processes its turns need, or have. */
  get needed(): number {
    return Math.max(this.processes, this.#isShared ? Math.min(1, this.turns) : this.turns);
  }

  status(): WarmStatus {
    const { backend, config, cwd, model = config.model } = this.#options;
    return {
      backend,
      cwd: cwd ?? config.workingDir,
      ...(model === undefined ? {} : { model }),
      processes: this.processes,
      turns: this.turns,
      idleMs: Math.round(performance.now() - this.usedAt),
    };
  }

  residentBytes(): Promise<number> {
    return this.#sessions.residentBytes();
  }

  /** Opens the session that is wanted, in a process that is already running if there is one. */
  async open(wanted: HostedOptions, signal: AbortSignal): Promise<BackendSession> {
    const { sessionId } = await withLastSession(this.#adapter, this.#options.config, wanted);
    if (sessionId !== undefined) return this.#resume(sessionId, wanted, signal);
    const ahead = this.#ahead;
    this.#ahead = undefined;
    const ready = await ahead?.session;
    if (ready?.isOpenInProcess && ahead?.clocks === clocksOf(wanted)) return ready;
    await ready?.close();
    return this.#open(wanted, signal);
  }

  /** Must be called after each turn, as soon as it has ended. */
  async turnEnded({ sessionId, processId, cwd }: BackendSession): Promise<void> {
    if (sessionId === undefined || processId === undefined) return;
    const state = await this.#adapter.recordState?.(sessionId, cwd);
    if (state !== undefined) this.#held.set(sessionId, { processId, state });
  }

  /**
   * Opens the next new session, if nothing can be seen of it before it is used. That is true of every protocol with one session a
   * process if a process has to be started for it: Claude is not asked to forget a session then.
   */
  async openAhead(like: HostedOptions): Promise<void> {
    const protocol = await this.#adapter.live?.();
    const unseen = protocol?.sessionsPerProcess === 'one' ? this.processes === 0 : protocol?.opensUnseen;
    if (!unseen || this.#ahead !== undefined || this.#closing.signal.aborted) return;
    // The next caller that needs a session is told why there is none.
    const session = this.#open({ ...like, sessionId: undefined }, this.#closing.signal).catch(
      () => undefined,
    );
    this.#ahead = { clocks: clocksOf(like), session };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#sessions.close();
    await removeScratchFiles(this.#scratch);
  }

  /** If nobody else has written to the session since its last turn here, it goes on in the process of that turn. */
  async #resume(sessionId: string, wanted: HostedOptions, signal: AbortSignal): Promise<BackendSession> {
    const { backend, cwd = wanted.config.workingDir } = wanted;
    // It would go on where it was made; a cold run tells what the CLI says to another directory.
    if ((directoryOf(backend, sessionId) ?? cwd) !== cwd)
      throw new TurnoutError('session_not_found', `The session ${sessionId} was not made in ${cwd}.`);
    const held = this.#held.get(sessionId);
    const isCurrent = held?.state === (await this.#adapter.recordState?.(sessionId, cwd));
    const heldBy = isCurrent ? held?.processId : undefined;
    return this.#open({ ...wanted, sessionId, heldBy }, signal);
  }

  async #open(wanted: HostedOptions, signal: AbortSignal): Promise<BackendSession> {
    this.#written ??= this.#write();
    await this.#written;
    // What the processes are started with is the same for all; the rest is each caller's own.
    const { sessionId, clocks, heldBy } = wanted;
    const config = { ...this.#options.config, queryTimeoutMs: wanted.config.queryTimeoutMs };
    const own = { config, clocks, sessionId, continueLast: undefined, heldBy };
    return this.#sessions.open({ ...this.#options, ...own, adapter: this.#adapter, live: true }, { signal });
  }

  async #write(): Promise<void> {
    const { files } = this.key;
    if (files.length === 0) return;
    const copies = files.map(({ name, content }) => ({ path: this.#pathOf(name), content }));
    await writeScratchFiles(this.#scratch, copies, this.#options.config.user);
  }

  #pathOf(name: string): string {
    return join(this.#scratch, `${name}.json`);
  }
}

function clocksOf({ clocks, config }: HostedOptions): string {
  return JSON.stringify([clocks, config.queryTimeoutMs]);
}
