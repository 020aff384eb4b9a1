import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EndsKeeper } from '../../../src/process/keep-ends.js';

describe('EndsKeeper', () => {
  it('keeps all of it up to the limit, and both ends beyond, however it is chunked', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 60 })), fc.integer({ min: 1, max: 10 }), (input, at, half) => {
        const keeper = new EndsKeeper(half * 2);
        let from = 0;
        for (const to of [...at.sort((a, b) => a - b), input.length]) {
          keeper.push(Buffer.from(input.slice(from, to)));
          from = Math.max(from, to);
        }
        const leftOut = input.length - half * 2;
        expect(keeper.text()).toBe(
          leftOut <= 0
            ? input
            : `${input.slice(0, half)}\n[… ${leftOut} bytes left out …]\n${input.slice(-half)}`,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('never cuts a character in two', () => {
    for (const limit of [6, 8, 10, 14, 18]) {
      const keeper = new EndsKeeper(limit);
      for (const byte of Buffer.from('€'.repeat(10))) keeper.push(Buffer.from([byte]));
      expect(keeper.text()).not.toContain('\ufffd');
    }
  });

  it('keeps a character whole that lies across the middle', () => {
    const keeper = new EndsKeeper(8);
    keeper.push(Buffer.from('abc€d'));
    expect(keeper.text()).toBe('abc€d');
  });

  it('waits for the rest of a character that is still on its way', () => {
    const keeper = new EndsKeeper();
    keeper.push(Buffer.from([0x61, 0xe2, 0x82]));
    expect(keeper.text()).toBe('a');
    keeper.push(Buffer.from([0xac]));
    expect(keeper.text()).toBe('a€');
  });
});
