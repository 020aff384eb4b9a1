import { waitLimit } from '../../../core/wait-limit.js';
import type { StoredEvent } from '../../../store/rows.js';
import type { GatewayFace } from '../types.js';
import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';
import { checkWait } from './check-parameters.js';
import { HttpProblem } from './problem.js';
import { representEvent, representTurn } from './represent.js';
import type { CancelledView, TurnsView } from './wire.js';

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
      throw unknown(eventId);
    },
  });

  addRoute(app, '/v1/events/:eventId/turns', {
    GET: async (c) => {
      const { id } = await find(gateway, c.req.param('eventId'));
      const turns = (await gateway.reports.turns(id)) ?? [];
      return c.json({
        turns: turns.map((turn) => ({ ...representTurn(turn), events: turn.events })),
      } satisfies TurnsView);
    },
  });

  addRoute(app, '/v1/events/:eventId/cancel', {
    POST: async (c) => {
      const { id } = await find(gateway, c.req.param('eventId'));
      const cancelled = await gateway.cancel(id);
      const { state } = await find(gateway, id);
      return c.json({ cancelled, state } satisfies CancelledView);
    },
  });
}

async function find(gateway: GatewayFace, eventId: string): Promise<StoredEvent> {
  const event = await gateway.event(eventId);
  if (event === undefined) throw unknown(eventId);
  if (event.removed) throw gone(event);
  return event;
}

function unknown(eventId: string): HttpProblem {
  return new HttpProblem('not_found', `There is no event ${JSON.stringify(eventId.slice(0, 160))}.`);
}

function gone({ id, state, endedAt = 0 }: StoredEvent): HttpProblem {
  const end = `It ended as ${state} at ${new Date(endedAt).toISOString()}`;
  return new HttpProblem('gone', `The event ${id} is no longer kept (RETENTION_DAYS). ${end}.`);
}
