import type { ChannelView } from '../../src/gateway/channels/http/wire.js';
import { useCell } from '../cell.js';
import { unreachable } from '../channels.js';
import { plainWords, timeInWords, titleInWords } from '../in-words.js';
import { memo } from '../memo.js';
import { printRoute } from '../routes.js';
import { MarkFound } from './mark-found.js';

export interface ChannelLinkProps {
  readonly channel: ChannelView;
  readonly current: boolean;
  /** What was looked for, if something was. */
  readonly words: string | undefined;
}

/** A line of the list of conversations. */
export const ChannelLink = memo(function ChannelLink({ channel, current, words }: ChannelLinkProps) {
  const { lastText, found: place, lastMessageAt, backend } = channel;
  return (
    <li>
      <a
        class="channel"
        href={printRoute({ type: 'conversation', channel: channel.channel })}
        aria-current={current ? 'page' : undefined}
      >
        <span class="channel-title">
          <MarkFound text={titleInWords(channel)} words={words} />
        </span>
        <Badge channel={channel} />
        <span class="channel-text">
          <MarkFound text={plainWords(place ?? lastText ?? '')} words={words} near />
        </span>
        <span class="channel-about">
          {backend}
          {lastMessageAt !== undefined && ` · ${timeInWords(lastMessageAt)}`}
        </span>
      </a>
    </li>
  );
});

function Badge({ channel: { permissions, running, waiting, archived } }: { readonly channel: ChannelView }) {
  const lost = useCell(unreachable);
  if (lost && (permissions > 0 || running || waiting > 0)) return <span class="badge">unknown now</span>;
  if (permissions > 0) return <span class="badge badge-asks">needs you</span>;
  if (running) return <span class="badge badge-runs">{waiting > 0 ? `running +${waiting}` : 'running'}</span>;
  if (waiting > 0) return <span class="badge">{waiting} waiting</span>;
  return archived ? <span class="badge badge-archived">archived</span> : null;
}
