import { DiscordProblem } from '../discord-api.js';
import type { AccessParts } from './access.js';
import { welcome } from './words.js';

/** Tells those who were approved since, and takes up what they wrote before. Rejects if Discord can't be reached. */
export async function welcomePeople(
  parts: Pick<AccessParts, 'api' | 'store' | 'log' | 'takeUp'>,
): Promise<void> {
  const { api, store, log, takeUp } = parts;
  for (const { userId, channelId, messageId } of await store.discordUnwelcomed()) {
    try {
      // A message that was taken up before a crash is known by its id: it is not answered twice.
      const takenUp = takeUp !== undefined && (await takeUp(channelId, messageId));
      await api.send(channelId, {
        content: welcome(takenUp),
        allowed_mentions: { parse: [] },
        nonce: `pair${messageId}`.slice(0, 25),
        enforce_nonce: true,
      });
    } catch (error) {
      if (!isFinal(error)) throw error;
      log.warn('somebody could not be told of being approved', { user: userId, error });
    }
    await store.discordWelcomed(userId);
  }
}

/** Discord has refused it for good: the person has closed his direct messages, for example. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof DiscordProblem)) return false;
  const { status = 0 } = error;
  return status >= 400 && status < 500 && status !== 401 && status !== 429;
}
