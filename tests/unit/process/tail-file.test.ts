import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProcess } from '../../../src/process/start-process.js';

describe('stdout through a file', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'turnout-tail-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const start = (program: string) =>
    startProcess({
      command: process.execPath,
      args: ['-e', program],
      env: { PATH: process.env['PATH'] ?? '', TURNOUT_SUITE: process.env['TURNOUT_SUITE'] ?? '' },
      stdin: 'open',
      stdoutFile: join(directory, 'stdout'),
    });

  it('gives lines while the child still writes, and all of them', async () => {
    const child = await start(
      `console.log('first'); process.stdin.once('data', () => { process.stdout.write('x'.repeat(5e6) + '\\nlast'); process.exit(0); });`,
    );
    const lines: string[] = [];
    for await (const batch of child.lines()) {
      for (const { text } of batch) {
        lines.push(text.length > 10 ? `${text.length}` : text);
        if (text === 'first') await child.write('go\n');
      }
    }
    expect(lines).toEqual(['first', '5000000', 'last']);
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(statSync(join(directory, 'stdout')).mode & 0o777).toBe(0o600);
    await child.end();
  });

  it('ends with the child although nothing was written', async () => {
    const child = await start('process.exit(3)');
    const lines = [];
    for await (const batch of child.lines()) lines.push(...batch);
    expect(lines).toEqual([]);
    expect(await child.exited).toEqual({ code: 3, signal: null });
    await child.end();
  });

  it('refuses a file that is already there', async () => {
    const first = await start('process.exit(0)');
    await first.end();
    await expect(start('process.exit(0)')).rejects.toMatchObject({ errno: 'EEXIST' });
  });

  it('ends a child that writes more than its file may hold, even if nobody reads [fault 13.3: output without end]', async () => {
    const child = await startProcess({
      command: 'sh',
      args: ['-c', 'while :; do yes "a line that is said again and again" | head -n 5000; sleep 0.01; done'],
      env: { PATH: process.env['PATH'] ?? '', TURNOUT_SUITE: process.env['TURNOUT_SUITE'] ?? '' },
      stdoutFile: join(directory, 'stdout'),
      maxFileBytes: 1024 ** 2,
    });
    const lines = child.lines()[Symbol.asyncIterator]();
    expect((await lines.next()).done).toBe(false);
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    const rest = async () => {
      while (!(await lines.next()).done);
    };
    await expect(rest()).rejects.toThrow('wrote more than 1 MB of output');
    await child.end();
  });
});
