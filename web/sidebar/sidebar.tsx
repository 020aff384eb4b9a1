import { useEffect, useState } from 'preact/hooks';
import { useCell } from '../cell.js';
import { channels, found, newChannel, searchChannels } from '../channels.js';
import { lazy } from '../lazy.js';
import { memo } from '../memo.js';
import { printRoute, type Route } from '../routes.js';
import { signOut } from '../session.js';
import { Archived } from './archived.js';
import { ChannelLink } from './channel-link.js';
import './sidebar.css';

const EarlierSessions = lazy(async () => (await import('../views/earlier-sessions.js')).EarlierSessions);

export interface SidebarProps {
  readonly route: Route;
  readonly channel: string | undefined;
  readonly close: () => void;
}

export const Sidebar = memo(function Sidebar({ route, channel, close }: SidebarProps) {
  const all = useCell(channels);
  const hits = useCell(found);
  const shown = hits?.channels ?? all;
  const begin = () => {
    location.hash = printRoute({ type: 'conversation', channel: newChannel() });
  };
  return (
    <nav class="sidebar" aria-label="Conversations">
      <div class="sidebar-head">
        <span class="brand">Turnout</span>
        <button type="button" class="plain sidebar-close" aria-label="Close the list" onClick={close}>
          ✕
        </button>
      </div>
      <button type="button" class="primary sidebar-new" onClick={begin}>
        New conversation
      </button>
      <Search />
      <div class="sidebar-list">
        <ul class="channels">
          {shown?.map((one) => (
            <ChannelLink
              key={one.channel}
              channel={one}
              current={one.channel === channel}
              words={hits?.words}
            />
          ))}
        </ul>
        {shown?.length === 0 && (
          <p class="sidebar-note">{hits === undefined ? 'No conversation yet.' : 'Nothing was found.'}</p>
        )}
        <EarlierSessions />
        <Archived channel={channel} />
      </div>
      <div class="sidebar-foot">
        <a href="#/statistics" aria-current={route.type === 'statistics' ? 'page' : undefined}>
          Statistics
        </a>
        <a href="#/chains" aria-current={route.type === 'chains' ? 'page' : undefined}>
          Chain runs
        </a>
        <button type="button" class="plain sidebar-out" onClick={signOut}>
          Sign out
        </button>
      </div>
    </nav>
  );
});

function Search() {
  const [words, setWords] = useState('');
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => void searchChannels(words.trim(), abort.signal), words === '' ? 0 : 250);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [words]);
  return (
    <input
      type="search"
      class="sidebar-search"
      aria-label="Search conversations"
      placeholder="Search"
      value={words}
      onInput={(event) => setWords(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || words === '') return;
        event.stopPropagation();
        setWords('');
      }}
    />
  );
}
