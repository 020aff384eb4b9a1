import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ListedSession } from '../../../src/backends/record/types.js';
import type { BackendAdapter } from '../../../src/backends/types.js';
import { recordPath, sessionId, writeSessions } from '../../unit/backends/record/written-sessions.js';
import { setUpGateway } from '../stage.js';

/** A backend with a session of its own, whose id is new each time. Turns wait for `open`, if there is one. */
function toy({ problem, open = Promise.resolve() }: { problem?: Error; open?: Promise<void> } = {}) {
  const old: ListedSession = { sessionId: randomUUID(), title: 'fix the parser', updatedAt: 1000 };
  const calls: (readonly [prompt: string, sessionId: string | undefined])[] = [];
  const adapter: BackendAdapter = {
    name: () => 'toy',
    validate: async () => true,
    async execute(prompt, _systemPrompt, id) {
      calls.push([prompt, id]);
      await open;
      return { isError: false, responseText: `You said ${prompt}`, sessionId: id ?? `new-${old.sessionId}` };
    },
    async listSessions() {
      if (problem !== undefined) throw problem;
      return [old];
    },
  };
  return { adapter, calls, old };
}

describe('the CLIs’ own sessions (16.4)', () => {
  it('a channel goes on with one, also after a restart: it is told so, and nothing that was said in the channel before', async () => {
    const stage = setUpGateway();
    const { adapter, calls, old } = toy();
    const client = await stage.start({}, adapter);
    const { vendorSessions } = client.gateway;
    await client.ask('c', 'hello');
    const { cwd, sessions, problems } = await vendorSessions.list('c');
    expect({ cwd, sessions, problems }).toEqual({
      cwd: stage.work,
      sessions: [{ ...old, backend: 'toy' }],
      problems: [],
    });

    await vendorSessions.resume('c', 'toy', old.sessionId);
    expect((await client.messages('c')).at(-1)).toMatchObject({
      role: 'system',
      text: `Going on with the session ${old.sessionId} of toy: fix the parser`,
    });
    // It is this channel's now.
    expect((await vendorSessions.list('d')).sessions).toEqual([]);
    await expect(vendorSessions.resume('d', 'toy', old.sessionId)).rejects.toThrow(/already/);

    // A restart changes nothing about that.
    await client.stop();
    const next = await stage.start({}, adapter);
    expect(await next.ask('c', 'go on')).toMatchObject({ state: 'answered' });
    expect(calls.at(-1)).toEqual(['go on', old.sessionId]);
    expect(await next.gateway.status('c')).toMatchObject({ backend: 'toy', firstPrompt: 'go on' });
  });

  it('not while a turn runs or a message waits, nor with what is not in the list; and nothing is changed then', async () => {
    const stage = setUpGateway();
    let open = (): void => undefined;
    const { adapter, calls, old } = toy({ open: new Promise((resolve) => (open = resolve)) });
    const client = await stage.start({}, adapter);
    const resume = (channel: string, backend: string, id: string) =>
      expect(client.gateway.vendorSessions.resume(channel, backend, id)).rejects;
    const running = await client.post('c', 'one');
    await resume('c', 'toy', old.sessionId).toMatchObject({ code: 'bad_request', message: /runs or waits/ });
    for (const [backend, id, why] of [
      ['nobody', 'old', /no backend "nobody"/],
      ['toy', '../../etc/passwd', /no session/],
      ['claude', 'old', /no session/],
    ] as const) {
      await resume('d', backend, id).toMatchObject({ code: 'bad_request', message: why });
    }
    expect(await client.messages('d')).toEqual([]);
    open();
    await client.ended(running);
    await client.ask('c', 'two');
    expect(calls.at(-1)).toEqual(['two', `new-${old.sessionId}`]);
  });

  it('sessions that can’t be listed are a problem in words, and hide no others', async () => {
    const stage = setUpGateway();
    const bin = join(stage.root, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'codex'), '#!/bin/sh\n', { mode: 0o755 });
    const written = { id: sessionId(1), cwd: stage.work, usedAt: 1000, prompt: 'look around' };
    writeSessions('codex', stage.root, [written]);
    // Gemini is not installed here: nobody could go on with its session.
    writeSessions('gemini', stage.root, [written]);
    mkdirSync(dirname(recordPath('claude', stage.root, written)), { recursive: true });
    const { adapter } = toy({ problem: new Error('EACCES: permission denied') });
    const client = await stage.start({ PATH: bin }, adapter);
    expect(await client.gateway.vendorSessions.list('c')).toEqual({
      cwd: stage.work,
      sessions: [{ backend: 'codex', sessionId: sessionId(1), title: 'look around', updatedAt: 1_000_000 }],
      problems: ["The sessions of toy can't be listed: EACCES: permission denied"],
    });
  });
});
