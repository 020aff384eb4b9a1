import { parsePosition, printPosition } from '../feed-position.js';
import type { FeedEntry, GatewayFace } from '../types.js';
import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';
import { checkChannel } from './check-parameters.js';
import { eventStream, type ServerSentEvent } from './event-stream.js';
import { HttpProblem } from './problem.js';
import { representMessage, representStatus, representTurn } from './represent.js';
import { representPending } from './represent-pending.js';

/** A client that was cut off comes back after this time. */
const retryMs = 1000;

/** What happens in a channel as server-sent events; `wire.ts` lists them. */
export function addFeedRoutes(app: HttpApp, { gateway, stopping, log }: RouteOptions): void {
  addRoute(app, '/v1/channels/:id/events', {
    GET: (c) => {
      const channel = checkChannel(c.req.param('id'));
      // A browser repeats the address when it connects again: the header is the newer of the two.
      const from = checkPosition(c.req.header('Last-Event-ID') ?? c.req.query('after'));
      const others = checkFlag('others', c.req.query('others'));
      if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' });
      const follow = (signal: AbortSignal) =>
        printed(gateway.follow(channel, { from, others, signal }), gateway);
      const onFailure = (error: unknown) =>
        log.error('a stream of events was broken off', { channel, error });
      return eventStream(c, stopping, follow, { retryMs, onFailure });
    },
  });
}

/**
 * No generator: one that waits for the next entry still holds the last one, for each of its readers, and that may be an
 * answer of megabytes.
 */
function printed(entries: AsyncIterable<FeedEntry>, gateway: GatewayFace): AsyncIterable<ServerSentEvent> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = entries[Symbol.asyncIterator]();
      return {
        next: async () => {
          const found = await iterator.next();
          return found.done === true ? found : { done: false, value: await print(found.value, gateway) };
        },
        return: async () => {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

async function print(entry: FeedEntry, gateway: GatewayFace): Promise<ServerSentEvent> {
  switch (entry.type) {
    case 'chat': {
      const { event, turnId } = entry;
      return { data: { ...event, turnId }, id: printPosition(entry.position) };
    }
    case 'turn':
      return { event: 'turn', data: representTurn(entry.turn), id: printPosition(entry.position) };
    case 'message':
      return { event: 'said', data: representMessage(entry.message), id: printPosition(entry.position) };
    case 'status': {
      const permissions = await representPending(gateway, entry.status.permissions);
      return { event: 'state', data: representStatus(entry.status, permissions) };
    }
    case 'others':
      return { event: 'channels', data: { channels: entry.channels } };
    case 'reset':
      return { event: 'reset', data: {}, id: printPosition(entry.position) };
  }
}

function checkPosition(text: string | undefined) {
  if (text === undefined || text === '') return undefined;
  const position = parsePosition(text);
  if (position !== undefined) return position;
  const shown = JSON.stringify(text.slice(0, 80));
  throw new HttpProblem('bad_request', `${shown} is no id of an event of this stream: leave it out.`);
}

function checkFlag(name: string, value: string | undefined): boolean {
  if (value === undefined || value === '' || value === '0') return false;
  if (value === '1') return true;
  throw new HttpProblem('bad_request', `${name}: 1 or 0 is expected.`);
}
