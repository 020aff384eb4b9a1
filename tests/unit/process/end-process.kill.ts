import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { ownCgroup } from '../../../src/process/cgroup.js';
import { readCgroup } from '../../../src/process/read-proc.js';
import { patience } from '../../machine-speed.js';
import { goWay, isRunning, lineByLine, readAll, startFixture, untilGone, ways } from './start-fixture.js';

describe.each(ways)('end (S7) by %s', (way) => {
  goWay(way);

  it('ends a child at once that heeds SIGTERM', async () => {
    const child = await startFixture('never-read.mjs');
    await lineByLine(child)();
    const began = performance.now();
    expect(await child.end({ graceMs: 60_000 })).toEqual({ code: null, signal: 'SIGTERM' });
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  it.each(['marked', 'nameless'])('ends a %s tool that runs in a session of its own', async (how) => {
    const child = await startFixture('with-tools.mjs', [how]);
    const tool = Number(await lineByLine(child)());
    expect(isRunning(tool)).toBe(true);
    await child.end();
    expect(isRunning(tool)).toBe(false);
  });

  it('asks nobody twice: to some CLIs the second SIGTERM means at once', async () => {
    const child = await startFixture('count-signals.mjs', ['parent']);
    const next = lineByLine(child);
    expect([await next(), await next()]).toEqual(['ready', 'ready']);
    const ending = child.end({ graceMs: 20_000 });
    expect([await next(), await next()]).toEqual(['1', '1']);
    expect(await ending).toEqual({ code: 0, signal: null });
  });

  it('kills a child that ignores SIGTERM (R8.3)', async () => {
    const child = await startFixture('stubborn.mjs');
    await lineByLine(child)();
    expect(await child.end({ graceMs: 100 })).toEqual({ code: null, signal: 'SIGKILL' });
    expect(isRunning(child.pid)).toBe(false);
  });

  it('kills the program that a shim leaves behind', async () => {
    const child = await startFixture('shim.mjs');
    const real = Number(await lineByLine(child)());
    expect(await child.end({ graceMs: 200 })).toEqual({ code: null, signal: 'SIGTERM' });
    expect(isRunning(real)).toBe(false);
  });

  it('finds what forked twice by its mark', async () => {
    const child = await startFixture('escapee.mjs', ['stay']);
    const next = lineByLine(child);
    const escapee = Number(await next());
    expect(await next()).toBe('middle is gone');
    expect(isRunning(escapee)).toBe(true);
    await child.end();
    expect(isRunning(escapee)).toBe(false);
  });

  it.runIf(way === 'cgroups')(
    'ends what has shed every tie [fault 13.10: env -i setsid -f from a tool]',
    async () => {
      const child = await startFixture('shed-everything.mjs');
      const shed = Number(await lineByLine(child)());
      expect(isRunning(shed)).toBe(true);
      const cgroup = join(ownCgroup() ?? '', basename(readCgroup(shed)));
      expect(existsSync(cgroup)).toBe(true);
      await child.end();
      await vi.waitFor(() => expect(existsSync(cgroup)).toBe(false), patience);
      expect(isRunning(shed)).toBe(false);
    },
  );

  it('ends what is started while it ends the rest', async () => {
    const child = await startFixture('late-child.mjs');
    const next = lineByLine(child);
    expect(await next()).toBe('ready');
    const ending = child.end({ graceMs: 10_000 });
    const late = Number(await next());
    expect(await ending).toEqual({ code: 0, signal: null });
    expect(isRunning(late)).toBe(false);
  });

  it('ends what a tool without marks starts as its last act [fault 13.10: a fork of a tool that is being ended]', async () => {
    const child = await startFixture('last-fork.mjs');
    const next = lineByLine(child);
    expect(await next()).toBe('ready');
    const ending = child.end({ graceMs: 3000 });
    const late = Number(await next());
    await ending;
    expect(isRunning(late)).toBe(false);
  });

  it('is one ending however often it is called, and the shortest grace counts', async () => {
    const child = await startFixture('stubborn.mjs');
    await lineByLine(child)();
    const patient = child.end({ graceMs: 60_000 });
    const impatient = child.end({ graceMs: 50 });
    expect(impatient).toBe(patient);
    expect(await Promise.all([patient, impatient])).toEqual([
      { code: null, signal: 'SIGKILL' },
      { code: null, signal: 'SIGKILL' },
    ]);
    expect(await child.end()).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('gives the exit of a child that has ended by itself', async () => {
    const child = await startFixture('last-words.mjs');
    await child.exited;
    expect(await child.end()).toEqual({ code: 1, signal: null });
    expect(child.stderr()).toBe('no such session\n');
  });

  it('ends the lines of a reader who is waiting', async () => {
    const child = await startFixture('never-read.mjs');
    const reading = readAll(child);
    await child.end({ graceMs: 0 });
    expect((await reading).length).toBeLessThanOrEqual(1);
  });

  it('leaves other children alone', async () => {
    const [one, other] = await Promise.all([startFixture('with-tools.mjs'), startFixture('with-tools.mjs')]);
    const [tool, otherTool] = [Number(await lineByLine(one)()), Number(await lineByLine(other)())];
    await one.end();
    expect([isRunning(tool), isRunning(other.pid), isRunning(otherTool)]).toEqual([false, true, true]);
  });
});

describe.each(ways)('endLeftovers by %s', (way) => {
  goWay(way);

  it('ends what forked twice before the child exited', async () => {
    const child = await startFixture('escapee.mjs');
    const escapee = Number(await lineByLine(child)());
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(isRunning(escapee)).toBe(true);
    await child.endLeftovers();
    expect(isRunning(escapee)).toBe(false);
  });

  it('ends what stayed in the session of the child, marked or not', async () => {
    const child = await startFixture('leave-nameless.mjs');
    const [line] = await readAll(child);
    const nameless = Number(line?.text);
    expect(isRunning(nameless)).toBe(true);
    await child.endLeftovers();
    expect(isRunning(nameless)).toBe(false);
  });

  it('waits for a child that still runs', async () => {
    const child = await startFixture('echo.mjs', [], { stdin: 'open' });
    let ended = false;
    const ending = child.endLeftovers().then(() => {
      ended = true;
    });
    await child.write('still here\n');
    expect(await lineByLine(child)()).toBe('still here');
    expect(ended).toBe(false);
    child.closeInput();
    await ending;
    expect(await child.exited).toEqual({ code: 0, signal: null });
  });
});

describe.each(ways)('our own exit by %s', (way) => {
  goWay(way);

  it('kills living children and their tools', async () => {
    const owner = await startFixture('owner.ts', ['with-tools.mjs', 'exit']);
    const [pid, tool] = (await lineByLine(owner)()).split(' ').map(Number);
    expect(await owner.exited).toEqual({ code: 0, signal: null });
    await untilGone(pid ?? 0);
    await untilGone(tool ?? 0);
  });

  it('is listened to only while a child lives', async () => {
    const isListening = () => process.listeners('exit').some(({ name }) => name === 'killAll');
    // The children of another test file in this process may still be on their way out.
    await vi.waitFor(() => expect(isListening()).toBe(false), patience);
    const before = process.listenerCount('exit');
    const children = await Promise.all([startFixture('never-read.mjs'), startFixture('never-read.mjs')]);
    expect(process.listenerCount('exit')).toBe(before + 1);
    await Promise.all(children.map((child) => child.end({ graceMs: 0 })));
    expect(process.listenerCount('exit')).toBe(before);
  });
});
