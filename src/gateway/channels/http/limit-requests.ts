import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from './add-route.js';
import { HttpProblem } from './problem.js';
import { RateLimit } from './rate-limit.js';

/** Answers an address that sends more requests with 429. 0 means as many as it likes. */
export function limitRequests(perMinute: number): MiddlewareHandler<HttpEnv> {
  const limit = new RateLimit(perMinute);
  return async (c, next) => {
    const wait = perMinute === 0 ? 0 : limit.take(c.env.incoming.socket.remoteAddress);
    if (wait === 0) return next();
    throw tooMany(`More than ${perMinute} requests a minute came from this address`, wait);
  };
}

export function tooMany(what: string, seconds: number): HttpProblem {
  return new HttpProblem('too_many_requests', `${what}. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
}
