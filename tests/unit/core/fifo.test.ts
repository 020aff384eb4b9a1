import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fifo } from '../../../src/core/fifo.js';

describe('a first-in-first-out list', () => {
  it('gives what an array would', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(), { freq: 2 }), { maxLength: 6000, size: 'max' }), (steps) => {
        const fifo = new Fifo<number>();
        const array: number[] = [];
        for (const step of steps) {
          if (step === null) expect(fifo.shift()).toBe(array.shift());
          else {
            fifo.push(step);
            array.push(step);
          }
          expect(fifo.length).toBe(array.length);
          expect(fifo.first).toBe(array[0]);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('goes on as it should after it was emptied in any way', () => {
    const ways = fc.array(fc.constantFrom('push', 'shift', 'clear'), { maxLength: 40 });
    fc.assert(
      fc.property(ways, (steps) => {
        const fifo = new Fifo<number>();
        const array: number[] = [];
        for (const [index, step] of steps.entries()) {
          if (step === 'push') {
            fifo.push(index);
            array.push(index);
          } else if (step === 'clear') {
            fifo.clear();
            array.length = 0;
          } else expect(fifo.shift()).toBe(array.shift());
          expect([fifo.length, fifo.first]).toEqual([array.length, array[0]]);
        }
      }),
    );
  });

  it('does not keep what was taken, although it is never empty', async () => {
    const fifo = new Fifo<object>();
    const taken: WeakRef<object>[] = [];
    fifo.push({});
    for (let i = 0; i < 5000; i++) {
      fifo.push({ i });
      taken.push(new WeakRef(fifo.shift() as object));
    }
    // A reference that was just made holds until the next tick.
    await new Promise(setImmediate);
    collectGarbage();
    expect(taken.filter((reference) => reference.deref() !== undefined)).toEqual([]);
    expect(fifo.length).toBe(1);
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
