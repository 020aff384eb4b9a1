import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import type { BackendSession } from '../../../src/sessions/types.js';
import { buildDemoAgent, collect, DemoSessions, lastOf } from './demo-sessions.js';

beforeAll(buildDemoAgent);

let demo: DemoSessions;
afterEach(async () => {
  await demo.close();
  expect(demo.processes()).toEqual([]);
});

describe('a live session and its permission mode (S1)', () => {
  it('changes its permission mode, and refuses one that it does not have', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ permissionMode: 'ask' });
    const note = join(demo.directory, 'demo-note.txt');
    await session.setPermissionMode('plan');
    const planned = await collect(session.send('write a note: planned'));
    expect(planned.map(({ type }) => type)).not.toContain('permission_request');
    expect(existsSync(note)).toBe(false);
    await session.setPermissionMode('edits');
    const edited = await collect(session.send('write a note: edited'));
    expect(edited.map(({ type }) => type)).not.toContain('permission_request');
    expect(existsSync(note)).toBe(true);
    // The mode is the session's, not the process's.
    for (const pid of demo.processes()) process.kill(pid, 'SIGKILL');
    const resumed = await collect(session.send('write a note: again'));
    expect(resumed.map(({ type }) => type)).not.toContain('permission_request');
    await expect(session.setPermissionMode('anything' as 'plan')).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('"anything"'),
    });
    const oneShot = await demo.open({ live: false });
    await expect(oneShot.setPermissionMode('ask')).rejects.toMatchObject({ code: 'unsupported' });
    await oneShot.setPermissionMode('edits');
  });

  it('moves to a process that can ask, when the one that it has can not', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ permissionMode: 'bypass' });
    const note = join(demo.directory, 'demo-note.txt');
    await collect(session.send('remember the number 42'));
    const { sessionId } = session;
    const [unasked] = demo.agents();
    await session.setPermissionMode('ask');
    await session.setPermissionMode('bypass');
    await collect(session.send('say exactly: unmoved'));
    expect(demo.agents()).toEqual([unasked]);
    await session.setPermissionMode('ask');
    const events: ChatEvent[] = [];
    for await (const event of session.send('write a note: asked for')) {
      events.push(event);
      if (event.type === 'permission_request') await session.answerPermission(event.id, 'deny');
    }
    const types = events.map(({ type }) => type);
    expect(types).toContain('permission_request');
    // That the process is another one is nobody's trouble.
    expect(types).not.toContain('notice');
    expect(existsSync(note)).toBe(false);
    expect(session.sessionId).toBe(sessionId);
    expect(JSON.stringify(await lastOf(session.send('what did I say before?')))).toContain('42');
  });

  it('can be given another mode before its first turn', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ permissionMode: 'bypass' });
    await session.setPermissionMode('plan');
    const events = await collect(session.send('write a note: planned'));
    expect(events.map(({ type }) => type)).not.toContain('permission_request');
    expect(existsSync(join(demo.directory, 'demo-note.txt'))).toBe(false);
  });

  it.each<[string, (session: BackendSession) => Promise<unknown>]>([
    [
      'while it moves',
      async (session) => {
        await session.setPermissionMode('ask');
        await collect(session.send('hello'));
        await session.setPermissionMode('bypass');
        const moving = collect(session.send('hello'));
        await sleep(15);
        await session.setPermissionMode('ask');
        await moving;
      },
    ],
    [
      'while its process is being replaced',
      async (session) => {
        for (const pid of demo.agents()) process.kill(pid, 'SIGKILL');
        await sleep(300);
        const resuming = collect(session.send('hello'));
        await sleep(15);
        await session.setPermissionMode('ask');
        await resuming;
      },
    ],
    [
      'behind another one, both at once',
      (session) => Promise.all([session.setPermissionMode('bypass'), session.setPermissionMode('ask')]),
    ],
  ])('has the last mode that was set, %s', async (_, set) => {
    demo = new DemoSessions();
    const session = await demo.open({ permissionMode: 'bypass' });
    await collect(session.send('remember the number 42'));
    await set(session);
    expect(await noteTurn(session)).toContain('permission_request');
    expect(existsSync(join(demo.directory, 'demo-note.txt'))).toBe(false);
    expect(JSON.stringify(await lastOf(session.send('what did I say before?')))).toContain('42');
  });

  it('has a mode in the next turn that nobody waited for', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ permissionMode: 'bypass' });
    await collect(session.send('hello'));
    const set = session.setPermissionMode('ask');
    expect(await noteTurn(session)).toContain('permission_request');
    await set;
  });

  it('keeps the model that was set while its process is being replaced', async () => {
    demo = new DemoSessions();
    const session = await demo.open();
    await collect(session.send('hello'));
    for (const pid of demo.agents()) process.kill(pid, 'SIGKILL');
    await sleep(300);
    const resuming = collect(session.send('hello'));
    await sleep(15);
    await session.setModel('demo-other');
    await resuming;
    const events = await collect(session.send('hello'));
    expect(events.find((event) => event.type === 'session')).toMatchObject({ model: 'demo-other' });
  });

  it('stays the same session when it moves after a turn that was stopped before it said anything', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ permissionMode: 'bypass' });
    for await (const event of session.send('hang'))
      if (event.type === 'session') setTimeout(() => void session.interrupt(), 50);
    const { sessionId } = session;
    expect(sessionId).toBeDefined();
    await session.setPermissionMode('ask');
    const events = await collect(session.send('what did I say before?'));
    expect(session.sessionId).toBe(sessionId);
    expect(events.map(({ type }) => type)).not.toContain('notice');
  });

  it('says so when it begins anew because nothing was stored', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ permissionMode: 'bypass' });
    for await (const event of session.send('hang'))
      if (event.type === 'session') setTimeout(() => void session.interrupt(), 50);
    await session.setPermissionMode('ask');
    demo.forgetConversations();
    const events = await collect(session.send('say exactly: anew'));
    expect(events.find((event) => event.type === 'notice')).toMatchObject({
      message: expect.stringContaining('never stored'),
    });
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'anew' });
  });

  it('says so when a move ends what it had left running', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ permissionMode: 'bypass' });
    await collect(session.send('start a child'));
    expect(demo.processes()).toHaveLength(2);
    await session.setPermissionMode('ask');
    const events = await collect(session.send('hello'));
    expect(events.find((event) => event.type === 'notice')).toMatchObject({
      level: 'warning',
      message: expect.stringContaining('left running'),
    });
    expect(demo.processes()).toHaveLength(1);
  });

  it('says so with the next turn when the new process could not be started', async () => {
    demo = new DemoSessions();
    const cliPath = join(demo.directory, 'agent.js');
    const install = () => symlinkSync(demo.config.cliPath, cliPath);
    install();
    const session = await demo.open({ config: { ...demo.config, cliPath }, permissionMode: 'bypass' });
    await collect(session.send('start a child'));
    await session.setPermissionMode('ask');
    rmSync(cliPath);
    expect(await lastOf(session.send('hello'))).toMatchObject({ type: 'error', code: 'not_installed' });
    install();
    const events = await collect(session.send('hello'));
    expect(events.filter((event) => event.type === 'notice')).toMatchObject([
      { level: 'warning', message: expect.stringContaining('left running') },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'complete' });
  });

  it('leaves no process behind when it moves', async () => {
    demo = new DemoSessions();
    const session = await demo.open({ permissionMode: 'bypass' });
    for (const mode of ['ask', 'bypass', 'ask'] as const) {
      await collect(session.send('hello'));
      await session.setPermissionMode(mode);
    }
    await collect(session.send('hello'));
    expect(demo.sessions.processes).toBe(1);
    expect(demo.agents()).toHaveLength(1);
  });
});

async function noteTurn(session: BackendSession): Promise<readonly ChatEvent['type'][]> {
  rmSync(join(demo.directory, 'demo-note.txt'), { force: true });
  const types: ChatEvent['type'][] = [];
  for await (const event of session.send('write a note: asked for')) {
    types.push(event.type);
    if (event.type === 'permission_request') await session.answerPermission(event.id, 'deny');
  }
  return types;
}
