import { TurnoutError } from '../../core/errors.js';
import type { MessageView } from '../../gateway/channels/http/wire.js';
import { onEndingSignal } from '../command/ending-signals.js';
import type { Terminal } from '../output/terminal.js';
import { chooseGateway } from './find-gateway.js';
import { GatewayClient } from './gateway-client.js';
import { countsAnew, type MessagePlace } from './message-place.js';
import { tellConnection } from './tell-connection.js';

export interface FollowedMessages {
  /** Those behind a place, each once and in their order, until a signal ends it. */
  after(place: MessagePlace): AsyncIterable<MessageView>;
}

/** Rejects with `network` if no gateway is running. */
export async function followMessages(
  channel: string,
  home: string,
  terminal: Terminal,
): Promise<FollowedMessages> {
  const { locate } = chooseGateway({ home }, process.env);
  await locate();
  const client = new GatewayClient(locate);
  return { after: (place) => messagesAfter(client, channel, place, terminal) };
}

async function* messagesAfter(
  client: GatewayClient,
  channel: string,
  place: MessagePlace,
  terminal: Terminal,
): AsyncGenerator<MessageView> {
  const stop = new AbortController();
  const release = onEndingSignal(() => stop.abort());
  terminal.onUnwritable(() => stop.abort());
  let mayMiss = true;
  let isReset = false;
  try {
    for await (const entry of client.follow(channel, { signal: stop.signal, wasThere: true })) {
      if (entry.type === 'connected' || entry.type === 'lost') tellConnection(entry, terminal);
      if (entry.type === 'said' && !mayMiss && !place.isBehind(entry.message)) {
        place.saw(entry.message);
        yield entry.message;
      }
      // What was said before the stream began, or is missing in it.
      if (entry.type === 'reset') [mayMiss, isReset] = [true, true];
      if (!mayMiss || entry.type === 'lost') continue;
      try {
        if (isReset && (await place.find(client, channel))) terminal.say(countsAnew);
        isReset = false;
        yield* place.unseen(client, channel);
        mayMiss = false;
      } catch (error) {
        // The stream is lost then, too: it is read behind the next one.
        if (!mayPass(error)) throw error;
      }
    }
  } finally {
    release();
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof TurnoutError && (error.code === 'network' || error.code === 'overloaded');
}
