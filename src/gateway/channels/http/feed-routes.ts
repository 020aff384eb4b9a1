import type { ChatEvent } from '../../../core/chat-event.js';
import { parsePosition, printPosition } from '../feed-position.js';
import type { ChannelStatus, FeedEntry, GatewayFace } from '../types.js';
import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';
import { checkChannel } from './check-parameters.js';
import { eventStream, type ServerSentEvent, SharedData } from './event-stream.js';
import { PrintedOnce } from './printed-once.js';
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

const chatEvents = new PrintedOnce<ChatEvent>();
/** All readers of a channel share its status until something changes. */
const statuses = new WeakMap<ChannelStatus, Promise<SharedData>>();

async function printStatus(status: ChannelStatus, gateway: GatewayFace): Promise<SharedData> {
  const permissions = await representPending(gateway, status.permissions);
  return new SharedData(Buffer.from(JSON.stringify(representStatus(status, permissions))));
}

async function print(entry: FeedEntry, gateway: GatewayFace): Promise<ServerSentEvent> {
  switch (entry.type) {
    case 'chat': {
      const { event, turnId } = entry;
      const data = chatEvents.print(event, () => ({ ...event, turnId }));
      return { data, id: printPosition(entry.position) };
    }
    case 'turn':
      return { event: 'turn', data: representTurn(entry.turn), id: printPosition(entry.position) };
    case 'message':
      return { event: 'said', data: representMessage(entry.message), id: printPosition(entry.position) };
    case 'status': {
      const known = statuses.get(entry.status);
      const data = known ?? printStatus(entry.status, gateway);
      if (known === undefined) statuses.set(entry.status, data);
      return { event: 'state', data: await data };
    }
    case 'others':
      return { event: 'channels', data: { channels: entry.channels } };
    case 'start':
      return { id: printPosition(entry.position) };
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
