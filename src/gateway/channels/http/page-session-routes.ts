import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';
import { PageSessions } from './page-session.js';
import { HttpProblem } from './problem.js';
import { sessionCookie } from './session-cookie.js';
import type { PageSessionView } from './wire.js';

export function addPageSessionRoutes(app: HttpApp, { token }: RouteOptions): void {
  const sessions = new PageSessions(token);
  addRoute(app, '/v1/page-session', {
    POST: (c) => {
      // A session does not renew itself: who has had it once would have it for ever.
      if (c.get('authentication') !== 'token') {
        throw new HttpProblem('unauthorized', 'A session begins with the token: send it as a Bearer token.', {
          headers: { 'WWW-Authenticate': 'Bearer' },
        });
      }
      const { cookie, pageKey, expiresAt } = sessions.begin();
      c.header('Set-Cookie', sessionCookie(c.req.header('Host'), cookie, c.req.header('Origin')));
      const view: PageSessionView = { pageKey, expiresAt: new Date(expiresAt).toISOString() };
      return c.json(view, 201);
    },

    DELETE: (c) => {
      c.header('Set-Cookie', sessionCookie(c.req.header('Host'), '', c.req.header('Origin')));
      return c.body(null, 204);
    },
  });
}
