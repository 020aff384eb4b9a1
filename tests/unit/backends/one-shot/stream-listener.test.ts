import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { StreamListener } from '../../../../src/backends/one-shot/stream-listener.js';

const get = (): never => {
  throw new Error('looked at');
};

it.each([
  ['inspection', Object.assign(new Error('x'), { [inspect.custom]: get })],
  ['message', Object.defineProperty(new Error('x'), 'message', { get })],
])(
  'an onStream that throws or rejects with something whose %s throws changes nothing (R1.2)',
  async (_, thrown) => {
    const throwing = new StreamListener(
      () => {
        throw thrown;
      },
      0,
      undefined,
    );
    expect(throwing.hear('a')).toBeUndefined();
    const rejecting = new StreamListener(() => Promise.reject(thrown), 0, undefined);
    await expect(rejecting.hear('a')).resolves.toBeUndefined();
  },
);
