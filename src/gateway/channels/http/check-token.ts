import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import type { HttpEnv, RouteOptions } from './add-route.js';
import { tellsOrigin } from './check-origin.js';
import { tooMany } from './limit-requests.js';
import { PageSessions } from './page-session.js';
import { HttpProblem } from './problem.js';
import { RateLimit } from './rate-limit.js';
import { sessionCookies } from './session-cookie.js';

/** The page sends its half of the session in this header; an EventSource, which has no headers, as `?pageKey=`. */
export const pageKeyHeader = 'X-Turnout-Page';

const wrongTokensPerMinute = 20;
const safeMethods: readonly string[] = ['GET', 'HEAD'];

/**
 * Lets pass who has the token, or a session of the page. It is checked before anything else that belongs to the interface:
 * who has none learns nothing, not even which paths there are.
 */
export function checkToken({ token, log }: Pick<RouteOptions, 'token' | 'log'>): MiddlewareHandler<HttpEnv> {
  const isRight = tokenCheck(token);
  const sessions = new PageSessions(token);
  const wrongTokens = new RateLimit(wrongTokensPerMinute);
  return async (c, next) => {
    const header = c.req.header('Authorization');
    if (header !== undefined && isRight(header)) {
      c.set('authentication', 'token');
      return next();
    }
    if (header !== undefined) {
      const { remoteAddress } = c.env.incoming.socket;
      const wait = wrongTokens.take(remoteAddress);
      if (wait > 0) throw tooMany('Too many wrong tokens came from this address', wait);
      log.debug('a wrong token', { address: remoteAddress });
      throw unauthorized('The token is wrong');
    }
    checkPageSession(c, sessions);
    c.set('authentication', 'page');
    return next();
  };
}

/** Throws if the request has no session of the page. */
function checkPageSession(c: Context<HttpEnv>, sessions: PageSessions): void {
  const cookie = sessionCookies(c.req.header('Cookie'), c.req.header('Host')).find((value) =>
    sessions.isCookie(value),
  );
  if (cookie === undefined) throw unauthorized('A token is needed');
  const isSafe = safeMethods.includes(c.req.method);
  const pageKey = c.req.header(pageKeyHeader) ?? (isSafe ? c.req.query('pageKey') : undefined) ?? '';
  if (!sessions.isKeyOf(cookie, pageKey)) {
    throw unauthorized(
      `The cookie alone is not enough: the page's key is missing in ${pageKeyHeader}, or wrong`,
    );
  }
  // Every browser of the last years says where such a request comes from.
  if (!isSafe && !tellsOrigin((name) => c.req.header(name))) {
    throw new HttpProblem('forbidden', 'With a cookie such a request needs its Origin.');
  }
}

function unauthorized(what: string): HttpProblem {
  const message = `${what}: send the header "Authorization: Bearer <token>", with HTTP_TOKEN or the content of the http-token file in the data directory.`;
  return new HttpProblem('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
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
