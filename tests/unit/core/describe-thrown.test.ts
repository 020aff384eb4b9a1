import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { describeThrown, inspectThrown } from '../../../src/core/describe-thrown.js';

const fail = (): never => {
  throw new Error('looked at');
};

const hostile: Readonly<Record<string, unknown>> = {
  'an inspection that throws': Object.assign(new Error('x'), { [inspect.custom]: fail }),
  'a message that throws': Object.defineProperty(new Error('x'), 'message', { get: fail }),
  'a message that is none': Object.defineProperty(new Error('x'), 'message', { value: Symbol('x') }),
  'a stack that throws': Object.defineProperty(new Error('x'), 'stack', { get: fail }),
  'a proxy that throws': new Proxy(
    {},
    { get: fail, getPrototypeOf: fail, ownKeys: fail, getOwnPropertyDescriptor: fail },
  ),
  'no prototype': Object.create(null),
};

describe('what was thrown, in words (R1.2)', () => {
  it.each(Object.keys(hostile))('never throws: %s', (what) => {
    expect(describeThrown(hostile[what])).toEqual(expect.any(String));
    expect(inspectThrown(hostile[what])).toEqual(expect.any(String));
  });

  it('is the message of an error, a string, and anything else as it is inspected', () => {
    expect(describeThrown(new Error('broken'))).toBe('broken');
    expect(describeThrown({ a: 1 })).toBe('{ a: 1 }');
    expect(describeThrown('words')).toBe('words');
    expect(inspectThrown(new TypeError('broken'))).toMatch(/^TypeError: broken\n/);
  });

  it('is not long', () => {
    expect(describeThrown(new Error('x'.repeat(5000)))).toBe(`${'x'.repeat(1000)}…`);
    expect(inspectThrown('x'.repeat(5000)).length).toBeLessThan(1100);
  });
});
