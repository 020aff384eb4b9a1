import * as z from 'zod';
import type { GatewayFace } from '../types.js';
import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';
import { HttpProblem } from './problem.js';
import { objectExpected, readBody } from './read-body.js';
import { representPermission } from './represent.js';
import { representPending, representQuestion } from './represent-pending.js';
import type { PermissionsView } from './wire.js';

const decisionBody = z.strictObject(
  {
    decision: z.enum(['allow', 'allow_always', 'deny'], '"allow", "allow_always" or "deny" is expected'),
    message: z.string('a text is expected').max(10_000, 'at most 10000 characters are expected').optional(),
  },
  objectExpected,
);

export function addPermissionRoutes(app: HttpApp, { gateway, maxBodyBytes }: RouteOptions): void {
  addRoute(app, '/v1/permissions', {
    GET: async (c) => {
      const pending = await gateway.pendingPermissions();
      const permissions = await representPending(gateway, pending);
      return c.json({ permissions } satisfies PermissionsView);
    },
  });

  addRoute(app, '/v1/permissions/:id', {
    GET: async (c) => {
      const id = c.req.param('id');
      const known = await gateway.permission(id);
      if (known === undefined) throw await whyNotPending(gateway, id);
      return c.json(
        known.state === 'pending' ? await representQuestion(gateway, known) : representPermission(known),
      );
    },

    POST: async (c) => {
      const id = c.req.param('id');
      const { decision, message } = await readBody(c.req.raw, decisionBody, maxBodyBytes);
      const decided = await gateway.decide(id, decision, message);
      if (decided === undefined) throw await whyNotPending(gateway, id);
      return c.json(representPermission(decided));
    },
  });
}

async function whyNotPending(gateway: GatewayFace, id: string): Promise<HttpProblem> {
  const shown = JSON.stringify(id.slice(0, 160));
  const known = await gateway.permission(id);
  switch (known?.state) {
    case 'decided':
      return new HttpProblem('conflict', `The permission request ${shown} was decided: ${known.decision}.`);
    case 'void':
      return new HttpProblem(
        'conflict',
        `The permission request ${shown} is void: its turn has ended, or asks anew.`,
      );
    default:
      return new HttpProblem('not_found', `There is no permission request ${shown} pending.`);
  }
}
