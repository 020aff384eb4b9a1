import { describe, expect, it } from 'vitest';
import {
  type SentEvent,
  streamEvents,
} from '../../../../../../src/gateway/channels/http/openai/server-sent-events.js';

describe('a stream of server-sent events', () => {
  it('says something while nothing happens, and loses nothing by it (16.3)', async () => {
    async function* slow(): AsyncGenerator<SentEvent> {
      yield { event: 'first', data: { a: 1 } };
      await new Promise((resolve) => setTimeout(resolve, 60));
      yield { data: '[DONE]' };
    }
    const text = await new Response(streamEvents(slow(), 20)).text();
    expect(text).toMatch(/^event: first\ndata: {"a":1}\n\n(: keep-alive\n\n)+data: \[DONE\]\n\n$/);
  });

  it('makes no event that nobody reads, and leaves the events when its reader goes (16.3)', async () => {
    let made = 0;
    let left = false;
    async function* endless(): AsyncGenerator<SentEvent> {
      try {
        for (;;) yield { data: { made: ++made } };
      } finally {
        left = true;
      }
    }
    const reader = streamEvents(endless()).getReader();
    await reader.read();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(made).toBe(2);
    await reader.cancel();
    expect(left).toBe(true);
  });
});
