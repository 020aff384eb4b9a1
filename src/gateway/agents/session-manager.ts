import type { StoredSession } from '../../store/rows.js';
import type { Store } from '../../store/store.js';

/** Keeps the session of a turn until the turn's result is written: both are stored in one transaction. */
export interface PendingSession {
  session?: Pick<StoredSession, 'backend' | 'sessionId' | 'cwd'>;
}

/** The vendor session that a channel goes on with: one for each backend, with the directory that it was made in. */
export class SessionManager {
  readonly #store: Pick<Store, 'session' | 'saveSession' | 'forgetSession'>;

  constructor(store: Pick<Store, 'session' | 'saveSession' | 'forgetSession'>) {
    this.#store = store;
  }

  get(channel: string, backend: string): Promise<StoredSession | undefined> {
    return this.#store.session(channel, backend);
  }

  /** R10.4: an undefined id changes nothing, nor does an empty one, which is none. */
  async set(
    session: Omit<StoredSession, 'sessionId'> & { readonly sessionId: string | undefined },
    pending?: PendingSession,
  ): Promise<void> {
    const { sessionId, backend, cwd } = session;
    if (!sessionId) return;
    if (pending === undefined) await this.#store.saveSession({ ...session, sessionId });
    else pending.session = { backend, sessionId, cwd };
  }

  /** The next turn begins a new session, which is given the conversation so far. */
  forget(channel: string, backend: string): Promise<void> {
    return this.#store.forgetSession(channel, backend);
  }
}
