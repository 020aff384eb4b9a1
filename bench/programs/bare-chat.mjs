// The least that can show an agent's answer in a browser: a hono server, a child process (one for each message, or one for
// all with `live`), and a page that shows the text as it comes. `node bare-chat.mjs one-shot|live <agent>`
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';

const [mode, agent] = process.argv.slice(2);
const format = ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'];
const readers = new Set();

const page = `<!doctype html><title>bare</title><main></main>
<form><textarea aria-label="Message"></textarea><button>Send</button></form>
<script>
  const field = document.querySelector('textarea');
  document.querySelector('form').onsubmit = (event) => {
    event.preventDefault();
    document.querySelector('main').append(document.createElement('article'));
    fetch('/messages', { method: 'POST', body: field.value });
    field.value = '';
  };
  new EventSource('/events').onmessage = ({ data }) => {
    const text = JSON.parse(data).event?.delta?.text;
    if (text !== undefined) document.querySelector('article:last-of-type').append(text);
  };
</script>`;

function start(...args) {
  const child = spawn(agent, [...format, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  createInterface(child.stdout).on('line', (line) => {
    for (const tell of readers) tell(line);
  });
  return child;
}

const live = mode === 'live' ? start('--input-format', 'stream-json') : undefined;

function ask(content) {
  if (live === undefined) start(content).stdin.end();
  else live.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
}

const app = new Hono()
  .get('/', (c) => c.html(page))
  .get('/events', (c) =>
    streamSSE(c, async (stream) => {
      const tell = (data) => void stream.writeSSE({ data });
      readers.add(tell);
      await new Promise((resolve) => stream.onAbort(resolve));
      readers.delete(tell);
    }),
  )
  .post('/messages', async (c) => {
    ask(await c.req.text());
    return c.body(null, 202);
  });

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  console.log(`Open http://127.0.0.1:${port}/`),
);
process.once('SIGTERM', () => {
  live?.kill();
  server.closeAllConnections();
  server.close();
});
