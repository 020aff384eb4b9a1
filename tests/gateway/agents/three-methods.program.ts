import { describe, expect, it } from 'vitest';
import type { BackendAdapter, StreamCallback } from '../../../src/backends/types.js';
import { setUpGateway } from '../stage.js';

type Call = readonly [prompt: string, systemPrompt: string, sessionId: string | undefined];

/** An adapter with R1's three methods and no more, as a user of the library writes it. */
function toy({ valid = true } = {}) {
  const calls: Call[] = [];
  const adapter: BackendAdapter = {
    name: () => 'toy',
    validate: async () => valid,
    async execute(prompt, systemPrompt, sessionId, onStream?: StreamCallback) {
      calls.push([prompt, systemPrompt, sessionId]);
      if (prompt.endsWith('fail')) return { isError: true, responseText: 'It did not work.' };
      if (prompt.endsWith('no id')) return { isError: false, responseText: 'No id.' };
      if (sessionId === 'lost') return { isError: true, responseText: 'Session not found' };
      await onStream?.('You said ');
      await onStream?.(prompt);
      const id = prompt === 'lose it' ? 'lost' : (sessionId ?? 's1');
      return { isError: false, responseText: `You said ${prompt}`, sessionId: id };
    },
  };
  return { adapter, calls };
}

