import type { Context } from 'hono';
import { addRoute, type HttpApp, type HttpEnv, type RouteOptions } from './add-route.js';
import type { Encoding, PageFile } from './load-page.js';
import { HttpProblem } from './problem.js';
import { pageHeaders } from './security-headers.js';

/** The page's files. They need no token: they are the same for everybody, and hold nothing. */
export function addPageRoutes(app: HttpApp, { page }: RouteOptions): void {
  if (page === undefined) return;
  if (page.problem !== undefined) {
    addRoute(app, '/', { GET: (c) => c.text(notBuilt, 503) });
    return;
  }
  const { files } = page;
  const serve = (c: Context<HttpEnv>) => {
    const file = files.get(c.req.path);
    if (file === undefined) throw new HttpProblem('not_found', `There is nothing at ${c.req.path}.`);
    return serveFile(c, file);
  };
  addRoute(app, '/assets/*', { GET: serve });
  for (const path of files.keys()) if (!path.startsWith('/assets/')) addRoute(app, path, { GET: serve });
}

const notBuilt = `The page of this gateway is not built. In its directory, run

  npm run build

and start the gateway again. Its HTTP interface works without the page.
`;

async function serveFile(c: Context<HttpEnv>, file: PageFile): Promise<Response> {
  const encoding = chooseEncoding(c.req.header('Accept-Encoding') ?? '');
  const content = await file.encoded(encoding);
  const compressed = content !== file.content;
  const etag = `"${file.hash}${compressed ? `-${encoding}` : ''}"`;
  const headers = {
    ...pageHeaders,
    'Cache-Control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: etag,
    Vary: 'Accept-Encoding',
  };
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  if (isKnown(etag, c.req.header('If-None-Match'))) return c.body(null, 304);
  if (compressed) c.header('Content-Encoding', encoding);
  c.header('Content-Type', file.type);
  c.header('Content-Length', String(content.length));
  return c.body(new Uint8Array(content));
}

/** The best encoding that a client takes: `br;q=0` is one that it does not. */
function chooseEncoding(accepted: string): Encoding {
  const taken = accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim()))
    .filter(([, quality = '']) => !/^q=0(\.0*)?$/.test(quality))
    .map(([name]) => name);
  return (['br', 'gzip'] as const).find((name) => taken.includes(name)) ?? 'identity';
}

function isKnown(etag: string, header: string | undefined): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
