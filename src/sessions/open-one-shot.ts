import { completeConfig } from '../backends/launch/complete-config.js';
import { withLastSession } from '../backends/launch/continue-last.js';
import { RecentSessions } from '../backends/recent-sessions.js';
import {
  type AnyBackendName,
  backendEntry,
  createBackend,
  findBackendName,
  meantBackendName,
} from '../backends/registry.js';
import type { BackendAdapter } from '../backends/types.js';
import { checkSessionOptions } from './check-session-options.js';
import { OneShotSession } from './one-shot-session.js';
import { TurnLocks } from './turn-lock.js';
import type { BackendSession, CompleteSessionOptions, SessionOptions } from './types.js';
import { noAgentHooks } from './wording.js';

/** The locks are shared by the whole program: a session has one writer at a time, whoever opened it. */
export const locks = new TurnLocks();

/** The directory that each session was made in. */
const directories = new RecentSessions<string>(10_000);

export function directoryOf(backend: AnyBackendName, sessionId: string | undefined): string | undefined {
  return sessionId === undefined ? undefined : directories.get(`${backend} ${sessionId}`);
}

export function rememberDirectory(backend: AnyBackendName, sessionId: string, cwd: string): void {
  directories.set(`${backend} ${sessionId}`, cwd);
}

/** Opens a session in which each turn starts the CLI. What live sessions need is not loaded for it. */
export async function openOneShotSession(
  given: SessionOptions,
  onClose: (session: BackendSession) => void = () => {},
): Promise<BackendSession> {
  return oneShotSession((await completeSession(given)).options, onClose);
}

export function oneShotSession(
  options: CompleteSessionOptions,
  onClose: (session: BackendSession) => void,
): BackendSession {
  if (options.agentHooks !== undefined) {
    throw noAgentHooks(options.backend, ' in one-shot turns');
  }
  const cwd = directoryOf(options.backend, options.sessionId) ?? options.cwd;
  const session = new OneShotSession({ ...options, cwd }, locks, {
    onClose: () => onClose(session),
    onSession: (id) => rememberDirectory(options.backend, id, session.cwd),
  });
  return session;
}

/** The options with the backend's own name, its whole configuration, and the session that `continueLast` stands for. */
export async function completeSession(
  given: SessionOptions = {},
): Promise<{ readonly adapter: BackendAdapter; readonly options: CompleteSessionOptions }> {
  checkSessionOptions(given);
  const backend = nameOf(given);
  const config = completeConfig(programOf(backend), given.config);
  const adapter = given.adapter ?? createBackend(backend, config);
  return { adapter, options: await withLastSession(adapter, config, { ...given, backend, config }) };
}

/** An adapter of the caller's own may have a name that no backend is registered with. */
function nameOf({ adapter, backend }: SessionOptions): AnyBackendName {
  if (adapter === undefined) return meantBackendName(backend);
  return backend === undefined ? adapter.name() : (findBackendName(backend) ?? backend);
}

/** A backend that is not registered has nothing but its name. */
function programOf(backend: AnyBackendName): string {
  const known = findBackendName(backend);
  return known === undefined ? backend : backendEntry(known).command;
}
