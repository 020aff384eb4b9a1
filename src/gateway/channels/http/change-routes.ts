import * as z from 'zod';
import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';
import { checkChannel, checkChoice } from './check-parameters.js';
import { objectExpected, readBody } from './read-body.js';
import type { ChangedFileView, ChangesView, RevertedView } from './wire.js';

const revertBody = z.strictObject(
  {
    scope: z.enum(['turn', 'conversation'], '"turn" or "conversation" is expected'),
    path: z.string('the path of a file is expected').min(1, 'the path of a file is expected').max(4096),
    force: z.boolean('true or false is expected').optional(),
    shown: z.string('the `shown` of the file is expected').max(100).optional(),
  },
  objectExpected,
);

/** What the turns of a channel have changed in its work tree. */
export function addChangeRoutes(app: HttpApp, { gateway, maxBodyBytes }: RouteOptions): void {
  addRoute(app, '/v1/channels/:id/changes', {
    GET: async (c) => {
      const channel = checkChannel(c.req.param('id'));
      const scope = checkChoice('scope', c.req.query('scope'), ['turn', 'conversation']);
      const { reason, files } = await gateway.changes.list(channel, scope, c.req.raw.signal);
      return c.json({
        scope,
        ...(reason === undefined ? {} : { reason }),
        files: files.map(({ diff, ...file }): ChangedFileView => {
          return { ...file, ...(diff === undefined ? {} : { diff }) };
        }),
      } satisfies ChangesView);
    },
  });

  addRoute(app, '/v1/channels/:id/changes/revert', {
    POST: async (c) => {
      const channel = checkChannel(c.req.param('id'));
      const { force = false, ...body } = await readBody(c.req.raw, revertBody, maxBodyBytes);
      await gateway.changes.revert(channel, { ...body, force }, c.req.raw.signal);
      return c.json({ reverted: true } satisfies RevertedView);
    },
  });
}
