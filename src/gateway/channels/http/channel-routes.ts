import * as z from 'zod';
import { isShortage } from '../../../core/errors.js';
import { StoreError } from '../../../store/errors.js';
import type { GatewayFace, Receipt } from '../types.js';
import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';
import { checkChannel, checkIdempotencyKey, checkPage } from './check-parameters.js';
import { HttpProblem, shortageProblem, storeProblem } from './problem.js';
import { objectExpected, readBody, readOptionalBody } from './read-body.js';
import { readPage } from './read-page.js';
import { representMessage, representReceipt, representStatus } from './represent.js';
import { representPending } from './represent-pending.js';
import { isWholeText, notWholeText } from './whole-text.js';
import type { InterruptedView, MessagesView } from './wire.js';

export const httpSource = 'http';

const wholeText = z.string('a text is expected').refine(isWholeText, notWholeText);

const messageBody = z.strictObject(
  {
    text: wholeText.refine((text) => text.trim() !== '', 'it is blank'),
    author: wholeText
      .refine((name) => name.trim() !== '' && name.length <= 256, '1 to 256 characters are expected')
      .optional(),
    queueMode: z.enum(['queue', 'interrupt', 'steer'], 'queue, interrupt or steer is expected').optional(),
  },
  objectExpected,
);

const changeBody = z
  .strictObject(
    {
      title: wholeText
        .trim()
        .refine((title) => title !== '' && title.length <= 200, '1 to 200 characters, or null, are expected')
        // It is one line of a list, also in a terminal.
        .refine((title) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(title), 'control characters are not possible in it')
        .nullable()
        .optional(),
      archived: z.boolean('true or false is expected').optional(),
    },
    objectExpected,
  )
  .refine(
    ({ title, archived }) => title !== undefined || archived !== undefined,
    'title or archived is expected',
  );

const interruptBody = z.strictObject({ turnId: z.string('a text is expected').optional() }, objectExpected);

export function addChannelRoutes(app: HttpApp, { gateway, maxBodyBytes }: RouteOptions): void {
  addRoute(app, '/v1/channels/:id/messages', {
    POST: async (c) => {
      const channel = checkChannel(c.req.param('id'));
      const messageId = checkIdempotencyKey(c.req.header('Idempotency-Key'));
      const { text, author, queueMode } = await readBody(c.req.raw, messageBody, maxBodyBytes);
      const receipt = await orNotAccepted(
        gateway.receive({ channel, source: httpSource, text, messageId, author, queueMode }),
      );
      c.header('Location', `/v1/events/${encodeURIComponent(receipt.event.id)}`);
      if (receipt.repeated) c.header('Idempotency-Replayed', 'true');
      return c.json(representReceipt(receipt.event), 202);
    },

    GET: async (c) => {
      const channel = checkChannel(c.req.param('id'));
      const { limit, after, before } = c.req.query();
      const page = await readPage(gateway, channel, checkPage(limit, after, before));
      return c.json({ ...page, messages: page.messages.map(representMessage) } satisfies MessagesView);
    },
  });

  addRoute(app, '/v1/channels/:id', {
    GET: async (c) => {
      const status = await gateway.status(checkChannel(c.req.param('id')));
      return c.json(representStatus(status, await representPending(gateway, status.permissions)));
    },

    PATCH: async (c) => {
      const channel = checkChannel(c.req.param('id'));
      const change = await readBody(c.req.raw, changeBody, maxBodyBytes);
      if (change.archived) await refuseBusy(gateway, channel);
      if (!(await gateway.changeListing(channel, change))) {
        throw new HttpProblem(
          'not_found',
          `There is no channel ${channel}: it begins with its first message.`,
        );
      }
      const status = await gateway.status(channel);
      return c.json(representStatus(status, await representPending(gateway, status.permissions)));
    },
  });

  addRoute(app, '/v1/channels/:id/interrupt', {
    POST: async (c) => {
      const channel = checkChannel(c.req.param('id'));
      const { turnId } = (await readOptionalBody(c.req.raw, interruptBody, maxBodyBytes)) ?? {};
      return c.json({ interrupted: await gateway.interrupt(channel, { turnId }) } satisfies InterruptedView);
    },
  });
}

/** What waits for a person would be out of sight. */
async function refuseBusy(gateway: GatewayFace, channel: string): Promise<void> {
  const { running, waitingCount, permissions } = await gateway.status(channel);
  if (running === undefined && waitingCount === 0 && permissions.length === 0) return;
  const what = permissions.length > 0 ? 'a question waits' : running ? 'a turn runs' : 'messages wait';
  throw new HttpProblem(
    'conflict',
    `${channel} can't be archived: ${what} there. Stop it, or wait for its end.`,
  );
}

async function orNotAccepted(receipt: Promise<Receipt>): Promise<Receipt> {
  try {
    return await receipt;
  } catch (error) {
    if (error instanceof StoreError) throw storeProblem(error, 'The message was NOT accepted');
    if (isShortage(error)) throw shortageProblem(error, 'The message was NOT accepted');
    throw error;
  }
}
