import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownCgroup, RunCgroup, removeEmptyCgroups } from '../../../src/process/cgroup.js';
import { cgroupName, markInCgroup } from '../../../src/process/cgroup-name.js';
import { ownName } from '../../../src/process/mark-child.js';
import { readCgroup } from '../../../src/process/read-proc.js';
import { untilGone, ways } from './start-fixture.js';

const mark = (owner = ownName()) => ({
  owner,
  home: '0123456789abcdef',
  run: crypto.randomUUID(),
});

describe('the name of a cgroup', () => {
  it('is the mark, and the innermost counts', () => {
    const [outer, inner] = [mark('1.2'), mark('3.4')];
    expect(markInCgroup(`/a/${cgroupName(outer)}`)).toEqual(outer);
    expect(markInCgroup(`/a/${cgroupName(outer)}/b/${cgroupName(inner)}/c`)).toEqual(inner);
  });

  it.each(['', '/', '/system.slice/turnout.service', '/turnout-1.2@ab-short', '/x-turnout-1.2@ab'])(
    'is none in %j',
    (path) => expect(markInCgroup(path)).toBeUndefined(),
  );
});

describe.runIf(ways.includes('cgroups'))('a cgroup', () => {
  function startSleep(): number {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child.pid ?? 0;
  }

  it('takes the child in, and after it what the child had started before', async () => {
    const [root, early, late] = [startSleep(), startSleep(), startSleep()];
    const own = mark();
    const cgroup = new RunCgroup(own);
    const looks = [[root, early], [early, late], [late]];
    await cgroup.take(root, async () => (looks.shift() ?? []).map((pid) => ({ pid })));
    expect([...cgroup.pids()].sort()).toEqual([root, early, late].sort());
    expect(cgroup.holdsAll).toBe(true);

    const path = join(ownCgroup() ?? '', basename(readCgroup(root)));
    removeEmptyCgroups(({ run }) => run === own.run);
    expect(existsSync(path)).toBe(true);
    cgroup.kill();
    await Promise.all([root, early, late].map(untilGone));
    cgroup.remove();
    expect(existsSync(path)).toBe(false);
    expect(cgroup.pids()).toEqual([]);
  });

  it('is no obstacle if the child has ended meanwhile', async () => {
    const own = mark();
    const cgroup = new RunCgroup(own);
    await cgroup.take(2147483646, async () => []);
    expect(cgroup.pids()).toEqual([]);
    removeEmptyCgroups(({ run }) => run === own.run);
    cgroup.kill();
    cgroup.remove();
  });
});
