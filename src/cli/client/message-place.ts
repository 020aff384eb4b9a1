import type { MessageView } from '../../gateway/channels/http/wire.js';
import type { GatewayClient } from './gateway-client.js';

type Reader = Pick<GatewayClient, 'messages'>;

/**
 * The last message of a channel that was shown. A database that was restored from a backup counts other messages by the same
 * numbers; there its time says what was shown.
 */
export class MessagePlace {
  #id = 0;
  #at = '';

  saw({ id, createdAt }: Pick<MessageView, 'id' | 'createdAt'>): void {
    this.#id = Number(id);
    this.#at = createdAt;
  }

  isBehind({ id }: MessageView): boolean {
    return Number(id) <= this.#id;
  }

  /** The messages that were not shown yet, oldest first; each counts as shown when the next one is asked for. */
  async *unseen(client: Reader, channel: string): AsyncGenerator<MessageView, void, undefined> {
    for (let more = true; more; ) {
      const { messages, next } = await client.messages(channel, { after: String(this.#id), limit: 200 });
      for (const message of messages) {
        this.saw(message);
        yield message;
      }
      more = next !== undefined;
    }
  }

  /** The stream was reset: looks for the place in what the gateway has now. True if it counts other messages than before. */
  async find(client: Reader, channel: string): Promise<boolean> {
    if (this.#id === 0) return false;
    const { messages } = await client.messages(channel, { after: String(this.#id - 1), limit: 1 });
    if (messages[0]?.id === String(this.#id) && messages[0].createdAt === this.#at) return false;
    this.#id = await this.#lastKnown(client, channel);
    return true;
  }

  async #lastKnown(client: Reader, channel: string): Promise<number> {
    let before: string | undefined;
    for (;;) {
      const { messages } = await client.messages(channel, { before, limit: 200 });
      const known = messages.findLast(({ createdAt }) => createdAt <= this.#at);
      if (known !== undefined) return Number(known.id);
      if (messages.length === 0) return 0;
      before = messages[0]?.id;
    }
  }
}

/** For whoever reads on after `find` has returned true. */
export const countsAnew =
  "the gateway's history is another one now (a backup was restored, or old messages were removed): going on with what is new";
