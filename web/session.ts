import type { PageSessionView } from '../src/gateway/channels/http/wire.js';
import { Cell } from './cell.js';

/** `unknown` until the gateway has answered for the first time. */
export type SessionState = 'unknown' | 'open' | 'closed';

/** Whether the gateway knows this browser: by a cookie, which no script can read, together with the page's key. */
export const session = new Cell<SessionState>('unknown');

/** Why the last token was not taken, if so. */
export const refusal = new Cell<string | undefined>(undefined);

export function signedOut(): void {
  session.set('closed');
}

/**
 * The token of the address that the gateway printed (`#token=…`). It leaves the address bar and the history at once, and
 * is kept nowhere.
 */
export function takeTokenFromAddress(): string | undefined {
  if (!location.hash.startsWith('#token=')) return undefined;
  // An address that was cut is told like any other wrong one.
  const token = location.hash === '#token=' ? '' : tokenIn(location.hash);
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  return token;
}

const tokenInAddress = /#token=([^&\s]+)/;

/** The token of what was pasted: the token itself, or the address that ends with it. */
export function tokenIn(pasted: string): string {
  const found = tokenInAddress.exec(pasted)?.[1];
  if (found === undefined) return pasted.trim();
  try {
    return decodeURIComponent(found);
  } catch {
    return found;
  }
}

/** The printed address, pasted into a tab that shows the page already, only changes the fragment: the view stays the one it was. */
export function watchAddress(): void {
  addEventListener('hashchange', (event) => {
    const token = takeTokenFromAddress();
    if (token === undefined) return;
    history.replaceState(null, '', new URL(event.oldURL).hash || '#/');
    if (session.value !== 'open') void signIn(token, wrongInAddress);
  });
}

/**
 * The page's half of the session. Without the cookie it is worth nothing, and the cookie without it: a cookie is also sent to
 * other ports of this machine, what is stored here belongs to this port. All tabs share it.
 */
export function pageKey(): string {
  try {
    return localStorage.getItem(keyName) ?? keptKey;
  } catch {
    return keptKey;
  }
}

/** The headers that every request needs, beside the cookie. */
export function pageHeaders(): Readonly<Record<string, string>> {
  return { 'X-Turnout-Page': pageKey() };
}

const keyName = 'turnout page key';
let keptKey = '';

function keepPageKey(key: string): void {
  keptKey = key;
  try {
    if (key === '') localStorage.removeItem(keyName);
    else localStorage.setItem(keyName, key);
  } catch {
    // A browser may forbid it: then the session ends with the page.
  }
}

const wrongToken = 'This is not the token of this gateway.';
export const wrongInAddress =
  'The token in that address is not the token of this gateway. Open the whole address that it printed at its last start.';

/** Exchanges the token for a session. If that does not work, `refusal` says why, and `wrong` that it is not the token. */
export async function signIn(token: string, wrong = wrongToken): Promise<void> {
  const why = await exchange(token, wrong);
  refusal.set(why);
  session.set(why === undefined ? 'open' : 'closed');
}

async function exchange(token: string, wrong: string): Promise<string | undefined> {
  try {
    const response = await fetch('/v1/page-session', {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{}',
    });
    if (response.ok) {
      keepPageKey(((await response.json()) as PageSessionView).pageKey);
      return undefined;
    }
    if (response.status === 401) return wrong;
    const body = (await response.json().catch(() => undefined)) as
      | { error?: { message?: string } }
      | undefined;
    return body?.error?.message ?? `The gateway answered with ${response.status}.`;
  } catch (error) {
    // A header can't hold every character: such a token can't be right.
    if (error instanceof TypeError && /[^\x20-\x7e]/.test(token)) return wrong;
    return 'The gateway can’t be reached. Is it running?';
  }
}

/**
 * Ends the session in this browser, and loads the page anew: nothing of the conversations stays behind the form. Where the
 * gateway can't be reached, the cookie stays, which is worth nothing without the page's key.
 */
export async function signOut(): Promise<void> {
  const signal = AbortSignal.timeout(3000);
  await fetch('/v1/page-session', { method: 'DELETE', headers: pageHeaders(), signal }).catch(
    () => undefined,
  );
  keepPageKey('');
  forgetConversations();
}

function forgetConversations(): void {
  try {
    // What was typed, and what was not sent yet.
    sessionStorage.clear();
  } catch {
    // Where it is forbidden, nothing was kept.
  }
  location.reload();
}

/** The session is the browser's: what another tab does about it counts here too. */
export function watchOtherTabs(): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== keyName) return;
    // Only who signs out takes it away.
    session.set(newValue === null ? 'closed' : 'open');
    if (newValue === null) forgetConversations();
  });
}

/** Asks the gateway whether there is a session. */
export async function findSession(): Promise<void> {
  try {
    const response = await fetch('/v1/channels?limit=1', { headers: pageHeaders() });
    session.set(response.status === 401 ? 'closed' : 'open');
  } catch {
    // The views say that they can't reach the gateway, and try again.
    session.set('open');
  }
}
