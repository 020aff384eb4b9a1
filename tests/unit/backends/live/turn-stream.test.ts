import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxUnreadBytes, TurnStream } from '../../../../src/backends/live/turn-stream.js';
import type { LiveEvent } from '../../../../src/backends/live/types.js';

const mebibyte = 'x'.repeat(1024 * 1024);
const text = (said: string) => ({ type: 'text', text: said }) as const;
const output = { type: 'tool_end', id: 't', output: mebibyte, isError: false } as const;
const usage = { type: 'usage', inputTokens: 1, outputTokens: 2 } as const;
const question = { type: 'permission_request', id: 'q', tool: 'shell', input: {}, options: [] } as const;
const ending = {
  type: 'ending',
  ending: { type: 'answered', stopReason: 'end_turn', text: 'all' },
} as const;
const fellBehind = {
  type: 'ending',
  ending: { type: 'failed', code: 'interrupted', message: expect.stringContaining('32 MiB behind') },
};

describe('a stream of a turn’s events', () => {
  it('gives all in order, whoever is first: the one who pushes or the one who reads', async () => {
    const steps = fc.array(fc.constantFrom('push', 'read', 'take', 'wait'), { maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (order, pausable) => {
        const stream = new TurnStream({ pausable });
        const read: LiveEvent[] = [];
        let pushed = 0;
        let reading: Promise<void> | undefined;
        const next = async () => {
          const { value } = await stream.next();
          if (value) read.push(value);
          reading = undefined;
        };
        for (const step of order) {
          const last = read.at(-1);
          if (step === 'push') expect(stream.push(text(String(pushed++)))).toBe(true);
          else if (step === 'read') reading ??= next();
          else if (step === 'wait') await new Promise(setImmediate);
          else if (reading === undefined && last !== undefined) read.push(...stream.takeBuffered(last));
        }
        stream.push(ending);
        await reading;
        for await (const event of stream) read.push(event);
        const texts = Array.from({ length: pushed }, (_, count) => text(String(count)));
        expect(read).toEqual([...texts, ending]);
      }),
      { numRuns: 100 },
    );
  });

  it('begins with its reader’s first step, once', async () => {
    let begun = 0;
    const stream: TurnStream = new TurnStream({
      begin: () => {
        begun += 1;
        stream.push(text('a'));
        stream.push(ending);
      },
    });
    expect(begun).toBe(0);
    expect(await all(stream)).toEqual([text('a'), ending]);
    expect(begun).toBe(1);
  });

  it('is over with its ending, read or not, and takes nothing behind it', async () => {
    const stream = new TurnStream();
    expect(stream.isOver).toBe(false);
    expect([text('a'), ending, text('late'), ending].map((event) => stream.push(event))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    await stream.over;
    expect(stream.isOver).toBe(true);
    expect(await all(stream)).toEqual([text('a'), ending]);
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });
});

describe('a reader that does not keep up', () => {
  /** A large event is taken while there is any room. */
  const room = Math.ceil(maxUnreadBytes / (mebibyte.length + 200));

  it('is kept so many bytes and no more, and told why the rest is missing', async () => {
    const stream = new TurnStream();
    const taken = Array.from({ length: 300 }, () => stream.push(output));
    expect(taken.filter(Boolean)).toHaveLength(room);
    expect(stream.overflowed).toBe(true);
    expect(stream.push(ending)).toBe(true);
    const events = await all(stream);
    expect(events).toHaveLength(room + 1);
    expect(events.at(-1)).toEqual(fellBehind);
  });

  it('gets nothing more when it reads on after that: what is missing would not be seen', async () => {
    const stream = new TurnStream();
    while (stream.push(output));
    for (let count = 0; count < room; count++) await stream.next();
    expect(stream.push(text('more'))).toBe(false);
    stream.push(ending);
    expect(await all(stream)).toEqual([fellBehind]);
  });

  it('has room again for each that it has read', async () => {
    const stream = new TurnStream();
    for (let count = 0; count < 300; count++) {
      expect(stream.push(output)).toBe(true);
      await stream.next();
    }
    expect(stream.overflowed).toBe(false);
  });

  it.each([
    ['text', text(mebibyte)],
    ['thinking', { type: 'thinking', text: mebibyte }],
    ['a tool’s input', { type: 'tool_start', id: 't', name: 'shell', input: { deep: [{ er: mebibyte }] } }],
    ['a question’s input', { ...question, input: mebibyte }],
    ['a notice', { type: 'notice', level: 'info', message: 'm', raw: mebibyte }],
  ] as const)('is bounded by %s as well', (_, event) => {
    const stream = new TurnStream();
    let taken = 0;
    while (stream.push(event)) taken += 1;
    expect(taken).toBe(room);
  });

  it('loses nothing where its producer waits for room', async () => {
    const stream = new TurnStream({ pausable: true });
    expect(stream.room()).toBeUndefined();
    for (let count = 0; count < 40; count++) expect(stream.push(output)).toBe(true);
    let waits = true;
    const waiting = stream.room()?.then(() => {
      waits = false;
    });
    for (let count = 0; count < 39; count++) await stream.next();
    expect(waits).toBe(true);
    await stream.next();
    await waiting;
    expect(stream.room()).toBeUndefined();
    stream.push(ending);
    expect(await all(stream)).toEqual([ending]);
  });

  it.each([
    ['it leaves', (stream: TurnStream) => void stream.return()],
    ['the turn is to stop', (stream: TurnStream) => stream.stopWaitingForRoom()],
  ])('holds its producer no longer when %s', async (_, stop) => {
    const stream = new TurnStream({ pausable: true });
    for (let count = 0; count < 40; count++) stream.push(output);
    const waiting = stream.room();
    expect(waiting).toBeInstanceOf(Promise);
    stop(stream);
    await waiting;
  });
});

describe('a reader that leaves', () => {
  it('before the end is told of once; what comes then is forgotten, and the one who pushes goes on', async () => {
    let left = 0;
    const stream = new TurnStream({ leave: () => (left += 1) });
    for (let count = 0; count < 3; count++) stream.push(output);
    for await (const _ of stream) break;
    await stream.return();
    expect([left, stream.isLeft]).toEqual([1, true]);
    for (let count = 0; count < 300; count++) expect(stream.push(output)).toBe(true);
    expect(stream.overflowed).toBe(false);
    stream.push(ending);
    expect([stream.isOver, stream.push(output)]).toEqual([true, false]);
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });

  it.each([
    ['after the end', (stream: TurnStream) => stream.next(), 1],
    ['before its first step', async () => undefined, 0],
  ] as const)('%s is told to nobody, and begins nothing', async (_, step, begins) => {
    const told: string[] = [];
    const begin = () => told.push('begin');
    const stream = new TurnStream({ begin, leave: () => told.push('leave') });
    stream.push(ending);
    await step(stream);
    await stream.return();
    await stream.next();
    expect(told).toHaveLength(begins);
  });

  it.each([
    ['ends', (stream: TurnStream) => void stream.push(ending), ending],
    ['is left', (stream: TurnStream) => void stream.return(), undefined],
  ])('or waits is not left waiting when the turn %s', async (_, stop, value) => {
    const stream = new TurnStream();
    const waiting = stream.next();
    stop(stream);
    expect((await waiting).value).toEqual(value);
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });
});

describe('what has come together', () => {
  it.each([
    ['comes at once', [text('a'), text('b'), output], 3],
    ['stops before a question', [text('a'), question, text('b')], 1],
    ['stops before the end', [text('a'), ending], 1],
    ['stops before the usage that the end may begin with', [text('a'), usage, ending], 1],
  ])('%s', (_, events, count) => {
    const stream = new TurnStream();
    for (const event of events) stream.push(event);
    expect(stream.takeBuffered(text('before'))).toEqual(events.slice(0, count));
  });

  it('brings the ending along with the usage before it', () => {
    const stream = new TurnStream();
    stream.push(ending);
    expect(stream.takeBuffered(text('before'))).toEqual([]);
    expect(stream.takeBuffered(usage)).toEqual([ending]);
  });
});

async function all(stream: TurnStream): Promise<readonly LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
