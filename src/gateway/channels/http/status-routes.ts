import type { Health } from '../types.js';
import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';
import { tokenCheck } from './sender-check.js';

/**
 * These routes need no token: whoever watches learns how many, never what or who. The words of a problem may hold a path or
 * a system's error, so they are for those who have the token.
 */
export function addStatusRoutes(app: HttpApp, { gateway, log, stopping, token }: RouteOptions): void {
  const isRight = tokenCheck(token);
  addRoute(app, '/healthz', { GET: (c) => c.json({ status: 'ok' }) });

  addRoute(app, '/readyz', {
    GET: async (c) => {
      const health = await gateway.health().catch((error: unknown): Health => {
        log.error('the health check failed', { error });
        return { ready: false, problems: ['The health check failed; the log says why.'] };
      });
      const all = [...health.problems, ...(stopping.aborted ? ['It is stopping.'] : [])];
      const ready = health.ready && !stopping.aborted;
      const problems = isRight(c.req.header('Authorization'))
        ? all
        : all.slice(0, 1).map(() => untold(ready));
      return c.json({ ready, problems }, ready ? 200 : 503);
    },
  });

  addRoute(app, '/metrics', {
    GET: async (c) =>
      c.body(await gateway.metrics(), 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }),
  });
}

function untold(ready: boolean): string {
  return ready
    ? 'It is ready, but for something. With the token this says what.'
    : 'It is not ready. With the token this says why.';
}
