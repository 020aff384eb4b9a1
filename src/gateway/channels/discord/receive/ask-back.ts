import type { Log } from '../../../../config/log.js';
import type { DiscordApi } from '../discord-api.js';
import { timeOf } from '../snowflake.js';
import { channelOf } from '../types.js';
import type { FoundPlace } from './find-place.js';
import type { DiscordMessage } from './read-message.js';

export interface AskBackParts {
  readonly api: Pick<DiscordApi, 'send'>;
  readonly log: Log;
  readonly now: () => number;
}

/** Within the time for which Discord knows a nonce. Whoever has waited for longer has written more by now. */
const withinMs = 2 * 60_000;

/** Answers a message in which there is nothing but a mention: that needs no agent. Never rejects. */
export async function askBack(
  { api, log, now }: AskBackParts,
  { id, channel_id: channelId }: DiscordMessage,
  { isOurs }: FoundPlace,
): Promise<void> {
  if (now() - timeOf(id) > withinMs) return;
  try {
    await api.send(channelId, {
      content: isOurs ? question : `${question} ${howToMention}`,
      message_reference: { message_id: id, fail_if_not_exists: false },
      allowed_mentions: { parse: [] },
      // The event may come twice.
      nonce: `ask${id}`.slice(0, 25),
      enforce_nonce: true,
    });
  } catch (error) {
    log.warn('a mention without words could not be answered', { channel: channelOf(channelId), error });
  }
}

const question = 'What can I do for you?';
const howToMention =
  'Write it together with the mention, or mention me in a reply to the message that I should look at.';
