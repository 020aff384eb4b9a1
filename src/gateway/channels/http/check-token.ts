import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { HttpProblem } from './problem.js';

/** The token is checked before everything else: who has none learns nothing, not even which paths there are. */
export function checkToken(token: string): MiddlewareHandler {
  const isRight = tokenCheck(token);
  return async (c, next) => {
    const header = c.req.header('Authorization');
    if (isRight(header)) return next();
    throw new HttpProblem(
      'unauthorized',
      header === undefined
        ? 'A token is needed: send the header "Authorization: Bearer <token>", with HTTP_TOKEN or the content of the http-token file in the data directory.'
        : 'The token is wrong: send "Authorization: Bearer <token>", with HTTP_TOKEN or the content of the http-token file in the data directory.',
      { headers: { 'WWW-Authenticate': 'Bearer' } },
    );
  };
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
