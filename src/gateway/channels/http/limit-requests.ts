import type { Context, MiddlewareHandler } from 'hono';
import type { HttpEnv, RouteOptions } from './add-route.js';
import { HttpProblem } from './problem.js';
import { RateLimit } from './rate-limit.js';
import { senderCheck } from './sender-check.js';

/**
 * Answers an address that sends more requests with 429. 0 means as many as it likes. Who has the token or a session of the
 * page has an allowance of its own: all users of a machine come from 127.0.0.1, and one without the token must not lock the
 * others out. To tell them apart takes some microseconds. The page's files have a third one: a browser asks for them without
 * its session, and neither may somebody who is turned away lose the page, nor one who loads it often lose anything else.
 */
export function limitRequests({
  token,
  maxRequestsPerMinute: perMinute,
  page,
}: Pick<RouteOptions, 'token' | 'maxRequestsPerMinute' | 'page'>): MiddlewareHandler<HttpEnv> {
  const isKnown = senderCheck(token);
  const limits = {
    known: new RateLimit(perMinute),
    unknown: new RateLimit(perMinute),
    pageFiles: new RateLimit(perMinute),
  };
  const limitOf = (c: Context<HttpEnv>) => {
    if (page?.files?.has(c.req.path)) return limits.pageFiles;
    return isKnown(c) ? limits.known : limits.unknown;
  };
  return async (c, next) => {
    if (perMinute === 0) return next();
    const wait = limitOf(c).take(c.env.incoming.socket.remoteAddress);
    if (wait === 0) return next();
    throw tooMany(`More than ${perMinute} requests a minute came from this address`, wait);
  };
}

export function tooMany(what: string, seconds: number): HttpProblem {
  return new HttpProblem('too_many_requests', `${what}. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
}
