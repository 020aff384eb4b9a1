import type { Context, MiddlewareHandler } from 'hono';
import type { HttpEnv, RouteOptions } from './add-route.js';
import { tellsOrigin } from './check-origin.js';
import { tooMany } from './limit-requests.js';
import { PageSessions } from './page-session.js';
import { HttpProblem } from './problem.js';
import { RateLimit } from './rate-limit.js';
import { cookieOf, pageKeyHeader, pageKeyOf, safeMethods, tokenCheck } from './sender-check.js';

const wrongTokensPerMinute = 20;

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
  const cookie = cookieOf(c, sessions);
  if (cookie === undefined) throw unauthorized('A token is needed');
  if (!sessions.isKeyOf(cookie, pageKeyOf(c))) {
    throw unauthorized(
      `The cookie alone is not enough: the page's key is missing in ${pageKeyHeader}, or wrong`,
    );
  }
  // Every browser of the last years says where such a request comes from.
  if (!safeMethods.includes(c.req.method) && !tellsOrigin((name) => c.req.header(name))) {
    throw new HttpProblem('forbidden', 'With a cookie such a request needs its Origin.');
  }
}

function unauthorized(what: string): HttpProblem {
  const message = `${what}: send the header "Authorization: Bearer <token>", with HTTP_TOKEN or the content of the http-token file in the data directory.`;
  return new HttpProblem('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
