import { describe, expect, it } from 'vitest';
import { type BatchSource, flattenBatches } from '../../../src/core/flatten-batches.js';
import { Aside, interleave } from '../../../src/core/interleave.js';

describe('flattenBatches', () => {
  it('gives the items one by one, in order, past empty batches', async () => {
    expect(await all(flattenBatches(batches([1, 2], [], [3], [])))).toEqual([1, 2, 3]);
  });

  it('serves callers that do not wait for each other in order', async () => {
    const items = flattenBatches(batches([1, 2], [3], [4]));
    const results = await Promise.all([1, 2, 3, 4, 5].map(() => items.next()));
    expect(results.map(({ value }) => value)).toEqual([1, 2, 3, 4, undefined]);
  });

  it('closes its source when it is left, in the middle of a batch too, and passes on what it throws', async () => {
    let closed = 0;
    async function* source() {
      try {
        yield [1, 2, 3];
        throw new Error('broken');
      } finally {
        closed += 1;
      }
    }
    for await (const item of flattenBatches(source())) if (item === 2) break;
    expect(closed).toBe(1);
    await expect(all(flattenBatches(source()))).rejects.toThrow('broken');
    expect(closed).toBe(2);
  });
});

describe('flattenBatches, left while a next is pending', () => {
  const leaving = {
    return: (items: AsyncGenerator<number>) => items.return(0),
    throw: (items: AsyncGenerator<number>) => items.throw(new Error('enough')).catch(() => undefined),
  };

  it.each(['return', 'throw'] as const)('stops its source first: %s', async (how) => {
    const source = gate<readonly number[]>();
    const items = flattenBatches(source.items, () => source.give([1, 2, 3]));
    const pending = [items.next(), items.next()];
    await leaving[how](items);
    await source.closed;
    expect((await Promise.all(pending)).map(({ value }) => value)).toEqual([1, 2]);
    expect(await items.next()).toEqual({ value: undefined, done: true });
  });

  it('does not stop one that waits for its reader', async () => {
    let stopped = false;
    const items = flattenBatches(batches([1, 2]), () => {
      stopped = true;
    });
    await items.next();
    await items.return(0);
    expect(stopped).toBe(false);
    expect((await items.next()).done).toBe(true);
  });
});

describe('flattenBatches, with a source that its generator hands over', () => {
  it('gives the source’s items before the generator goes on', async () => {
    async function* source() {
      yield [1];
      yield from([2, 3], [], [4]);
      yield [5];
    }
    expect(await all(flattenBatches(source()))).toEqual([1, 2, 3, 4, 5]);
  });

  it('answers whoever waits for the source, and closes the generator then', async () => {
    const told: string[] = [];
    let give: (batch: readonly number[] | undefined) => void = () => {};
    async function* source() {
      try {
        yield { next: () => new Promise<readonly number[] | undefined>((resolve) => (give = resolve)) };
      } finally {
        told.push('closed');
      }
    }
    const items = flattenBatches(source(), () => {
      told.push('stopped');
      give([1]);
    });
    const pending = items.next().then(({ value }) => told.push(`answered ${value}`));
    await new Promise((resolve) => setImmediate(resolve));
    await items.return(0);
    await pending;
    expect(told).toEqual(['stopped', 'answered 1', 'closed']);
    expect((await items.next()).done).toBe(true);
  });

  it.each<[string, () => Promise<never>]>([
    ['later', () => Promise.reject(new Error('broken'))],
    [
      'at once',
      () => {
        throw new Error('broken');
      },
    ],
  ])('throws what the source throws into the generator: %s', async (_, next) => {
    const broken = { next };
    let closed = 0;
    async function* source(catches: boolean) {
      try {
        yield broken;
      } catch (error) {
        if (!catches) throw error;
        yield [`${error}`];
      } finally {
        closed += 1;
      }
    }
    expect(await all(flattenBatches(source(true)))).toEqual(['Error: broken']);
    await expect(all(flattenBatches(source(false)))).rejects.toThrow('broken');
    expect(closed).toBe(2);
  });
});

describe('interleave', () => {
  it('gives what comes aside while the main stream is silent', async () => {
    const aside = new Aside<string>();
    const main = gate<number>();
    const both = interleave(main.items, aside);
    aside.push('a');
    expect((await both.next()).value).toEqual({ aside: ['a'] });
    const next = both.next();
    aside.push('b');
    expect((await next).value).toEqual({ aside: ['b'] });
    main.give(1);
    expect((await both.next()).value).toEqual({ main: 1 });
    main.end();
    expect((await both.next()).done).toBe(true);
  });

  it('gives what came aside before the main stream ended', async () => {
    const aside = new Aside<string>();
    aside.push('a');
    expect(await all(interleave(batches([1]), aside))).toEqual([{ aside: ['a'] }, { main: [1] }]);
  });

  it('can be left while the main stream is silent', async () => {
    const aside = new Aside<string>();
    const main = gate<number>();
    aside.push('a');
    // It would wait for ever for the main stream, whose end the one who leaves is about to bring about.
    for await (const { aside: items } of interleave(main.items, aside)) {
      expect(items).toEqual(['a']);
      break;
    }
    main.end();
    await main.closed;
  });
});

function from<T>(...list: readonly (readonly T[])[]): BatchSource<T> {
  const left = [...list];
  return { next: () => Promise.resolve(left.shift()) };
}

async function* batches<T>(...list: readonly (readonly T[])[]): AsyncGenerator<readonly T[]> {
  for (const batch of list) yield batch;
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** A generator that gives what it is told to, when it is told to. */
function gate<T>() {
  const waiting: (T | undefined)[] = [];
  let wake = () => {};
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  async function* items(): AsyncGenerator<T> {
    try {
      for (;;) {
        while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        const item = waiting.shift();
        if (item === undefined) return;
        yield item;
      }
    } finally {
      close();
    }
  }
  const give = (item: T | undefined) => {
    waiting.push(item);
    wake();
  };
  return { items: items(), give, end: () => give(undefined), closed };
}
