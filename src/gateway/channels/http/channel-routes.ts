import * as z from 'zod';
import { isShortage } from '../../../core/errors.js';
import { StoreError } from '../../../store/errors.js';
import type { StoredMessage } from '../../../store/rows.js';
import type { GatewayFace, Receipt } from '../types.js';
import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';
import { checkChannel, checkIdempotencyKey, checkPage } from './check-parameters.js';
import { shortageProblem, storeProblem } from './problem.js';
import { readBody } from './read-body.js';
import { representMessage, representReceipt } from './represent.js';

export const httpSource = 'http';

/** A lone half of a surrogate pair is no text: it would come out of the store as something else. */
const wholeText = z
  .string('a text is expected')
  .refine((text) => !/\p{Surrogate}/u.test(text), 'it holds half of a surrogate pair, which is no text');

const messageBody = z.strictObject(
  {
    text: wholeText.refine((text) => text.trim() !== '', 'it is blank'),
    author: wholeText
      .refine((name) => name.trim() !== '' && name.length <= 256, '1 to 256 characters are expected')
      .optional(),
    queueMode: z.enum(['queue', 'interrupt', 'steer'], 'queue, interrupt or steer is expected').optional(),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'a JSON object is expected' : undefined) },
);

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
      const page = checkPage(c.req.query('limit'), c.req.query('after'));
      const { messages, next } = await readPage(gateway, channel, page);
      return c.json({
        messages: messages.map(representMessage),
        ...(next === undefined ? {} : { next: String(next) }),
      });
    },
  });

  addRoute(app, '/v1/channels/:id/interrupt', {
    POST: async (c) => c.json({ interrupted: await gateway.interrupt(checkChannel(c.req.param('id'))) }),
  });
}

/** A page ends early after so much text: 500 of the longest messages don't fit into one answer. */
const maxPageCharacters = 4 * 1024 * 1024;
const readAtOnce = 25;

/** `next` is the last message's id when there are more behind it. */
async function readPage(
  gateway: GatewayFace,
  channel: string,
  { limit, after = 0 }: { readonly limit: number; readonly after?: number },
): Promise<{ readonly messages: readonly StoredMessage[]; readonly next?: number }> {
  const messages: StoredMessage[] = [];
  let last = after;
  let characters = 0;
  for (;;) {
    // A message beyond the limit tells that there are more.
    const asked = Math.min(readAtOnce, limit + 1 - messages.length);
    const some = await gateway.messages(channel, { after: last, limit: asked });
    for (const message of some) {
      if (messages.length >= limit || characters >= maxPageCharacters) return { messages, next: last };
      messages.push(message);
      characters += message.text.length;
      last = message.id;
    }
    if (some.length < asked) return { messages };
  }
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
