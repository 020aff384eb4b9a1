import type { Health } from '../types.js';
import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';

/** These routes need no token: whoever watches learns how many, never what or who. */
export function addStatusRoutes(app: HttpApp, { gateway, log, stopping }: RouteOptions): void {
  addRoute(app, '/healthz', { GET: (c) => c.json({ status: 'ok' }) });

  addRoute(app, '/readyz', {
    GET: async (c) => {
      const { ready, problems } = await gateway.health().catch((error: unknown): Health => {
        log.error('the health check failed', { error });
        return { ready: false, problems: ['The health check failed; the log says why.'] };
      });
      if (stopping.aborted) return c.json({ ready: false, problems: [...problems, 'It is stopping.'] }, 503);
      return c.json({ ready, problems }, ready ? 200 : 503);
    },
  });

  addRoute(app, '/metrics', {
    GET: async (c) =>
      c.body(await gateway.metrics(), 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }),
  });
}
