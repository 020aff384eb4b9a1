import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { directory, exitCode, type Run, startProgram, url } from './program.js';
import { eventually } from './stage.js';

const token = 'a'.repeat(32);

/** A gateway in whose channel an agent hangs. */
async function startHanging(): Promise<Run> {
  const env = { HTTP_TOKEN: token, SHUTDOWN_GRACE_MS: '30000', LOG_LEVEL: 'warn' };
  const run = startProgram(directory(), env, ['--demo']);
  const address = await url(run);
  const headers = { authorization: `Bearer ${token}` };
  const body = JSON.stringify({ text: 'hang' });
  await fetch(`${address}/v1/channels/a/messages`, { method: 'POST', headers, body });
  await eventually(() => childrenOf(run.child.pid).length > 0);
  return run;
}

function childrenOf(parent: number | undefined): readonly number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.map(Number).filter((pid) => parentOf(pid) === parent);
}

/** Undefined if there is no such process. */
function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

it.runIf(process.platform === 'linux')(
  'Ctrl-C says at once what is waited for, and a second one ends that, with the agents (16)',
  async () => {
    const run = await startHanging();
    const agents = childrenOf(run.child.pid);
    run.child.kill('SIGINT');
    await eventually(() => run.err.includes('stopping'));
    expect(run.err).toContain(
      'turnout: stopping: 1 turn may end first (a), for at most 30 s; Ctrl-C again ends it now.\n',
    );
    await sleep(600);
    expect(run.child.exitCode).toBeNull();
    const began = performance.now();
    run.child.kill('SIGINT');
    expect(await exitCode(run)).toBe(0);
    expect(performance.now() - began).toBeLessThan(25_000);
    expect(run.err).toContain('turnout: ending 1 turn now (a).\n');
    expect(agents.map(parentOf)).toEqual(agents.map(() => undefined));
  },
);
