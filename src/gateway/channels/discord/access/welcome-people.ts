import type { PairedPerson } from '../../../../store/discord/people.js';
import { DiscordProblem } from '../discord-api.js';
import { idAt } from '../snowflake.js';
import type { AccessParts } from './access.js';
import { welcome } from './words.js';

/** Tells those who were approved since, and takes up what they wrote before. Rejects if Discord can't be reached. */
export async function welcomePeople(
  parts: Pick<AccessParts, 'api' | 'store' | 'log' | 'takeUp' | 'now' | 'botId'>,
): Promise<void> {
  const { api, store, log, takeUp } = parts;
  for (const person of await store.discordUnwelcomed()) {
    const { userId, channelId, messageId } = person;
    try {
      // A message that was taken up before a crash is known by its id: it is not answered twice.
      const takenUp = takeUp !== undefined && (await takeUp(channelId, messageId));
      if (!(await wasWelcomed(parts, person)))
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

/** A former gateway may have told him and died. Discord knows the nonce for a few minutes only: later, the history is looked at. */
async function wasWelcomed(
  { api, botId, now = Date.now }: Pick<AccessParts, 'api' | 'botId' | 'now'>,
  { channelId, pairedAt }: PairedPerson,
): Promise<boolean> {
  if (Math.abs(now() - pairedAt) < nonceTrustedMs) return false;
  const messages = await api.messages(channelId, { after: idAt(pairedAt - clockSkewMs), limit: 100 });
  const words = [true, false].map(welcome);
  return messages.some(({ author, content }) => author.id === botId() && words.includes(content));
}

const nonceTrustedMs = 60_000;
/** Our clock and Discord's may differ by that. */
const clockSkewMs = 60_000;

/** Discord has refused it for good: the person has closed his direct messages, for example. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof DiscordProblem)) return false;
  const { status = 0 } = error;
  return status >= 400 && status < 500 && status !== 401 && status !== 429;
}
