import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { HttpEnv } from '../../../../../src/gateway/channels/http/add-route.js';
import {
  eventStream,
  PlainData,
  type ServerSentEvent,
  type StreamOptions,
} from '../../../../../src/gateway/channels/http/event-stream.js';

function stream(
  events: (signal: AbortSignal) => AsyncIterable<ServerSentEvent>,
  options?: StreamOptions,
): Promise<Response> {
  const app = new Hono<HttpEnv>().get('/', (c) =>
    eventStream(c, new AbortController().signal, events, options),
  );
  return Promise.resolve(app.request('/'));
}

describe('a stream of server-sent events', () => {
  it('says something while nothing happens, and loses nothing by it (16.3)', async () => {
    const response = await stream(
      async function* slow() {
        yield { event: 'first', id: '7', data: { a: 'x\ny' } };
        await new Promise((resolve) => setTimeout(resolve, 60));
        yield { data: new PlainData('[DONE]') };
      },
      { heartbeatMs: 20 },
    );
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await response.text()).toMatch(
      /^event: first\nid: 7\ndata: {"a":"x\\ny"}\n\n(: still here\n\n)+data: \[DONE\]\n\n$/,
    );
  });

  it('makes only the events that there is room for, and leaves them when its reader goes (16.3)', async () => {
    let made = 0;
    let left = false;
    const response = await stream(async function* endless() {
      try {
        for (;;) yield { data: { made: ++made, text: 'x'.repeat(10_000) } };
      } finally {
        left = true;
      }
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(made).toBeLessThan(5);
    await reader?.cancel();
    expect(left).toBe(true);
  });

  it('is left without a complaint while it waits for the next event; only what breaks it is one (16.3)', async () => {
    const failures: unknown[] = [];
    const onFailure = (error: unknown) => failures.push(error);
    async function* untilLeft(signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
      yield { data: 1 };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    }
    async function* brokenByLeaving(signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
      yield* untilLeft(signal);
      throw new Error('left');
    }
    for (const events of [untilLeft, brokenByLeaving]) {
      const reader = (await stream(events, { onFailure })).body?.getReader();
      await reader?.read();
      const pending = reader?.read();
      await new Promise((resolve) => setTimeout(resolve, 5));
      await reader?.cancel();
      expect(await pending).toMatchObject({ done: true });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(failures).toEqual([]);
    const broken = await stream(
      // biome-ignore lint/correctness/useYield: it breaks before its first event
      async function* breaks() {
        throw new Error('broken');
      },
      { onFailure },
    );
    await expect(broken.text()).rejects.toThrow('broken');
    expect(failures).toMatchObject([{ message: 'broken' }]);
  });

  it('leaves nothing behind for each time that it says it is there (16.3)', async () => {
    let end = () => {};
    const next = new Promise<IteratorResult<ServerSentEvent>>((resolve) => {
      end = () => resolve({ done: true, value: undefined });
    });
    let reactions = 0;
    // biome-ignore lint/suspicious/noThenProperty: it counts what waits for the promise
    next.then = function counted(this: typeof next, ...handlers) {
      reactions += 1;
      return Promise.prototype.then.apply(this, handlers) as never;
    };
    const events = { [Symbol.asyncIterator]: () => ({ next: () => next }) };
    const reader = (await stream(() => events, { heartbeatMs: 1 })).body?.getReader();
    for (let beat = 0; beat < 10; beat++) await reader?.read();
    expect(reactions).toBe(1);
    end();
    for (let done = false; !done; ) ({ done = true } = (await reader?.read()) ?? {});
  });
});
