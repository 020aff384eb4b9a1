import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import type { HttpEnv } from './add-route.js';
import { PageSessions } from './page-session.js';
import { sessionCookies } from './session-cookie.js';

/** The page sends its half of the session in this header; an EventSource, which has no headers, as `?pageKey=`. */
export const pageKeyHeader = 'X-Turnout-Page';

export const safeMethods: readonly string[] = ['GET', 'HEAD'];

/** Tells whether a request holds the token, or both halves of a session of the page. */
export function senderCheck(token: string): (c: Context<HttpEnv>) => boolean {
  const isRight = tokenCheck(token);
  const sessions = new PageSessions(token);
  return (c) => {
    const header = c.req.header('Authorization');
    if (header !== undefined) return isRight(header);
    const cookie = cookieOf(c, sessions);
    return cookie !== undefined && sessions.isKeyOf(cookie, pageKeyOf(c));
  };
}

/** Each one costs a digest, and everybody can send hundreds. */
const mostCookies = 20;

export function cookieOf(c: Context<HttpEnv>, sessions: PageSessions): string | undefined {
  return sessionCookies(c.req.header('Cookie'), c.req.header('Host'))
    .slice(0, mostCookies)
    .find((value) => sessions.isCookie(value));
}

export function pageKeyOf(c: Context<HttpEnv>): string {
  const isSafe = safeMethods.includes(c.req.method);
  return c.req.header(pageKeyHeader) ?? (isSafe ? c.req.query('pageKey') : undefined) ?? '';
}

/** Tells whether an Authorization header holds the token. */
export function tokenCheck(token: string): (header: string | undefined) => boolean {
  const expected = digest(token);
  return (header) => {
    const given = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
    // Digests have one length: neither it nor the time tells how much of a guess was right.
    return given !== undefined && timingSafeEqual(digest(given), expected);
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
