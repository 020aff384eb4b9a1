import { portInHost } from './own-hosts.js';
import { sessionSeconds } from './page-session.js';

/** Cookies ignore ports: with the port in its name, two gateways of one machine keep theirs apart. */
function cookieName(host: string | undefined): string {
  const port = portInHost(host ?? '');
  return port === undefined ? 'turnout' : `turnout-${port}`;
}

/** No Domain: it goes to this host alone. Without https a browser would not keep a `Secure` one. */
export function sessionCookie(host: string | undefined, value: string, origin: string | undefined): string {
  const secure = origin?.startsWith('https://') ? '; Secure' : '';
  const age = value === '' ? 0 : sessionSeconds;
  return `${cookieName(host)}=${value}; Path=/v1; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}

/** Every value of the cookie. There may be several: a server on another port can set one of the same name. */
export function sessionCookies(header: string | undefined, host: string | undefined): readonly string[] {
  const start = `${cookieName(host)}=`;
  return (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(start))
    .map((part) => part.slice(start.length));
}
