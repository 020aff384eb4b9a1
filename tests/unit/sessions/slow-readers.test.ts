import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { maxUnreadBytes } from '../../../src/backends/live/turn-stream.js';
import { type VendorName, vendorNames } from '../../../src/backends/registry.js';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import { Sessions } from '../../../src/sessions/sessions.js';

const outputs = 100;
const outputBytes = 1024 * 1024;
const limit = maxUnreadBytes / outputBytes;
/** The pipe has a read-ahead of 8 MiB, and an output may be on its way on either side. */
const underway = 12;

describe.each(vendorNames)('a slow reader of %s', (backend) => {
  it('leaves no more unread than the same number of bytes', async () => {
    const { events, writtenAtStall } = await readSlowly(backend);
    const read = events.filter(({ type }) => type === 'tool_end').length;
    const last = events.at(-1);
    if (backend === 'claude') {
      // A pipe of its own: the writer waits, and nothing is lost.
      expect(writtenAtStall).toBeLessThanOrEqual(limit + underway);
      expect(read).toBe(outputs);
      expect(last).toMatchObject({ type: 'complete', text: 'done' });
    } else {
      // A pipe that others share: the turn is stopped.
      expect(read).toBeGreaterThanOrEqual(limit - 1);
      expect(read).toBeLessThanOrEqual(limit + underway);
      expect(last).toMatchObject({ type: 'error', code: 'interrupted' });
      expect(last).toMatchObject({ message: expect.stringContaining('fell 32 MiB behind') });
    }
  });
});

/** Takes the first output, and nothing more until the writer has written all, or waits. */
async function readSlowly(backend: VendorName): Promise<{ events: ChatEvent[]; writtenAtStall: number }> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'turnout-slow-')));
  const progress = join(directory, 'progress');
  const sessions = new Sessions();
  onTestFinished(async () => {
    await sessions.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const session = await sessions.open({
    backend,
    config: {
      cliPath: fileURLToPath(new URL('../../fixtures/programs/flooding-agent.mjs', import.meta.url)),
      workingDir: directory,
      queryTimeoutMs: 60_000,
      allowedTools: [],
      maxTurns: 25,
      env: { PATH: dirname(process.execPath), HOME: directory, FLOOD_PROGRESS: progress },
    },
  });
  const written = () => (existsSync(progress) ? Number(readFileSync(progress, 'utf8')) : 0);
  const events: ChatEvent[] = [];
  let writtenAtStall = 0;
  for await (const event of session.send('flood')) {
    events.push(event.type === 'tool_end' ? { ...event, output: '' } : event);
    if (event.type !== 'tool_end' || writtenAtStall > 0) continue;
    for (let before = 0; before === 0 || before !== written(); await pause(500)) before = written();
    writtenAtStall = written();
  }
  return { events, writtenAtStall };
}
