// Writes NDJSON in Claude's streaming format until it has written the asked number of megabytes, then a result.
import { once } from 'node:events';

const megabytes = Number(process.env.BENCH_MEGABYTES ?? 1);
const piece = 'The quick brown fox jumps over the lazy dog, again. '.repeat(2);
const line = `${JSON.stringify({
  type: 'stream_event',
  event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } },
  session_id: '00000000-0000-4000-8000-000000000000',
})}\n`;
const chunk = Buffer.from(line.repeat(Math.floor(65_536 / line.length)));
const chunks = Math.ceil((megabytes * 1024 * 1024) / chunk.length);
for (let i = 0; i < chunks; i++) {
  if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
}
process.stdout.write(
  `${JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'done', session_id: '00000000-0000-4000-8000-000000000000' })}\n`,
);
