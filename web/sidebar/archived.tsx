import { useEffect, useState } from 'preact/hooks';
import type { ChannelView } from '../../src/gateway/channels/http/wire.js';
import { api } from '../api.js';
import { useCell } from '../cell.js';
import { channels } from '../channels.js';
import { ChannelLink } from './channel-link.js';

/** The conversations that were put away. They are read when somebody asks for them. */
export function Archived({ channel }: { readonly channel: string | undefined }) {
  const [open, setOpen] = useState(false);
  const [view, setView] = useState<readonly ChannelView[] | string>();
  const all = useCell(channels);
  // When the list changes, one may have been put away or brought back.
  useEffect(() => {
    if (!open) return;
    const abort = new AbortController();
    api.channels({ archived: 'true', limit: '500' }, abort.signal).then(
      (read) => setView(read.channels),
      (error: unknown) => {
        if (!abort.signal.aborted) setView(error instanceof Error ? error.message : String(error));
      },
    );
    return () => abort.abort();
  }, [open, all]);
  return (
    <details class="earlier" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Archived</summary>
      {view === undefined && <p class="sidebar-note">Loading …</p>}
      {typeof view === 'string' && <p class="failure">{view}</p>}
      {Array.isArray(view) && (
        <ul class="channels">
          {view.map((one: ChannelView) => (
            <ChannelLink
              key={one.channel}
              channel={one}
              current={one.channel === channel}
              words={undefined}
            />
          ))}
        </ul>
      )}
      {view?.length === 0 && <p class="sidebar-note">There is none.</p>}
    </details>
  );
}
