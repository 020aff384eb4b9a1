import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readServerSentEvents,
  type ServerSentEvent,
} from '../../../../src/cli/client/read-server-sent-events.js';

async function read(chunks: readonly Uint8Array[], limit?: number): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of readServerSentEvents(each(chunks), limit)) events.push(event);
  return events;
}

async function* each(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

const bytes = (text: string) => new TextEncoder().encode(text);

const stream = `\ufeff: a comment
retry: 1000

id: 1.0.ended

event: state
data: {"channel":"häfen 🚂"}

id: 2.3.4
data:{"type":"text"}
data: second

event: said
id: 5
data

data: cut off`;

const events: readonly ServerSentEvent[] = [
  { event: '', data: undefined, id: '1.0.ended' },
  { event: 'state', data: '{"channel":"häfen 🚂"}', id: '1.0.ended' },
  { event: '', data: '{"type":"text"}\nsecond', id: '2.3.4' },
  { event: 'said', data: '', id: '5' },
];

describe('server-sent events (18.5)', () => {
  it.each(['\n', '\r', '\r\n'])('are read whatever the lines end with: %j', async (end) => {
    expect(await read([bytes(stream.replaceAll('\n', end))])).toEqual(events);
  });

  it('are the same however their bytes are cut', async () => {
    const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(cuts, fc.constantFrom('\n', '\r', '\r\n'), async (places, end) => {
        const whole = bytes(stream.replaceAll('\n', end));
        const at = [0, ...places.toSorted((a, b) => a - b), whole.length];
        const chunks = at.slice(1).map((to, index) => whole.subarray(at[index], to));
        expect(await read(chunks)).toEqual(events);
      }),
      { numRuns: 100 },
    );
  });

  it('of garbage are none, and never throw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 10 }), async (chunks) => {
        await read(chunks);
      }),
      { numRuns: 100 },
    );
  });

  it('that do not end are given up', async () => {
    const long = Array.from({ length: 20 }, () => bytes('x'.repeat(10)));
    await expect(read([bytes('data: '), ...long], 100)).rejects.toThrow('does not end');
    const lines = Array.from({ length: 20 }, () => bytes('data: 0123456789\n'));
    await expect(read(lines, 100)).rejects.toThrow('does not end');
  });
});
