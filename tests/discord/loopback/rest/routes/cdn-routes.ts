import type { Parts } from '../../parts.js';
import { ApiError } from '../api-error.js';
import type { Route } from '../route.js';

/** The server of attachments. An address is valid for a day, as its `ex` says: seconds in hexadecimal digits. */
export function cdnRoutes({ world, clock }: Parts): Route[] {
  return [
    {
      name: 'GET /attachments/:channel/:attachment/:name',
      open: true,
      run(call) {
        const messages = world.messagesOf(call.parameter('channel'));
        const file = messages
          .flatMap(({ attachments }) => attachments)
          .find(({ id }) => id === call.parameter('attachment'));
        const expired = Number.parseInt(call.query.get('ex') ?? '0', 16) * 1000 < clock.now();
        if (!file || expired) throw new ApiError(404, 0, 'This content is no longer available.');
        return { bytes: file.bytes, type: file.contentType };
      },
    },
  ];
}
