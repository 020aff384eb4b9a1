import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventQueue } from '../../../../src/backends/live/turn-stream.js';

describe('a queue of events', () => {
  it('gives all in order, whoever is first: the one who pushes or the one who reads', async () => {
    const steps = fc.array(fc.constantFrom('push', 'read', 'wait'), { maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (order, withLast) => {
        const queue = new EventQueue<number>();
        const reads: Promise<IteratorResult<number, void>>[] = [];
        let pushed = 0;
        for (const step of order) {
          if (step === 'push') expect(queue.push(pushed++)).toBe(true);
          else if (step === 'read') reads.push(queue.next());
          else await new Promise(setImmediate);
        }
        queue.end(withLast ? pushed++ : undefined);
        while (reads.length < pushed) reads.push(queue.next());
        const results = await Promise.all([...reads, queue.next(), queue.next()]);
        const given = results.filter(({ done }) => !done).map(({ value }) => value);
        expect(given).toEqual(Array.from({ length: pushed }, (_, item) => item));
        expect(results.findIndex(({ done }) => done)).toBe(pushed);
      }),
      { numRuns: 50 },
    );
  });

  it('takes what it has room for, the last item in any case, and nothing behind it', async () => {
    const queue = new EventQueue<string>({ limit: 2 });
    expect(['a', 'b', 'c'].map((item) => queue.push(item))).toEqual([true, true, false]);
    await queue.next();
    expect(['d', 'e'].map((item) => queue.push(item))).toEqual([true, false]);
    queue.end('last');
    queue.end('never');
    expect(queue.push('late')).toBe(false);
    const rest: string[] = [];
    for await (const item of queue) rest.push(item);
    expect(rest).toEqual(['b', 'd', 'last']);
  });

  it('is full by weight where items have one; what is large is taken while there is any room', async () => {
    const queue = new EventQueue<string>({ limit: 5, weightOf: ({ length }) => length });
    expect(['aa', 'bb', 'cccccccc', 'd'].map((item) => queue.push(item))).toEqual([true, true, true, false]);
    await queue.next();
    await queue.next();
    expect(queue.push('d')).toBe(false);
    await queue.next();
    expect(queue.push('d')).toBe(true);
  });

  it('forgets what nobody will read: the one who pushes goes on undisturbed', async () => {
    const queue = new EventQueue<number>({ limit: 2 });
    queue.push(1);
    queue.push(2);
    for await (const _ of queue) break;
    for (let item = 0; item < 10; item++) expect(queue.push(item)).toBe(true);
    queue.end(11);
    expect(queue.push(12)).toBe(false);
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  it('leaves nobody waiting when it ends or is left', async () => {
    for (const stop of [
      (queue: EventQueue<number>) => queue.end(),
      (queue: EventQueue<number>) => queue.return(),
    ]) {
      const queue = new EventQueue<number>();
      const waiting = [queue.next(), queue.next()];
      await stop(queue);
      expect((await Promise.all(waiting)).map(({ done }) => done)).toEqual([true, true]);
    }
  });
});
