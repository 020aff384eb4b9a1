import { newestMessages } from '../../core/seeded-prompt.js';
import type { ConversationMessage, StoredSession } from '../../store/rows.js';
import type { Store } from '../../store/store.js';

export { seededPrompt } from '../../core/seeded-prompt.js';

/** The messages that an agent is given of a conversation that it was not part of. */
export interface Seed {
  readonly messages: readonly ConversationMessage[];
}

const maxMessages = 60;

/**
 * The part of the channel's conversation that a session has not seen, newest last: what came before event `beforeSeq`,
 * less the events that are about to be said again.
 */
export async function readSeed(
  store: Pick<Store, 'conversation'>,
  channel: string,
  session: StoredSession | undefined,
  { beforeSeq, without = [] }: { readonly beforeSeq: number; readonly without?: readonly string[] },
): Promise<Seed> {
  const messages = await store.conversation(channel, { after: session?.seen, beforeSeq, limit: maxMessages });
  return { messages: newestMessages(messages.filter(({ eventId = '' }) => !without.includes(eventId))) };
}
