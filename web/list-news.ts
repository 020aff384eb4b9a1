import type { ChannelView } from '../src/gateway/channels/http/wire.js';
import { notify } from './attention.js';
import { channels } from './channels.js';
import { firstWords, plainWords } from './in-words.js';

/** What has come up in a conversation that need not be the one in sight. */
export interface News {
  readonly type: 'question' | 'ended';
  readonly channel: ChannelView;
}

/** What two lists of conversations tell, one read after the other. The first list of all tells nothing. */
export function newsOf(
  before: readonly ChannelView[] | undefined,
  now: readonly ChannelView[] | undefined,
): readonly News[] {
  if (before === undefined || now === undefined) return [];
  const known = new Map(before.map((channel) => [channel.channel, channel]));
  return now.flatMap((channel): News[] => {
    const was = known.get(channel.channel);
    if (channel.permissions > (was?.permissions ?? 0)) return [{ type: 'question', channel }];
    const isDone = !channel.running && channel.waiting === 0;
    const wasBusy = was !== undefined && (was.running || was.waiting > 0);
    // A message that was only cancelled leaves nothing behind.
    return isDone && wasBusy && channel.messages > was.messages && !channel.silent
      ? [{ type: 'ended', channel }]
      : [];
  });
}

/**
 * Tells of them, if nobody looks at the page. The conversation whose stream is open here (`told`) tells of itself, at once and
 * in more words. Returns how to end that.
 */
export function watchNews(told: () => string | undefined): () => void {
  let before = channels.value;
  return channels.watch(() => {
    const now = channels.value;
    for (const news of newsOf(before, now)) if (news.channel.channel !== told()) tell(news);
    before = now;
  });
}

function tell({ type, channel: { channel, title, lastText = '' } }: News): void {
  if (type === 'question') void notify('question', channel, 'An agent needs your answer', title);
  else void notify('answer', channel, title, firstWords(plainWords(lastText), 160));
}
