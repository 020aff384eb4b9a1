import { describeUnsupported, unsupportedOptions } from '../backends/launch/check-request.js';
import { childEnvironment } from '../backends/launch/child-environment.js';
import { traceOfProcess } from '../backends/launch/harmless-trace.js';
import { missingServers, readMcpServers } from '../backends/launch/mcp-config.js';
import {
  removeScratchFiles,
  removeScratchFilesNow,
  scratchDirectory,
} from '../backends/launch/scratch-files.js';
import { sweepAfterCrash } from '../backends/launch/sweep-after-crash.js';
import { type AgentHooks, agentHookEvents, checkAgentHooks } from '../backends/live/agent-hooks.js';
import type { LiveCapabilities, LiveProtocol, LiveSessionOptions } from '../backends/live/types.js';
import { withAdvice } from '../backends/output/failed-turn.js';
import type { AnyBackendName } from '../backends/registry.js';
import type { LocatedCli } from '../backends/types.js';
import { defaultClocks, type PoolLimits } from '../config/limits.js';
import { abortError, TurnoutError } from '../core/errors.js';
import { killAtExit } from '../process/kill-at-exit.js';
import { checkOpening, checkPoolLimits } from './check-session-options.js';
import { identityOf } from './identity.js';
import { liveOptions } from './live-options.js';
import { LiveBackendSession } from './live-session.js';
import { completeSession, directoryOf, locks, oneShotSession, rememberDirectory } from './open-one-shot.js';
import type { BackendSession, CompleteSessionOptions, SessionOptions } from './types.js';
import { type ProcessKind, WarmPool } from './warm-pool.js';
import { noAgentHooks, noLiveSessions, unsupported } from './wording.js';

export interface OpenOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Sessions that share warm processes. */
export class Sessions {
  readonly #pool: WarmPool;
  readonly #open = new Set<BackendSession>();

  constructor(limits: Partial<PoolLimits> = {}) {
    checkPoolLimits(limits);
    this.#pool = new WarmPool(limits);
  }

  /** The number of CLI processes that are alive. */
  get processes(): number {
    return this.#pool.size;
  }

  /** The memory of these processes together. */
  residentBytes(): Promise<number> {
    return this.#pool.residentBytes();
  }

  /**
   * Opens a session, new or resumed. A live session has its process when this resolves; if another object has
   * it open, the process comes with the first turn. The signal cancels the opening.
   */
  async open(given: SessionOptions = {}, opening: OpenOptions = {}): Promise<BackendSession> {
    checkOpening(opening);
    const { signal } = opening;
    const { adapter, options } = await completeSession(given);
    if (options.live === false) return this.#openOneShot(options);
    const { locate } = adapter;
    if (adapter.live === undefined || locate === undefined) throw noLiveSessions(options.backend);
    const protocol = await adapter.live();
    const sessionOptions = whereItWasMade(options.backend, liveOptions(options));
    refuse(options.backend, protocol.capabilities, options);
    // A file that can't be used is told before a process is started.
    if (options.mcpConfig !== undefined) await readMcpServers(options.mcpConfig);
    const session = new LiveBackendSession({
      backend: options.backend,
      protocol,
      options: sessionOptions,
      clocks: { ...defaultClocks, turnMs: options.config.queryTimeoutMs, ...options.clocks },
      pool: this.#pool,
      locks,
      onSession: (id) => rememberDirectory(options.backend, id, sessionOptions.cwd),
      onClose: () => this.#open.delete(session),
      firstNotices: protocol.tellsMcpFailures ? [] : await missing(options, sessionOptions),
      kindOf: (wanted) => processKind(options, () => locate.call(adapter), protocol, wanted),
      versionNotice: (version) => adapter.versionNotice?.(version),
    });
    await session.prepare(signal).catch((error: unknown) => {
      if (signal?.aborted) throw abortError(signal);
      throw error instanceof TurnoutError ? withAdvice(error, protocol.advice) : error;
    });
    this.#open.add(session);
    return session;
  }

  /** Closes every session and ends every process. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((session) => session.close()));
    await this.#pool.close();
  }

  #openOneShot(options: CompleteSessionOptions): BackendSession {
    const session = oneShotSession(options, (closed) => this.#open.delete(closed));
    this.#open.add(session);
    return session;
  }
}

/** Opens one session with processes of its own, which end with it. Without a backend in the options it is one of `claude`. */
export async function openSession(options?: SessionOptions, opening?: OpenOptions): Promise<BackendSession> {
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

/** Three of the four CLIs fail or hang when a session is resumed in another directory than its own. */
function whereItWasMade(backend: AnyBackendName, options: LiveSessionOptions): LiveSessionOptions {
  const cwd = directoryOf(backend, options.sessionId);
  return cwd === undefined ? options : { ...options, cwd };
}

function refuse(
  backend: AnyBackendName,
  capabilities: LiveCapabilities,
  options: CompleteSessionOptions,
): void {
  if ((options.rawArgs?.length ?? 0) > 0 && !capabilities.rawArgs) {
    throw new TurnoutError('unsupported', `${backend} does not support rawArgs in a live session.`, {
      hint: 'Leave --live out.',
    });
  }
  const [first] = unsupportedOptions(backend, capabilities, options);
  if (first !== undefined) throw new TurnoutError('unsupported', describeUnsupported(backend, first));
  if (options.agentHooks !== undefined) refuseHooks(backend, capabilities, options.agentHooks);
}

function refuseHooks(
  backend: AnyBackendName,
  { agentHooks = [] }: LiveCapabilities,
  hooks: AgentHooks,
): void {
  if (agentHooks.length === 0) throw noAgentHooks(backend);
  checkAgentHooks(hooks);
  const missing = agentHookEvents.find((event) => hooks[event] !== undefined && !agentHooks.includes(event));
  if (missing !== undefined) throw unsupported(backend, `the hook ${missing} (agentHooks)`);
}

function missing({ config }: CompleteSessionOptions, { mcpConfig, cwd }: LiveSessionOptions) {
  return missingServers(mcpConfig, config.env ?? process.env, cwd);
}

function processKind(
  options: CompleteSessionOptions,
  locate: () => Promise<LocatedCli>,
  protocol: LiveProtocol,
  wanted: LiveSessionOptions,
): ProcessKind {
  const inherited = options.config.env ?? process.env;
  const env = childEnvironment(inherited);
  const { user, onHostExit } = options.config;
  return {
    key: JSON.stringify([
      options.backend,
      options.config.cliPath,
      user?.uid,
      onHostExit,
      protocol.processKey(wanted),
      Object.entries(env).sort(),
      identityOf(options.trace),
      identityOf(options.adapter),
    ]),
    protocol,
    async start(signal) {
      const scratch = scratchDirectory(inherited, user);
      const release = onHostExit === 'leave' ? () => {} : killAtExit(() => removeScratchFilesNow(scratch));
      const remove = () => removeScratchFiles(scratch).finally(release);
      try {
        const [{ command, env: added, version }] = await Promise.all([locate(), sweepAfterCrash(inherited)]);
        const live = await protocol.start(wanted, {
          command,
          env: { ...env, ...added },
          inherited: env,
          version,
          scratch,
          user,
          onHostExit,
          signal,
          trace: traceOfProcess(options.trace),
        });
        void live.exited.then(remove);
        return live;
      } catch (error) {
        await remove();
        throw error;
      }
    },
  };
}
