import * as z from 'zod';
import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';
import { checkChannel } from './check-parameters.js';
import { objectExpected, readBody } from './read-body.js';
import { iso } from './represent.js';
import type { ResumedView, SessionsView } from './wire.js';

const word = (what: string) =>
  z
    .string(`${what} is expected`)
    .min(1, `${what} is expected`)
    .max(512, 'at most 512 characters are expected');

const resumeBody = z.strictObject(
  { backend: word('the name of a backend'), sessionId: word('the id of a session') },
  objectExpected,
);

/** The CLIs' own sessions, to go on with. */
export function addSessionRoutes(app: HttpApp, { gateway, maxBodyBytes }: RouteOptions): void {
  addRoute(app, '/v1/channels/:id/sessions', {
    GET: async (c) => {
      const { cwd, sessions, problems } = await gateway.vendorSessions.list(checkChannel(c.req.param('id')));
      return c.json({
        cwd,
        sessions: sessions.map((session) => ({ ...session, updatedAt: iso(session.updatedAt) })),
        problems,
      } satisfies SessionsView);
    },
  });

  addRoute(app, '/v1/channels/:id/session', {
    POST: async (c) => {
      const channel = checkChannel(c.req.param('id'));
      const { backend, sessionId } = await readBody(c.req.raw, resumeBody, maxBodyBytes);
      await gateway.vendorSessions.resume(channel, backend, sessionId);
      return c.json({ resumed: true } satisfies ResumedView);
    },
  });
}
