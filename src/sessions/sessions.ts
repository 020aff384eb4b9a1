import { describeUnsupported, unsupportedOptions } from '../backends/launch/check-request.js';
import { childEnvironment } from '../backends/launch/child-environment.js';
import { completeOptions } from '../backends/launch/complete-options.js';
import { harmless } from '../backends/launch/harmless-trace.js';
import { removeScratchFiles, scratchDirectory } from '../backends/launch/scratch-files.js';
import type { LiveCapabilities, LiveProtocol, LiveSessionOptions } from '../backends/live/types.js';
import { RecentSessions } from '../backends/recent-sessions.js';
import { type BackendName, createBackend } from '../backends/registry.js';
import type { BackendAdapter } from '../backends/types.js';
import { homeDirectory } from '../config/home-directory.js';
import { defaultClocks, type PoolLimits } from '../config/limits.js';
import { interruptedError, TurnoutError } from '../core/errors.js';
import { endOrphans } from '../process/end-orphans.js';
import { LiveBackendSession } from './live-session.js';
import { OneShotSession } from './one-shot-session.js';
import { traceKey } from './trace-key.js';
import { TurnLocks } from './turn-lock.js';
import type { BackendSession, SessionOptions } from './types.js';
import { type ProcessKind, WarmPool } from './warm-pool.js';
import { unsupported } from './wording.js';

export interface OpenOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The locks are shared by the whole program: a session has one writer at a time, whoever opened it. */
const locks = new TurnLocks();
const directories = new RecentSessions<string>(10_000);

/** Sessions that share warm processes. */
export class Sessions {
  readonly #pool: WarmPool;
  readonly #open = new Set<BackendSession>();
  #swept: Promise<unknown> | undefined;

  constructor(limits: Partial<PoolLimits> = {}) {
    this.#pool = new WarmPool(limits);
  }

  /** The number of CLI processes that are alive. */
  get processes(): number {
    return this.#pool.size;
  }

  /**
   * Opens a session, new or resumed. A live session has its process when this resolves; if another object has
   * it open, the process comes with the first turn. The signal cancels the opening.
   */
  async open(options: SessionOptions, { signal }: OpenOptions = {}): Promise<BackendSession> {
    if (options.live === false) return this.#openOneShot(options);
    const adapter = options.adapter ?? createBackend(options.backend, options.config);
    const protocol = await adapter.live();
    const sessionOptions = whereItWasMade(options.backend, liveOptions(options));
    refuse(options.backend, protocol.capabilities, options);
    // Processes that a killed Turnout left running are ended before a new one is started.
    this.#swept ??= endOrphans({
      home: homeDirectory(options.config.env ?? process.env),
    }).catch(() => undefined);
    await this.#swept;
    const session = new LiveBackendSession({
      backend: options.backend,
      protocol,
      options: sessionOptions,
      clocks: { ...defaultClocks, turnMs: options.config.queryTimeoutMs, ...options.clocks },
      pool: this.#pool,
      locks,
      onSession: (id) => directories.set(`${options.backend} ${id}`, sessionOptions.cwd),
      onClose: () => this.#open.delete(session),
      kindOf: (wanted) => processKind(options, adapter, protocol, wanted),
    });
    await session.prepare(signal).catch((error: unknown) => {
      throw signal?.aborted ? interruptedError() : error;
    });
    this.#open.add(session);
    return session;
  }

  /** Closes every session and ends every process. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((session) => session.close()));
    await this.#pool.close();
  }

  #openOneShot(options: SessionOptions): BackendSession {
    if (options.maxThinkingTokens !== undefined) {
      throw unsupported(options.backend, 'a thinking budget (maxThinkingTokens) in one-shot turns');
    }
    const cwd = directoryOf(options.backend, options.sessionId) ?? options.cwd;
    const session = new OneShotSession({ ...options, cwd }, locks, {
      onClose: () => this.#open.delete(session),
      onSession: (id) => directories.set(`${options.backend} ${id}`, session.cwd),
    });
    this.#open.add(session);
    return session;
  }
}

/** Opens one session with processes of its own, which end with it. */
export async function openSession(options: SessionOptions, opening?: OpenOptions): Promise<BackendSession> {
  const sessions = new Sessions();
  try {
    const session = await sessions.open(options, opening);
    const close = session.close.bind(session);
    session.close = async () => {
      await close();
      await sessions.close();
    };
    return session;
  } catch (error) {
    await sessions.close();
    throw error;
  }
}

function directoryOf(backend: BackendName, sessionId: string | undefined): string | undefined {
  return sessionId === undefined ? undefined : directories.get(`${backend} ${sessionId}`);
}

/** Three of the four CLIs fail or hang when a session is resumed in another directory than its own. */
function whereItWasMade(backend: BackendName, options: LiveSessionOptions): LiveSessionOptions {
  const cwd = directoryOf(backend, options.sessionId);
  return cwd === undefined ? options : { ...options, cwd };
}

function liveOptions(options: SessionOptions): LiveSessionOptions {
  const { config, maxThinkingTokens } = options;
  const maxTurns = options.maxTurns ?? config.maxTurns;
  return { ...completeOptions(options, config), maxTurns, maxThinkingTokens };
}

function refuse(backend: BackendName, capabilities: LiveCapabilities, options: SessionOptions): void {
  if ((options.rawArgs?.length ?? 0) > 0) {
    throw new TurnoutError('unsupported', `${backend} does not support rawArgs in a live session.`, {
      hint: 'Leave --live out.',
    });
  }
  const [first] = unsupportedOptions(backend, capabilities, options);
  if (first !== undefined) throw new TurnoutError('unsupported', describeUnsupported(backend, first));
  if (options.maxThinkingTokens !== undefined && !capabilities.thinkingBudget) {
    throw unsupported(backend, 'a thinking budget (maxThinkingTokens)');
  }
}

function processKind(
  options: SessionOptions,
  adapter: BackendAdapter,
  protocol: LiveProtocol,
  wanted: LiveSessionOptions,
): ProcessKind {
  const inherited = options.config.env ?? process.env;
  const env = childEnvironment(inherited);
  const { user } = options.config;
  return {
    key: JSON.stringify([
      options.backend,
      options.config.cliPath,
      user?.uid,
      protocol.processKey(wanted),
      Object.entries(env).sort(),
      traceKey(options.trace),
    ]),
    protocol,
    async start(signal) {
      const scratch = scratchDirectory(inherited, user);
      try {
        const { command, env: added } = await adapter.locate();
        const live = await protocol.start(wanted, {
          command,
          env: { ...env, ...added },
          scratch,
          user,
          signal,
          trace: harmless(options.trace),
        });
        void live.exited.then(() => removeScratchFiles(scratch));
        return live;
      } catch (error) {
        await removeScratchFiles(scratch);
        throw error;
      }
    },
  };
}
