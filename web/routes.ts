/** The views of the page, by the fragment of its address: a reload or a bookmark leads back to the same one. */
export type Route =
  | { readonly type: 'start' }
  | { readonly type: 'conversation'; readonly channel: string }
  | { readonly type: 'changes'; readonly channel: string }
  | { readonly type: 'statistics' }
  | { readonly type: 'chains'; readonly runId?: string };

/** What is no address of a view leads to the start. */
export function parseRoute(fragment: string): Route {
  const [view, id, part, ...rest] = fragment.replace(/^#\/?/, '').split('/').map(decode);
  if (rest.length > 0) return { type: 'start' };
  if (view === 'c' && id && (part === undefined || part === '')) return { type: 'conversation', channel: id };
  if (view === 'c' && id && part === 'changes') return { type: 'changes', channel: id };
  if (part !== undefined) return { type: 'start' };
  if (view === 'statistics' && id === undefined) return { type: 'statistics' };
  if (view === 'chains') return id ? { type: 'chains', runId: id } : { type: 'chains' };
  return { type: 'start' };
}

export function printRoute(route: Route): string {
  switch (route.type) {
    case 'start':
      return '#/';
    case 'conversation':
      return `#/c/${encodeURIComponent(route.channel)}`;
    case 'changes':
      return `#/c/${encodeURIComponent(route.channel)}/changes`;
    case 'statistics':
      return '#/statistics';
    case 'chains':
      return route.runId === undefined ? '#/chains' : `#/chains/${encodeURIComponent(route.runId)}`;
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
