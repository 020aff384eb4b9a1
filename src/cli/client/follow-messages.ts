import { resolve } from 'node:path';
import type { MessageView } from '../../gateway/channels/http/wire.js';
import { onEndingSignal } from '../ending-signals.js';
import type { Terminal } from '../terminal.js';
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
  home: string | undefined,
  terminal: Terminal,
): Promise<FollowedMessages> {
  const choice = home === undefined ? {} : { home: resolve(home) };
  const { locate } = chooseGateway(choice, process.env);
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
  try {
    for await (const entry of client.follow(channel, { signal: stop.signal })) {
      if (entry.type === 'said' && Number(entry.message.id) > last) {
        last = Number(entry.message.id);
        yield entry.message;
      } else if (entry.type === 'connected' || entry.type === 'lost') tellConnection(entry, terminal);
      // What was said before the stream began, or is missing in it.
      const mayMiss = entry.type === 'reset' || (entry.type === 'connected' && !entry.again);
      if (!mayMiss) continue;
      for (let page = await client.messages(channel, { after: String(last), limit: 200 }); ; ) {
        for (const message of page.messages) {
          last = Number(message.id);
          yield message;
        }
        if (page.next === undefined || stop.signal.aborted) break;
        page = await client.messages(channel, { after: page.next, limit: 200 });
      }
    }
  } finally {
    release();
  }
}
