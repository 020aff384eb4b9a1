import { join } from 'node:path';
import { removeScratchFiles, scratchDirectory, writeScratchFiles } from '../backends/launch/scratch-files.js';
import type { BackendAdapter } from '../backends/types.js';
import type { PoolLimits } from '../config/limits.js';
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
  readonly #sessions: Sessions;
  readonly #closing = new AbortController();
  /** The directory of the files that the processes are started with, and when they are there. */
  readonly #scratch: string;
  #written: Promise<void> | undefined;
  #ahead: Ahead | undefined;

  constructor(key: WarmKey, options: HostedOptions, adapter: BackendAdapter, limits: PoolLimits) {
    const { home, user } = options.config;
    this.key = key;
    this.#adapter = adapter;
    this.#scratch = scratchDirectory({ TURNOUT_HOME: home }, user);
    const paths = Object.fromEntries(key.files.map(({ name }) => [name, this.#pathOf(name)]));
    this.#options = { ...options, ...paths };
    // What is kept ready is opened here, after a turn: the pool would start it beside one.
    this.#sessions = new Sessions({ ...limits, spares: 0 });
  }

  get processes(): number {
    return this.#sessions.processes;
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
    const ahead = this.#ahead;
    this.#ahead = undefined;
    const ready = await ahead?.session;
    const isNew = wanted.sessionId === undefined && !wanted.continueLast;
    if (ready?.isOpenInProcess && isNew && ahead?.clocks === clocksOf(wanted)) return ready;
    // Its process is free then.
    await ready?.close();
    return this.#open(wanted, signal);
  }

  /** Opens the next new session, if nothing can be seen of it before it is used. */
  async openAhead(like: HostedOptions): Promise<void> {
    const protocol = await this.#adapter.live?.();
    if (protocol?.opensUnseen !== true || this.#ahead !== undefined || this.#closing.signal.aborted) return;
    const { sessionId: _s, continueLast: _c, ...fresh } = like;
    // The next caller that needs a session is told why there is none.
    const session = this.#open(fresh, this.#closing.signal).catch(() => undefined);
    this.#ahead = { clocks: clocksOf(like), session };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#sessions.close();
    await removeScratchFiles(this.#scratch);
  }

  async #open(wanted: HostedOptions, signal: AbortSignal): Promise<BackendSession> {
    this.#written ??= this.#write();
    await this.#written;
    const { sessionId, continueLast, clocks } = wanted;
    const config = { ...this.#options.config, queryTimeoutMs: wanted.config.queryTimeoutMs };
    const options = { ...this.#options, config, clocks, sessionId, continueLast, adapter: this.#adapter };
    return this.#sessions.open({ ...options, live: true }, { signal });
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
