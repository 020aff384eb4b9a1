import { spawn } from 'node:child_process';
import { describe, expect, vi } from 'vitest';
import { AdoptedChild } from '../../../src/process/adopted-child.js';
import { catchChild } from '../../../src/process/catch-child.js';
import { createMark, markEnvironment } from '../../../src/process/mark-child.js';
import { it, type Stage } from '../../contract/stage.js';
import { patience } from '../../machine-speed.js';

/** A library that starts a program in this process's session, and keeps it to itself. */
async function library(script: string, env: Readonly<Record<string, string>>): Promise<string> {
  await Promise.resolve();
  const child = spawn('/bin/sh', ['-c', script], { env });
  child.once('error', () => {});
  child.stdin.end('x'.repeat(1_000_000));
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  child.removeAllListeners();
  return output;
}

async function adopt(stage: Stage, script: string) {
  const mark = createMark(stage.env);
  const { done, child } = catchChild(() => library(script, markEnvironment(stage.env, mark)));
  return { done, adopted: new AdoptedChild(await child, mark) };
}

describe('a child that a library has started', () => {
  it('is ended with all that it has started, and nobody else in our session is', async ({ stage }) => {
    const bystander = spawn('sleep', ['60'], { env: { PATH: '/usr/bin:/bin' }, stdio: 'ignore' });
    const { done, adopted } = await adopt(stage, 'setsid sleep 300 & (setsid -f sleep 301); sleep 302');
    await vi.waitFor(() => expect(stage.processes().length).toBeGreaterThan(3), patience);
    expect(await adopted.isAlone()).toBe(false);
    expect(await adopted.end()).toMatchObject({ signal: 'SIGTERM' });
    await stage.expectNothingLeft();
    expect(bystander.exitCode ?? bystander.signalCode).toBe(null);
    bystander.kill();
    await done;
  });

  it('tells its exit and its stderr, though the library takes all listeners away', async ({ stage }) => {
    const { done, adopted } = await adopt(stage, 'echo why >&2; echo out; exec >&-; sleep 0.1; exit 3');
    expect(await done).toBe('out\n');
    adopted.watch();
    expect(await adopted.exited).toEqual({ code: 3, signal: null });
    await adopted.settleStderr();
    expect(adopted.stderr()).toBe('why\n');
    await adopted.end();
  });

  it('that does not read its input does no harm to this program', async ({ stage }) => {
    const { done, adopted } = await adopt(stage, 'exit 0');
    expect(await done).toBe('');
    adopted.watch();
    expect(await adopted.exited).toEqual({ code: 0, signal: null });
    await adopted.end();
  });

  it('is told from the children of others that start at the same time', async ({ stage }) => {
    const mark = createMark(stage.env);
    const { done, child } = catchChild(() => library('exit 7', markEnvironment(stage.env, mark)));
    const others = [1, 2, 3].map(() => spawn('true', { stdio: 'ignore' }));
    const adopted = new AdoptedChild(await child, mark);
    expect(others.map(({ pid }) => pid)).not.toContain(adopted.pid);
    await done;
    adopted.watch();
    expect(await adopted.exited).toMatchObject({ code: 7 });
    await adopted.end();
  });
});
