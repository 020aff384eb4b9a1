import { createHash } from 'node:crypto';
import type { DiscordApi } from './discord-api.js';
import { splitAnswer } from './split-answer.js';
import { channelIdOf, type Deliver } from './types.js';

/** Sends the pieces one after the other. Within Discord's window a nonce keeps a piece from being there twice. */
export function plainDeliver(api: DiscordApi): Deliver {
  return async ({ id, message }) => {
    const { pieces } = splitAnswer(message.text);
    for (const [index, content] of pieces.entries()) {
      const nonce = createHash('sha256').update(`${id} ${index}`).digest('hex').slice(0, 25);
      const body = { content, nonce, enforce_nonce: true, allowed_mentions: { parse: [] } };
      await api.send(channelIdOf(message.channel), body);
    }
  };
}
