import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { HttpEnv } from '../../../../../src/gateway/channels/http/add-route.js';
import {
  eventStream,
  PlainData,
  type ServerSentEvent,
  type StreamOptions,
} from '../../../../../src/gateway/channels/http/event-stream.js';

function stream(events: () => AsyncIterable<ServerSentEvent>, options?: StreamOptions): Promise<Response> {
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
});
