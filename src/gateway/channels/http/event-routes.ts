import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';
import { awaitEnding, waitLimit } from './await-ending.js';
import { checkWait } from './check-parameters.js';
import { HttpProblem } from './problem.js';
import { representEvent } from './represent.js';

export function addEventRoutes(app: HttpApp, { gateway, stopping }: RouteOptions): void {
  addRoute(app, '/v1/events/:eventId', {
    GET: async (c) => {
      const eventId = c.req.param('eventId');
      const waitMs = checkWait(c.req.query('wait'));
      const limit = waitLimit(waitMs, [stopping, c.req.raw.signal]);
      try {
        const event =
          waitMs === 0 ? await gateway.event(eventId) : await awaitEnding(gateway, eventId, limit.signal);
        if (event !== undefined) return c.json(representEvent(event));
      } finally {
        limit.release();
      }
      throw new HttpProblem('not_found', `There is no event ${JSON.stringify(eventId.slice(0, 160))}.`);
    },
  });
}
