import { TurnoutError } from '../../core/errors.js';
import type { MessageView } from '../../gateway/channels/http/wire.js';
import { onEndingSignal } from '../command/ending-signals.js';
import type { Terminal } from '../output/terminal.js';
import { chooseGateway } from './find-gateway.js';
import { GatewayClient } from './gateway-client.js';
import { tellConnection } from './tell-connection.js';

export interface FollowedMessages {
  /** Those behind a message, by its number, each once and in their order, until a signal ends it. */
  after(last: number): AsyncIterable<MessageView>;
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
  return { after: (last) => messagesAfter(client, channel, last, terminal) };
}

async function* messagesAfter(
  client: GatewayClient,
  channel: string,
  from: number,
  terminal: Terminal,
): AsyncGenerator<MessageView> {
  const stop = new AbortController();
  const release = onEndingSignal(() => stop.abort());
  terminal.onUnwritable(() => stop.abort());
  let last = from;
  let mayMiss = true;
  try {
    for await (const entry of client.follow(channel, { signal: stop.signal, wasThere: true })) {
      if (entry.type === 'connected' || entry.type === 'lost') tellConnection(entry, terminal);
      if (entry.type === 'said' && !mayMiss && Number(entry.message.id) > last) {
        last = Number(entry.message.id);
        yield entry.message;
      }
      // What was said before the stream began, or is missing in it.
      if (entry.type === 'reset') mayMiss = true;
      for (; mayMiss && entry.type !== 'lost'; ) {
        const page = await client.messages(channel, { after: String(last), limit: 200 }).catch(noneYet);
        // The stream is lost then, too: it is read behind the next one.
        if (page === undefined) break;
        for (const message of page.messages) {
          last = Number(message.id);
          yield message;
        }
        mayMiss = page.next !== undefined;
      }
    }
  } finally {
    release();
  }
}

function noneYet(error: unknown): undefined {
  if (error instanceof TurnoutError && (error.code === 'network' || error.code === 'overloaded')) return;
  throw error;
}
