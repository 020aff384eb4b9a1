import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { channelDirectory } from '../../../../src/gateway/channels/channel-directory.js';
import { anyCharacter } from '../../../property/arbitraries.js';

describe('the directory of a channel', () => {
  it.each([
    ['general', 'general'],
    ['1234567890123456789', '1234567890123456789'],
    ['a.b-c_D', 'a.b-c_D'],
    ['.', '%2E'],
    ['..', '%2E%2E'],
    ['...', '...'],
    ['', '%'],
    ['a/b', 'a%2Fb'],
    ['../x', '..%2Fx'],
    ['a%2Fb', 'a%252Fb'],
    ['\u0000', '%00'],
    ['ä', '%C3%A4'],
    ['\ud800', '%uD800'],
  ])('of %j is %j', (id, name) => expect(channelDirectory(id)).toBe(name));

  it('stays within the limits of file systems and within its parent', () => {
    const ids = fc.string({ unit: anyCharacter, maxLength: 600 });
    fc.assert(
      fc.property(ids, (id) => {
        const name = channelDirectory(id);
        expect(name).toMatch(/^[A-Za-z0-9._%~-]{1,200}$/);
        expect(basename(join('/parent', name))).toBe(name);
      }),
    );
  });

  it('is shared by no two channels', () => {
    const unit = fc.constantFrom('a', '.', '%', '2', 'F', '~', '/', 'ä', '\ud800', '\udc00', '\ufffd');
    const id = fc.oneof(
      fc.array(unit, { maxLength: 5 }).map((parts) => parts.join('')),
      fc.array(unit, { minLength: 1, maxLength: 3 }).map((parts) => 'x'.repeat(300) + parts.join('')),
    );
    fc.assert(
      fc.property(id, id, (one, other) => {
        expect(channelDirectory(one) === channelDirectory(other)).toBe(one === other);
      }),
      { numRuns: 2000 },
    );
    const long = channelDirectory('x'.repeat(300));
    expect(channelDirectory(long)).not.toBe(long);
  });
});
