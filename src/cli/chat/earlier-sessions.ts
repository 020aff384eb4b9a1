import type { ListedSession } from '../../backends/record/types.js';
import type { BackendAdapter } from '../../backends/types.js';
import { indexedDirectory, knownSessions } from '../sessions/session-index.js';

/** A session that a chat can go on with. */
export interface EarlierSession extends ListedSession {
  /** Set if another CLI than the present one has it. */
  readonly backend?: string;
}

interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly backend: string;
}

/**
 * What a person has had here through Turnout, with any CLI, and what the present CLI itself has kept, without the present session;
 * the last used one first.
 */
export async function earlierSessions(
  { home, cwd, backend }: Place,
  adapter: BackendAdapter,
  present: string | undefined,
): Promise<readonly EarlierSession[]> {
  const directory = indexedDirectory(cwd);
  const ours = knownSessions(home)
    .filter((session) => session.directory === directory)
    .map(({ sessionId, title, usedAt, ...session }): EarlierSession => {
      const other = session.backend === backend ? {} : { backend: session.backend };
      return { sessionId, title, updatedAt: usedAt, ...other };
    });
  const known = new Set(ours.map(({ sessionId }) => sessionId));
  const recorded = (await adapter.listSessions?.(cwd, most)) ?? [];
  return [...ours, ...recorded.filter(({ sessionId }) => !known.has(sessionId))]
    .filter(({ sessionId }) => sessionId !== present)
    .sort((one, other) => other.updatedAt - one.updatedAt)
    .slice(0, most);
}

/** The CLI that has a session; undefined if the index does not know it. */
export function backendOf(sessionId: string, home: string): string | undefined {
  return knownSessions(home).find((session) => session.sessionId === sessionId)?.backend;
}

const most = 30;
