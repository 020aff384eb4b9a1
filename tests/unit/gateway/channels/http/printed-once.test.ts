import { expect, it } from 'vitest';
import { PrintedOnce } from '../../../../../src/gateway/channels/http/printed-once.js';

it('a long event is printed once for all its readers, and a short one holds nothing (16.5)', () => {
  const once = new PrintedOnce<{ readonly text: string }>();
  const long = { text: 'x'.repeat(100_000) };
  let prints = 0;
  const print = (event: { readonly text: string }) =>
    once.print(event, () => {
      prints += 1;
      return event;
    });
  const first = print(long);
  for (let reader = 0; reader < 200; reader += 1) expect(print(long)).toBe(first);
  expect(prints).toBe(1);
  expect(JSON.parse(Buffer.from(first.bytes).toString())).toEqual(long);
  expect(print({ text: 'x' })).not.toBe(first);
});
