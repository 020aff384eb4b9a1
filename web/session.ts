import { Cell } from './cell.js';

/** `unknown` until the gateway has answered for the first time. */
export type SessionState = 'unknown' | 'open' | 'closed';

/** Whether the gateway knows this browser by its cookie. The cookie itself can't be read by scripts. */
export const session = new Cell<SessionState>('unknown');

export function signedOut(): void {
  session.set('closed');
}

/**
 * The token of the address that the gateway printed (`#token=…`). It leaves the address bar and the history at once, and
 * is kept nowhere.
 */
export function takeTokenFromAddress(): string | undefined {
  const found = /^#token=([^&]+)/.exec(location.hash)?.[1];
  if (found === undefined) return undefined;
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  try {
    return decodeURIComponent(found);
  } catch {
    return found;
  }
}

/** Exchanges the token for the session's cookie. Undefined if that worked, else why not. */
export async function signIn(token: string): Promise<string | undefined> {
  const refusal = await exchange(token);
  session.set(refusal === undefined ? 'open' : 'closed');
  return refusal;
}

async function exchange(token: string): Promise<string | undefined> {
  try {
    const response = await fetch('/v1/page-session', {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{}',
    });
    if (response.ok) return undefined;
    if (response.status === 401) return 'This is not the token of this gateway.';
    const body = (await response.json().catch(() => undefined)) as
      | { error?: { message?: string } }
      | undefined;
    return body?.error?.message ?? `The gateway answered with ${response.status}.`;
  } catch (error) {
    // A header can't hold every character: such a token can't be right.
    if (error instanceof TypeError && /[^\x20-\x7e]/.test(token))
      return 'This is not the token of this gateway.';
    return 'The gateway can’t be reached. Is it running?';
  }
}

/** Asks the gateway whether there is a session. */
export async function findSession(): Promise<void> {
  try {
    const response = await fetch('/v1/channels?limit=1');
    session.set(response.status === 401 ? 'closed' : 'open');
  } catch {
    // The views say that they can't reach the gateway, and try again.
    session.set('open');
  }
}
