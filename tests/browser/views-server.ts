import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

/** What the fake gateway answers, by method and path; a function is asked anew each time. */
export type Answers = Readonly<Record<string, unknown>>;

/** Serves the built page with the gateway's own Content-Security-Policy, and canned answers. */
export async function serveViews(directory: string, answers: Answers) {
  let stream: ServerResponse | undefined;
  const asked: { readonly route: string; readonly body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const route = `${request.method} ${url.pathname}`;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    if (url.pathname.endsWith('/events')) {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(':\n\n');
      stream = response;
      return;
    }
    if (url.pathname.startsWith('/v1/')) {
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      asked.push({ route: `${route}${url.search}`, body });
      const found = answers[route];
      const answer = typeof found === 'function' ? found(url.searchParams, body) : found;
      const status = answer === undefined ? 404 : ((answer as { status?: number }).status ?? 200);
      const missing = { error: { code: 'not_found', message: 'There is no such thing.' } };
      response.writeHead(typeof status === 'number' ? status : 200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify((answer as { json?: unknown })?.json ?? answer ?? missing));
      return;
    }
    const path = normalize(url.pathname === '/' ? '/index.html' : url.pathname);
    const content = await readFile(join(directory, path)).catch(() => undefined);
    response.writeHead(content === undefined ? 404 : 200, {
      'Content-Type': types[extname(path)] ?? 'application/octet-stream',
      'Content-Security-Policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    });
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    /** Sends an event to the channel's last reader. */
    push(event: string, data: unknown) {
      stream?.write(`event: ${event}\nid: 1\ndata: ${JSON.stringify(data)}\n\n`);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
