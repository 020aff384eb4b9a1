import type { StoredSession } from '../../store/rows.js';
import type { Store } from '../../store/store.js';

/** The vendor session that a channel goes on with: one for each backend, with the directory that it was made in. */
export class SessionManager {
  readonly #store: Pick<Store, 'session' | 'saveSession' | 'forgetSession'>;

  constructor(store: Pick<Store, 'session' | 'saveSession' | 'forgetSession'>) {
    this.#store = store;
  }

  get(channel: string, backend: string): Promise<StoredSession | undefined> {
    return this.#store.session(channel, backend);
  }

  /** R10.4: an undefined id changes nothing. */
  async set(
    session: Omit<StoredSession, 'sessionId'> & { readonly sessionId: string | undefined },
  ): Promise<void> {
    const { sessionId } = session;
    if (sessionId !== undefined) await this.#store.saveSession({ ...session, sessionId });
  }

  /** The next turn begins a new session, which is given the conversation so far. */
  forget(channel: string, backend: string): Promise<void> {
    return this.#store.forgetSession(channel, backend);
  }
}
