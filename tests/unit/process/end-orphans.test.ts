import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { endOrphans, findOrphans } from '../../../src/process/end-orphans.js';
import { readRow } from '../../../src/process/read-proc.js';
import { fixturePath, isRunning, lineByLine, startFixture, untilGone } from './start-fixture.js';

// A sweep sees the whole machine: another one that runs at the same time may be first, hence the second try.
describe.runIf(process.platform === 'linux')('orphans', { retry: 2 }, () => {
  /** The pid of a Turnout's child, which runs a tool, after the Turnout was killed. */
  async function orphan(): Promise<{ child: number; tool: number }> {
    const owner = await startOwner();
    process.kill(owner.pid, 'SIGKILL');
    await untilGone(owner.pid);
    return owner;
  }

  async function startOwner(): Promise<{ pid: number; child: number; tool: number }> {
    const owner = await startFixture('owner.ts', ['with-tools.mjs', 'stay']);
    const [child = 0, tool = 0] = (await lineByLine(owner)()).split(' ').map(Number);
    return { pid: owner.pid, child, tool };
  }

  it('are found and ended when their owner is gone, and those of a living owner are not', async () => {
    const [left, living] = await Promise.all([orphan(), startOwner()]);
    expect([left.child, left.tool].map(isRunning)).toEqual([true, true]);

    const found = await findOrphans();
    const pids = found.map(({ pid }) => pid);
    expect(pids).toEqual(expect.arrayContaining([left.child, left.tool]));
    for (const pid of [living.pid, living.child, living.tool, process.pid]) expect(pids).not.toContain(pid);
    expect(found.find(({ pid }) => pid === left.child)).toMatchObject({
      owner: expect.stringMatching(/^\d+\.\d+$/),
      run: expect.stringMatching(/^[0-9a-f-]{36}$/),
      command: expect.stringContaining('with-tools.mjs'),
    });

    const ended = await endOrphans();
    expect(ended.filter(({ pid }) => pid === left.child || pid === left.tool)).toMatchObject([
      { ended: true },
      { ended: true },
    ]);
    expect([left.child, left.tool].map(isRunning)).toEqual([false, false]);
    expect([living.pid, living.child, living.tool].map(isRunning)).toEqual([true, true, true]);
  });

  it('are those whose owner has lost its pid to another process', async () => {
    const own = readRow(process.pid)?.start ?? 0;
    const marked = (owner: string) =>
      spawn('sleep', ['60'], { env: { ...process.env, TURNOUT_OWNER: owner } });
    const orphan = marked(`${process.pid}.${own - 1}`);
    const ours = marked(`${process.pid}.${own}`);
    const unreadable = marked('who knows');
    try {
      await Promise.all([orphan, ours, unreadable].map((child) => once(child, 'spawn')));
      const found = (await findOrphans()).map(({ pid }) => pid);
      expect(found).toContain(orphan.pid);
      expect(found).not.toContain(ours.pid);
      expect(found).not.toContain(unreadable.pid);
    } finally {
      for (const child of [orphan, ours, unreadable]) child.kill('SIGKILL');
    }
  });

  it('never include the one who looks, nor who started it', async () => {
    const script = 'exec 3>&1; "$0" --import tsx "$1" >&3; echo the shell lives on';
    const child = spawn('sh', ['-c', script, process.execPath, fixturePath('sweep.ts')], {
      env: { ...process.env, TURNOUT_OWNER: '2147483646.1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = (await child.stdout.toArray()).join('');
    expect(output).toBe('swept\nthe shell lives on\n');
  });
});
