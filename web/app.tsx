import { useEffect, useState } from 'preact/hooks';
import { announcement, questionsHere, showBadge, toldHere } from './attention.js';
import { useCell } from './cell.js';
import { channels, followChannels, watchChannels } from './channels.js';
import { ConversationView } from './conversation/conversation-view.js';
import { focusMessage } from './conversation/typing.js';
import { lazy } from './lazy.js';
import { ListButton } from './list-button.js';
import { watchNews } from './list-news.js';
import { parseRoute, printRoute, type Route } from './routes.js';
import { session } from './session.js';
import { Sidebar } from './sidebar/sidebar.js';
import { useEscape } from './use-escape.js';
import './app.css';

const Login = lazy(async () => (await import('./views/login.js')).Login);
const ChangesView = lazy(async () => (await import('./views/changes.js')).ChangesView);
const StatisticsView = lazy(async () => (await import('./views/statistics.js')).StatisticsView);
const ChainsView = lazy(async () => (await import('./views/chains.js')).ChainsView);

export function App() {
  const state = useCell(session);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (state === 'open') setSeen(true);
  }, [state]);
  return (
    <>
      {/* What was typed stays below the form. */}
      {(seen || state === 'open') && <Shell inert={state === 'closed'} />}
      {state === 'closed' && <Login />}
    </>
  );
}

function Shell({ inert }: { readonly inert: boolean }) {
  const route = useRoute();
  const [list, setList] = useState(false);
  const channel = 'channel' in route ? route.channel : undefined;
  useEffect(watchChannels, []);
  useEffect(() => watchNews(() => toldHere.value), []);
  const isAlone = channel === undefined && route.type !== 'start';
  useEffect(() => (isAlone ? followChannels() : undefined), [isAlone]);
  useBadge(channel);
  useEffect(() => setList(false), [route]);
  const openList = () => setList(true);
  const closeList = () => setList(false);
  useEscape(list, closeList);
  return (
    <div class="shell" inert={inert}>
      {/* It is a button, for the fragment of the address is the view's. */}
      <button type="button" class="skip" onClick={focusMessage}>
        Skip to the message
      </button>
      <div class={list ? 'drawer drawer-open' : 'drawer'}>
        <Sidebar route={route} channel={channel} close={closeList} />
      </div>
      {list && <button type="button" class="drawer-shade" aria-label="Close the list" onClick={closeList} />}
      <main class={route.type === 'changes' ? 'main main-split' : 'main'}>
        <View route={route} openList={openList} />
      </main>
      <Announcer />
    </div>
  );
}

function View({ route, openList }: { readonly route: Route; readonly openList: () => void }) {
  switch (route.type) {
    case 'start':
      return <Start />;
    case 'conversation':
    case 'changes': {
      const { channel } = route;
      const changes = route.type === 'changes';
      return (
        <ConversationView
          key={channel}
          channel={channel}
          openList={openList}
          Changes={changes ? ChangesView : undefined}
        />
      );
    }
    case 'statistics':
      return (
        <div class="page">
          <ViewHead openList={openList} />
          <StatisticsView />
        </div>
      );
    case 'chains':
      return (
        <div class="page">
          <ViewHead openList={openList} />
          <ChainsView runId={route.runId} />
        </div>
      );
  }
}

function ViewHead({ openList }: { readonly openList: () => void }) {
  return (
    <div class="view-head">
      <ListButton open={openList} />
    </div>
  );
}

/** Leads to the newest conversation, or to the one that waits for those who come for the first time. */
function Start() {
  const all = useCell(channels);
  useEffect(() => {
    if (all === undefined) return;
    history.replaceState(
      null,
      '',
      printRoute({ type: 'conversation', channel: all[0]?.channel ?? 'welcome' }),
    );
    dispatchEvent(new HashChangeEvent('hashchange'));
  }, [all]);
  return <p class="empty">Loading …</p>;
}

function Announcer() {
  const text = useCell(announcement);
  return (
    <p class="hidden-visually" role="status" aria-live="polite">
      {text}
    </p>
  );
}

function useBadge(channel: string | undefined): void {
  const all = useCell(channels);
  const here = useCell(questionsHere);
  useEffect(() => {
    const others = all?.filter((one) => one.permissions > 0 && one.channel !== channel).length ?? 0;
    showBadge(others + here, all?.find((one) => one.channel === channel)?.title ?? '');
  }, [all, channel, here]);
}

function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const read = () => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return route;
}
