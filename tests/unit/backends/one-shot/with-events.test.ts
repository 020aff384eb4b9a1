import { describe, expect, it } from 'vitest';
import { withEvents } from '../../../../src/backends/one-shot/with-events.js';
import type { BackendAdapter, RunOptions, RunRequest } from '../../../../src/backends/types.js';
import { type ChatEvent, isTerminal } from '../../../../src/core/chat-event.js';

const made = { cwd: '/work', model: 'm' };

function toy(execute: BackendAdapter['execute']): BackendAdapter {
  return { name: () => 'toy', validate: async () => true, execute };
}

async function run(
  execute: BackendAdapter['execute'],
  request: Partial<RunRequest> = {},
  options?: RunOptions,
): Promise<readonly ChatEvent[]> {
  const events: ChatEvent[] = [];
  const backend = withEvents(toy(execute), made);
  for await (const event of backend.run({ prompt: 'hi', ...request }, options)) events.push(event);
  expect(events.filter(isTerminal)).toEqual(events.slice(-1));
  return events;
}

describe('the turns of an adapter that has only execute, as events (R10.2)', () => {
  it('what it streams, its session and its answer', async () => {
    const events = await run(async (prompt, system, id, onStream) => {
      await onStream?.('a');
      await onStream?.('b');
      return { isError: false, responseText: `${prompt} ${system} ${id}`, sessionId: 's' };
    });
    expect(events).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { type: 'session', sessionId: 's', backend: 'toy' },
      { type: 'complete', text: 'hi  undefined', sessionId: 's', stopReason: 'end_turn' },
    ]);
  });

  it('an answer that was not streamed', async () => {
    const events = await run(async () => ({ isError: false, responseText: 'all of it', sessionId: '' }));
    expect(events).toEqual([
      { type: 'text', text: 'all of it' },
      { type: 'complete', text: 'all of it', sessionId: '', stopReason: 'end_turn' },
    ]);
  });

  it.each([
    ['Query timed out', 'timeout'],
    ['Failed to parse CLI output', 'parse'],
    ['Toy CLI error (exit 3): unknown error', 'crashed'],
    ['Toy CLI error (signal SIGKILL): unknown error', 'crashed'],
    ['No conversation found with session ID: x', 'session_not_found'],
    ['API Error: 429 slow down', 'rate_limit'],
    ['It did not work.', 'unknown'],
  ] as const)('the failure %j has the code %s', async (responseText, code) => {
    const [event] = await run(async () => ({ isError: true, responseText }));
    expect(event).toMatchObject({ type: 'error', code, message: responseText });
  });

  it('an execute that throws or rejects is a failed turn', async () => {
    const broken = (): never => {
      throw new Error('broken');
    };
    for (const execute of [broken, async () => broken()]) {
      expect(await run(execute)).toMatchObject([{ type: 'error', code: 'unknown', message: 'broken' }]);
    }
  });

  it('an execute that throws what can not be looked at is a failed turn', async () => {
    const get = (): never => {
      throw new Error('looked at');
    };
    const thrown = Object.defineProperty(new Error('x'), 'message', { get });
    expect(await run(() => Promise.reject(thrown))).toMatchObject([{ type: 'error', code: 'unknown' }]);
  });

  it('a stop and a time limit end the turn, and the execute goes on unheard', async () => {
    const controller = new AbortController();
    let later: Promise<unknown> | undefined;
    const execute: BackendAdapter['execute'] = async (_prompt, _system, _id, onStream) => {
      await onStream?.('begun');
      controller.abort();
      await new Promise((resolve) => setTimeout(resolve, 100));
      later = Promise.resolve(onStream?.('too late'));
      await later;
      return { isError: false, responseText: 'too late' };
    };
    const stopped = await run(execute, {}, { signal: controller.signal });
    expect(stopped).toMatchObject([{ text: 'begun' }, { type: 'error', code: 'interrupted' }]);
    const late = await run(() => new Promise(() => {}), { timeoutMs: 50 });
    expect(late).toMatchObject([
      { type: 'error', code: 'timeout', message: 'Query timed out', retryable: false },
    ]);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await expect(later).resolves.toBeUndefined();
  });

  it('a stop reaches an execute that takes a signal, and a signal whose time is up is a time-out', async () => {
    const stop = new AbortController();
    let heard: AbortSignal | undefined;
    const execute: BackendAdapter['execute'] = async (_prompt, _system, _id, onStream, options) => {
      heard = options?.signal;
      stop.abort(new DOMException('late', 'TimeoutError'));
      await onStream?.('too late');
      return { isError: false, responseText: 'too late' };
    };
    const timedOut = { type: 'error', code: 'timeout', message: 'Query timed out' };
    expect(await run(execute, {}, { signal: stop.signal })).toMatchObject([timedOut]);
    expect(heard?.aborted).toBe(true);
    expect(await run(execute, {}, { signal: stop.signal })).toMatchObject([timedOut]);
  });

  it('a stop ends the turn at once, whatever was said and not read', async () => {
    const controller = new AbortController();
    const backend = withEvents(
      toy((_prompt, _system, _id, onStream) => {
        for (let at = 0; at < 1000; at += 1) void onStream?.(`${at} `);
        return new Promise(() => {});
      }),
      made,
    );
    const events: ChatEvent[] = [];
    for await (const event of backend.run({ prompt: 'hi' }, { signal: controller.signal })) {
      events.push(event);
      void controller.abort();
    }
    expect(events.length).toBeLessThanOrEqual(2);
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'interrupted' });
  });

  it('an adapter that does not wait for its reader loses nothing, up to a limit', async () => {
    const pieces = (count: number, text: string) =>
      run(async (_prompt, _system, _id, onStream) => {
        for (let at = 0; at < count; at += 1) void onStream?.(text);
        return { isError: false, responseText: 'x' };
      });
    const events = await pieces(10_000, 'ab');
    const said = events.map((event) => (event.type === 'text' ? event.text : ''));
    expect(said.join('')).toBe('ab'.repeat(10_000));
    expect(events.length).toBeLessThan(10);
    expect((await pieces(40, 'x'.repeat(2 ** 20))).at(-1)).toMatchObject({
      ...{ type: 'error', code: 'unknown' },
      message: 'toy has said more than 33554432 characters without waiting for its reader.',
    });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a string', 'done'],
    ['an answer that is no text', { isError: false, responseText: 7 }],
  ])('an execute that gives %s is told as a wrong adapter', async (_what, result) => {
    const [event] = await run(async () => result as never);
    expect(event).toMatchObject({ type: 'error', code: 'unknown' });
    expect(event).toHaveProperty('message', expect.stringMatching(/^The adapter toy is wrong: its execute/));
  });

  it('a result with a field of its own called type is a result', async () => {
    const events = await run(async () => ({ isError: false, responseText: 'x', type: 'error' }));
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'x' });
  });

  it('continueLast is looked up where the adapter can, and refused where it can’t', async () => {
    const ids: (string | undefined)[] = [];
    const adapter = toy(async (_prompt, _system, id) => {
      ids.push(id);
      return { isError: false, responseText: 'x' };
    });
    const last = async (given: BackendAdapter) => {
      const events: ChatEvent[] = [];
      for await (const event of withEvents(given, made).run({ prompt: 'hi', continueLast: true }))
        events.push(event);
      return events.at(-1);
    };
    expect(await last(adapter)).toMatchObject({
      ...{ type: 'error', code: 'unsupported' },
      message: expect.stringContaining('toy does not support continueLast'),
    });
    expect(ids).toEqual([]);
    await last({ ...adapter, lastSession: async (cwd) => `of ${cwd}` });
    expect(ids).toEqual(['of /work']);
  });

  it('an execute waits until the last one of its session has ended, also if nobody listens to that', async () => {
    const log: string[] = [];
    let release = (): void => {};
    const adapter = toy(async (prompt, _system, id) => {
      log.push(`> ${prompt} ${id}`);
      if (prompt === 'slow')
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      log.push(`< ${prompt} ${id}`);
      return { isError: false, responseText: 'x' };
    });
    const ask = async (prompt: string, sessionId: string, timeoutMs = 0) => {
      const events: ChatEvent[] = [];
      // Each session wraps the adapter for itself.
      for await (const event of withEvents(adapter, made).run({ prompt, sessionId, timeoutMs }))
        events.push(event);
      return events.at(-1);
    };
    expect(await ask('slow', 's', 50)).toMatchObject({ type: 'error', code: 'timeout' });
    expect(await ask('next', 's', 50)).toMatchObject({
      ...{ type: 'error', code: 'timeout' },
      message: 'toy is still busy with an earlier turn of this session: it was not asked.',
    });
    expect(await ask('other', 't')).toMatchObject({ type: 'complete' });
    const last = ask('last', 's');
    await new Promise((resolve) => setTimeout(resolve, 20));
    release();
    expect(await last).toMatchObject({ type: 'complete' });
    expect(log).toEqual(['> slow s', '> other t', '< other t', '< slow s', '> last s', '< last s']);
  });

  it('its tools are not known', async () => {
    const query = { cwd: '/', since: 0, prompt: '', clockSetBack: false };
    const bare = withEvents(
      toy(async () => ({ isError: false })),
      made,
    );
    expect(await bare.recordedTools?.(query)).toEqual({
      ...{ type: 'untold', reason: 'toy does not tell which tools it runs' },
    });
  });

  it('a slow reader has the adapter wait, and one that leaves lets it go on', async () => {
    let handed = 0;
    let ended = false;
    const backend = withEvents(
      toy(async (_prompt, _system, _id, onStream) => {
        for (let at = 0; at < 100; at += 1) {
          await onStream?.('x');
          handed += 1;
        }
        ended = true;
        return { isError: false, responseText: 'x' };
      }),
      made,
    );
    for await (const _ of backend.run({ prompt: 'hi' })) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(handed).toBe(0);
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ended).toBe(true);
  });

  it.each([
    ['an empty prompt', { prompt: '' }, 'bad_request'],
    ['another directory', { cwd: '/elsewhere' }, 'unsupported'],
    ['another model', { model: 'other' }, 'unsupported'],
    ['tools', { allowedTools: ['Bash'] }, 'unsupported'],
    ['a permission mode', { permissionMode: 'plan' }, 'unsupported'],
    ['variables', { env: { A: 'b' } }, 'unsupported'],
    ['extra arguments', { rawArgs: ['-x'] }, 'unsupported'],
  ] as const)('%s is refused before anything is asked (O4)', async (_what, request, code) => {
    let calls = 0;
    const events = await run(async () => {
      calls += 1;
      return { isError: false, responseText: 'x' };
    }, request);
    expect(events).toMatchObject([{ type: 'error', code }]);
    expect(calls).toBe(0);
    const same = { cwd: '/work', model: 'm', permissionMode: 'bypass' } as const;
    expect(await run(async () => ({ isError: false, responseText: 'x' }), same)).toHaveLength(2);
  });

  it('keeps every other member of the adapter', () => {
    const more = {
      hasEffects: true,
      signIn: 'Sign in.',
      readingTools: new Set(['look']),
      interactive: async () => ({}) as never,
      credentials: async () => ({ signedIn: 'yes' as const }),
      recordState: async () => 'state',
    };
    const adapter = Object.assign(
      toy(async () => ({ isError: false })),
      more,
    );
    expect(Object.keys(withEvents(adapter, made))).toEqual(expect.arrayContaining(Object.keys(more)));
  });

  it('an adapter that has more keeps it', async () => {
    const full: BackendAdapter = {
      ...toy(async () => ({ isError: false })),
      recordedTools: async () => ({ type: 'tools', tools: [] }),
      async *run() {
        yield { type: 'complete', text: 'own', sessionId: 's', stopReason: 'end_turn' };
      },
    };
    const backend = withEvents(full, made);
    expect(await backend.recordedTools?.({ cwd: '/', since: 0, prompt: '', clockSetBack: false })).toEqual({
      type: 'tools',
      tools: [],
    });
    const events: ChatEvent[] = [];
    for await (const event of backend.run({ prompt: 'hi' })) events.push(event);
    expect(events).toMatchObject([{ text: 'own' }]);
    expect(backend.live).toBeUndefined();
    expect(withEvents(backend, made)).toBe(backend);
  });
});
