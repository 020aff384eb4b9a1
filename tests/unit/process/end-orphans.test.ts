import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { endOrphans, findOrphans, ownerLives } from '../../../src/process/end-orphans.js';
import { homeMark } from '../../../src/process/mark-child.js';
import { readRow } from '../../../src/process/read-proc.js';
import { fixturePath, goWay, isRunning, untilGone, ways } from './start-fixture.js';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'turnout-orphans-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Makes a TURNOUT_HOME of its own: a sweep sees the whole machine, but ends only what belongs to its home. */
function makeHome(): string {
  const home = mkdtempSync(join(root, 'home-'));
  onTestFinished(async () => void (await endOrphans({ home, graceMs: 0 })));
  return home;
}

/** Starts a stand-in for a Turnout, with a child that runs a tool. */
async function startOwner(home: string, program = 'with-tools.mjs') {
  const owner = spawn(process.execPath, ['--import', 'tsx', fixturePath('owner.ts'), program, 'stay'], {
    env: { ...process.env, TURNOUT_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    owner.kill('SIGKILL');
    await untilGone(owner.pid ?? 0);
  });
  const [line] = (await once(owner.stdout, 'data')) as [Buffer];
  const [child = 0, tool = 0] = line.toString().split(' ').map(Number);
  return { pid: owner.pid ?? 0, child, tool };
}

/** Returns a Turnout's child, which runs a tool, after the Turnout was killed. */
async function leaveOrphan(home: string, program?: string) {
  const owner = await startOwner(home, program);
  process.kill(owner.pid, 'SIGKILL');
  await untilGone(owner.pid);
  return owner;
}

describe.each(ways)('orphans by %s', (way) => {
  goWay(way);

  it('are found and ended when their owner is gone, and those of a living owner are not', async () => {
    const home = makeHome();
    const [left, living] = await Promise.all([leaveOrphan(home), startOwner(home)]);
    expect([left.child, left.tool].map(isRunning)).toEqual([true, true]);

    const found = await findOrphans({ home });
    expect(found.map(({ pid }) => pid).sort()).toEqual([left.child, left.tool].sort());
    expect(found.find(({ pid }) => pid === left.child)).toMatchObject({
      owner: expect.stringMatching(/^\d+\.t?\d+$/),
      run: expect.stringMatching(/^[0-9a-f-]{36}$/),
      command: expect.stringContaining('with-tools.mjs'),
    });

    expect(await endOrphans({ home })).toMatchObject([{ ended: true }, { ended: true }]);
    expect([left.child, left.tool].map(isRunning)).toEqual([false, false]);
    expect([living.pid, living.child, living.tool].map(isRunning)).toEqual([true, true, true]);
  });

  it('of another home are left alone [fault 13.10: a gateway ends the orphans of another home]', async () => {
    const [home, other] = [makeHome(), makeHome()];
    const [ours, theirs] = await Promise.all([leaveOrphan(home), leaveOrphan(other)]);
    expect((await endOrphans({ home })).map(({ pid }) => pid)).toContain(ours.child);
    expect([ours.child, theirs.child].map(isRunning)).toEqual([false, true]);
  });

  it('never include the one who looks, nor who started it', async () => {
    const home = makeHome();
    const script = 'exec 3>&1; "$0" --import tsx "$1" "$2" >&3; echo the shell lives on';
    const child = spawn('sh', ['-c', script, process.execPath, fixturePath('sweep.ts'), home], {
      env: { ...process.env, TURNOUT_OWNER: `2147483646.1@${homeMark(home)}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = (await child.stdout.toArray()).join('');
    expect(output).toBe('swept\nthe shell lives on\n');
  });
});

describe.runIf(process.platform === 'linux')('orphans on Linux', () => {
  it('that have shed every tie are ended by their cgroup, which goes too [fault 13.10: leftovers of env -i setsid -f]', async () => {
    const home = makeHome();
    const left = await leaveOrphan(home, 'shed-everything.mjs');
    expect(cgroupsOf(home)).toHaveLength(1);
    await endOrphans({ home });
    expect([left.child, left.tool].map(isRunning)).toEqual([false, false]);
    expect(cgroupsOf(home)).toEqual([]);
  });

  it('are those whose owner has lost its pid to another process', async () => {
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
  });

  it('know their home by whichever path it is reached', () => {
    const home = makeHome();
    symlinkSync(home, `${home}-link`);
    mkdirSync(join(home, 'inner'));
    expect(homeMark(join(`${home}-link`, 'inner'))).toBe(homeMark(join(home, 'inner')));
    expect(homeMark(home)).not.toBe(homeMark(`${home}x`));
  });

  it('have a living owner if nobody can tell: its clock is another one', () => {
    expect(ownerLives('2147483646.t1')).toBe(true);
    expect(ownerLives('2147483646.1')).toBe(false);
  });
});

/** All cgroups of this home, wherever they are: a test may itself run in one. */
function cgroupsOf(home: string): readonly string[] {
  const mount = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].find((path) =>
    existsSync(join(path, 'cgroup.procs')),
  );
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
