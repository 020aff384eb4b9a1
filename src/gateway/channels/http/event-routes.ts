import type { StoredEvent } from '../../../store/rows.js';
import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';
import { checkWait } from './check-parameters.js';
import { HttpProblem } from './problem.js';
import { representEvent } from './represent.js';
import { waitLimit } from './wait-limit.js';

export function addEventRoutes(app: HttpApp, { gateway, stopping }: RouteOptions): void {
  addRoute(app, '/v1/events/:eventId', {
    GET: async (c) => {
      const eventId = c.req.param('eventId');
      const waitMs = checkWait(c.req.query('wait'));
      const limit = waitLimit(waitMs, [stopping, c.req.raw.signal]);
      try {
        const event =
          waitMs === 0 ? await gateway.event(eventId) : await gateway.waitForEnd(eventId, limit.signal);
        if (event?.removed) throw gone(event);
        if (event !== undefined) return c.json(representEvent(event));
      } finally {
        limit.release();
      }
      throw new HttpProblem('not_found', `There is no event ${JSON.stringify(eventId.slice(0, 160))}.`);
    },
  });
}

function gone({ id, state, endedAt = 0 }: StoredEvent): HttpProblem {
  const end = `It ended as ${state} at ${new Date(endedAt).toISOString()}`;
  return new HttpProblem('gone', `The event ${id} is no longer kept (RETENTION_DAYS). ${end}.`);
}