describe.each([
  ['one-shot', {}],
  ['live', { BACKEND_LIVE: '1' }],
])('a backend that has only name, validate and execute, %s (R10.2)', (_, settings) => {
  it('answers, goes on with its session, and is told the persona', async () => {
    const stage = setUpGateway(settings);
    stage.configure('soul.md', 'You are Ada.');
    const { adapter, calls } = toy();
    const client = await stage.start({}, adapter);
    expect(await client.ask('a', 'hello')).toMatchObject({
      state: 'answered',
      responseText: 'You said hello',
    });
    expect(await client.ask('a', 'again')).toMatchObject({ responseText: 'You said again' });
    expect((await client.messages('a')).at(-1)).toMatchObject({ role: 'assistant', backend: 'toy' });
    expect(calls.map(([prompt, , id]) => [prompt, id])).toEqual([
      ['hello', undefined],
      ['again', 's1'],
    ]);
    expect(calls[0]?.[1]).toContain('You are Ada.');
  });

  it('keeps its session when it returns no id, and after a failure (R10.4)', async () => {
    const stage = setUpGateway(settings);
    const { adapter, calls } = toy();
    const client = await stage.start({}, adapter);
    await client.ask('a', 'hello');
    expect(await client.ask('a', 'no id')).toMatchObject({ state: 'answered', responseText: 'No id.' });
    expect(await client.ask('a', 'fail')).toMatchObject({
      state: 'failed',
      error: { code: 'unknown', message: 'It did not work.' },
    });
    await client.stop();
    const next = await stage.start({}, adapter);
    await next.ask('a', 'still there?');
    expect(calls.map(([, , id]) => id)).toEqual([undefined, 's1', 's1', 's1']);
    await next.ask('b', 'no id');
    await next.ask('b', 'no id');
    expect(calls.slice(-2).map(([, , id]) => id)).toEqual([undefined, undefined]);
  });

  it('begins anew when its session is lost, by its words alone (R10)', async () => {
    const stage = setUpGateway(settings);
    const { adapter, calls } = toy();
    const client = await stage.start({}, adapter);
    await client.ask('a', 'lose it');
    expect(await client.ask('a', 'hello')).toMatchObject({ state: 'answered' });
    expect(calls.map(([, , id]) => id)).toEqual([undefined, 'lost', undefined]);
  });

  it.each([
    ['a crash', 'Toy CLI error (signal SIGKILL): unknown error'],
    ['a timeout', 'Query timed out'],
    ['a limit', '429 rate limit'],
  ])('is retried after %s like a built-in one (R10)', async (_what, responseText) => {
    const stage = setUpGateway(settings);
    const calls: string[] = [];
    const adapter: BackendAdapter = {
      ...toy().adapter,
      async execute(prompt) {
        calls.push(prompt);
        return calls.length < 3 ? { isError: true, responseText } : { isError: false, responseText: 'done' };
      },
    };
    const client = await stage.start({}, adapter);
    expect(await client.ask('a', 'do it')).toMatchObject({ state: 'answered', responseText: 'done' });
    expect(calls).toEqual(['do it', 'do it', 'do it']);
  });

  it('is not retried if it declares that a run has effects (R10)', async () => {
    const stage = setUpGateway(settings);
    const calls: string[] = [];
    const adapter: BackendAdapter = {
      ...toy().adapter,
      hasEffects: true,
      async execute(prompt, _system, sessionId) {
        calls.push(prompt);
        if (prompt === 'hello') return { isError: false, responseText: 'hi', sessionId: 's1' };
        return { isError: true, responseText: `Toy CLI error (exit 1): ${sessionId}` };
      },
    };
    const client = await stage.start({}, adapter);
    await client.ask('a', 'hello');
    expect(await client.ask('a', 'do it')).toMatchObject({ state: 'failed', error: { code: 'crashed' } });
    expect(calls).toEqual(['hello', 'do it']);
    expect((await client.messages('a')).at(-1)?.text).toBe(
      'toy could not answer (crashed): Toy CLI error (exit 1): s1\nIt is not repeated by itself, because tools may have begun: toy does not tell which tools it runs.\nSend /retry to run it again.',
    );
    await client.ask('a', '/retry');
    expect(calls).toEqual(['hello', 'do it', 'do it']);
  });

  it('never runs twice at once in a channel, also after a time-out (R10)', async () => {
    const stage = setUpGateway({ ...settings, QUERY_TIMEOUT_MS: '3000' });
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const calls: string[] = [];
    const log: string[] = [];
    const adapter: BackendAdapter = {
      ...toy().adapter,
      async execute(prompt) {
        calls.push(prompt);
        log.push(`> ${prompt.slice(-4)}`);
        if (prompt.endsWith('slow')) await finished;
        log.push(`< ${prompt.slice(-4)}`);
        return { isError: false, responseText: 'done' };
      },
    };
    const client = await stage.start({}, adapter);
    expect(await client.ask('a', 'slow')).toMatchObject({
      ...{ state: 'failed', attempts: 1, error: { code: 'timeout' } },
    });
    // Another channel does not wait.
    expect(await client.ask('b', 'fast')).toMatchObject({ state: 'answered' });
    expect(log).toEqual(['> slow', '> fast', '< fast']);
    const next = client.ask('a', 'next');
    finish();
    expect(await next).toMatchObject({ state: 'answered', responseText: 'done' });
    expect(log.slice(3)).toEqual(['< slow', '> next', '< next']);
  });

  it('is asked at the start whether it can be used (R9.1)', async () => {
    const stage = setUpGateway(settings);
    await expect(stage.start({}, toy({ valid: false }).adapter)).rejects.toThrow(
      /The backend toy \(.*\) can't be used/,
    );
  });

  it.each([
    ['a directory', 'cwd: elsewhere', /does not support the directory .*elsewhere/],
    ['a model', 'model: big', /does not support the model big/],
    ['a permission mode', 'permission_mode: plan', /does not support permissionMode/],
  ])('refuses %s of a channel that it can’t be told', async (_what, line, message) => {
    const stage = setUpGateway(settings);
    stage.configure('channels/a/channel.md', `---\n${line}\n---\n`);
    const { adapter, calls } = toy();
    const client = await stage.start({}, adapter);
    const event = await client.ask('a', 'hello');
    expect(event).toMatchObject({ state: 'failed', error: { code: 'unsupported' } });
    expect(event.error?.message).toMatch(message);
    expect(calls).toEqual([]);
  });
});
