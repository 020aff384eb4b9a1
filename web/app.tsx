import { useEffect, useState } from 'preact/hooks';
import { useCell } from './cell.js';
import { lazy } from './lazy.js';
import { Login } from './login.js';
import { parseRoute, type Route } from './routes.js';
import { session } from './session.js';

const ChangesView = lazy(async () => (await import('./views/changes.js')).ChangesView);
const StatisticsView = lazy(async () => (await import('./views/statistics.js')).StatisticsView);
const ChainsView = lazy(async () => (await import('./views/chains.js')).ChainsView);

export function App() {
  const state = useCell(session);
  const route = useRoute();
  if (state === 'unknown') return null;
  return (
    <>
      {state === 'closed' && <Login />}
      <main>
        <View route={route} />
      </main>
    </>
  );
}

function View({ route }: { readonly route: Route }) {
  switch (route.type) {
    case 'start':
    case 'conversation':
      return null;
    case 'changes':
      return <ChangesView channel={route.channel} />;
    case 'statistics':
      return <StatisticsView />;
    case 'chains':
      return <ChainsView runId={route.runId} />;
  }
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
