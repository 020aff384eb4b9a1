import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import type * as ReadProc from '../../../src/process/read-proc.js';
import { goWay, isRunning, startFixture } from './start-fixture.js';

/** While a process gives way to the next program, Linux shows neither its environment nor its arguments. */
const blank = vi.hoisted(() => ({ pid: 0, looks: 0 }));

vi.mock('../../../src/process/read-proc.js', async (original) => {
  const real = await original<typeof ReadProc>();
  const isBlank = (pid: number) => pid === blank.pid && blank.looks > 0;
  return {
    ...real,
    readEnvironment: (pid: number) => {
      if (!isBlank(pid)) return real.readEnvironment(pid);
      blank.looks--;
      return [];
    },
    readCommandLine: (pid: number) => (isBlank(pid) ? '' : real.readCommandLine(pid)),
  };
});

goWay('marks');

it.runIf(process.platform === 'linux')(
  'a process seen between two programs, whose parent is gone, is ended [fault 13.10: a fork between two looks]',
  async () => {
    const child = await startFixture('print-env.mjs');
    const batches = child.lines()[Symbol.asyncIterator]();
    const environment = JSON.parse((await batches.next()).value?.[0]?.text ?? '{}') as Record<string, string>;
    await child.exited;
    // It carries the marks of the run, and nothing else ties it to the child.
    const late = spawn('sleep', ['60'], { env: environment, detached: true, stdio: 'ignore' });
    onTestFinished(() => void late.kill('SIGKILL'));
    await once(late, 'spawn');
    blank.pid = late.pid ?? 0;
    blank.looks = 3;
    await child.end();
    expect(isRunning(blank.pid)).toBe(false);
  },
);
