import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RunCgroup } from '../../../src/process/cgroup.js';
import { endOrphans, findOrphans, ownerLives } from '../../../src/process/end-orphans.js';
import { homeMark, markEnvironment, ownName } from '../../../src/process/mark-child.js';
import { readRow } from '../../../src/process/read-proc.js';
import { fixturePath, goWay, isRunning, untilGone, ways } from './start-fixture.js';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'turnout-orphans-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Makes a TURNOUT_HOME of its own: a sweep sees the whole machine, but ends only what belongs to its home. */
function makeHome(): string {
  return mkdtempSync(join(root, 'home-'));
}

async function firstNumbers(child: ChildProcess): Promise<number[]> {
  if (child.stdout === null) return [];
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return line.toString().trim().split(' ').map(Number);
}

describe.each(ways)('orphans by %s', (way) => {
  goWay(way);
  const deadOwner = way === 'ps' ? '2147483646.t1' : '2147483646.1';

  /** Starts a child with a tool, as the Turnout of that name would have done. */
  async function startChild(owner: string, home: string) {
    const mark = { owner, home: homeMark(home), run: crypto.randomUUID() };
    const env = markEnvironment(process.env as Record<string, string>, mark);
    const child = spawn(process.execPath, [fixturePath('with-tools.mjs')], {
      env: way === 'cgroups' ? process.env : env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [tool = 0] = await firstNumbers(child);
    const cgroup = way === 'cgroups' ? new RunCgroup(mark) : undefined;
    await cgroup?.take(child.pid ?? 0, async () => [{ pid: tool }]);
    onTestFinished(async () => {
      for (const pid of [child.pid ?? 0, tool]) kill(pid);
      await untilGone(tool);
      await untilGone(child.pid ?? 0);
      cgroup?.remove();
    });
    return { child: child.pid ?? 0, tool, run: mark.run };
  }

  it('are found and ended if their owner is gone and their home is ours [fault 13.10: a gateway ends the orphans of another home]', async () => {
    const [home, otherHome] = [makeHome(), makeHome()];
    const [left, living, other] = await Promise.all([
      startChild(deadOwner, home),
      startChild(ownName(), home),
      startChild(deadOwner, otherHome),
    ]);
    const found = await findOrphans({ home });
    expect(found.map(({ pid }) => pid).sort()).toEqual([left.child, left.tool].sort());
    expect(found.find(({ pid }) => pid === left.child)).toMatchObject({
      owner: deadOwner,
      run: left.run,
      command: expect.stringContaining('with-tools.mjs'),
    });

    expect(await endOrphans({ home })).toMatchObject([{ ended: true }, { ended: true }]);
    expect([left.child, left.tool].map(isRunning)).toEqual([false, false]);
    const others = [living.child, living.tool, other.child, other.tool];
    expect(others.map(isRunning)).toEqual([true, true, true, true]);
  });
});

describe('orphans', () => {
  it.runIf(ways.includes('cgroups'))(
    'of a killed Turnout that have shed every tie are ended by their cgroup [fault 13.10: env -i setsid -f, then a kill]',
    async () => {
      const home = makeHome();
      const owner = spawn(process.execPath, [fixturePath('owner.ts'), 'shed-everything.mjs', 'stay'], {
        env: { ...process.env, TURNOUT_HOME: home },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [child = 0, shed = 0] = await firstNumbers(owner);
      owner.kill('SIGKILL');
      await untilGone(owner.pid ?? 0);
      expect([child, shed].map(isRunning)).toEqual([true, true]);
      expect(cgroupsOf(home)).toHaveLength(1);
      await endOrphans({ home });
      expect([child, shed].map(isRunning)).toEqual([false, false]);
      expect(cgroupsOf(home)).toEqual([]);
    },
  );

  it('never include the one who looks, nor who started it', async () => {
    const home = makeHome();
    const script = 'exec 3>&1; "$0" "$1" "$2" >&3; echo the shell lives on';
    const child = spawn('sh', ['-c', script, process.execPath, fixturePath('sweep.ts'), home], {
      env: { ...process.env, TURNOUT_OWNER: `2147483646.1@${homeMark(home)}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = (await child.stdout.toArray()).join('');
    expect(output).toBe('swept\nthe shell lives on\n');
  });

  it.runIf(process.platform === 'linux')(
    'are those whose owner has lost its pid to another process',
    async () => {
      const home = makeHome();
      const own = readRow(process.pid)?.start ?? 0;
      const marked = (owner: string) =>
        spawn('sleep', ['60'], { env: { ...process.env, TURNOUT_OWNER: owner } });
      const orphan = marked(`${process.pid}.${own - 1}@${homeMark(home)}`);
      const others = [
        `${process.pid}.${own}@${homeMark(home)}`,
        'who knows',
        // The marks of before had no home.
        `${process.pid}.${own - 1}`,
      ].map(marked);
      try {
        await Promise.all([orphan, ...others].map((child) => once(child, 'spawn')));
        expect((await findOrphans({ home })).map(({ pid }) => pid)).toEqual([orphan.pid]);
      } finally {
        for (const child of [orphan, ...others]) child.kill('SIGKILL');
      }
    },
  );

  it('know their home by whichever path it is reached', () => {
    const home = makeHome();
    symlinkSync(home, `${home}-link`);
    mkdirSync(join(home, 'inner'));
    expect(homeMark(join(`${home}-link`, 'inner'))).toBe(homeMark(join(home, 'inner')));
    expect(homeMark(home)).not.toBe(homeMark(`${home}x`));
  });

  it.runIf(process.platform === 'linux')('have a living owner if its name is of another way', () => {
    expect(ownerLives('2147483646.t1')).toBe(true);
    expect(ownerLives('2147483646.1')).toBe(false);
  });
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** All cgroups of this home, wherever they are. */
function cgroupsOf(home: string): readonly string[] {
  const mounts = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'];
  const mount = mounts.find((path) => existsSync(join(path, 'cgroup.procs')));
  if (mount === undefined) return [];
  return readdirSync(mount, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      path.endsWith('/cgroup.procs') &&
      path
        .split('/')
        .at(-2)
        ?.includes(`@${homeMark(home)}-`),
  );
}
