import { describe, expect, it } from 'vitest';
import { isChannelId } from '../../../../../../src/config/formats.js';
import { userChannel } from '../../../../../../src/gateway/channels/http/openai/user-channel.js';

describe('the channel of a user (16.3)', () => {
  it.each(['ada', 'ada@example.com', 'a:b.c_d-e', 'x'.repeat(128)])('%s is one itself', (user) => {
    expect(userChannel(user)).toBe(user);
  });

  it('is made of any other name, always the same, and readable', () => {
    expect(userChannel('Ada Lovelace')).toMatch(/^user:Ada-Lovelace-[0-9a-f]{32}$/);
    expect(userChannel('Ada Lovelace')).toBe(userChannel('Ada Lovelace'));
  });

  it('is never shared', () => {
    const users = [
      ...[
        'Ada Lovelace',
        'Ada-Lovelace',
        'ada lovelace',
        'Ada  Lovelace',
        ' Ada Lovelace',
        'Ada+x@example.com',
      ],
      ...['{9b2d}', '9b2d', 'Ádá', 'A\u0301da\u0301', '.', '..', '../x', '\u0000', ' ', '\n', '🚂', '🚃'],
      ...['x'.repeat(129), 'x'.repeat(130), 'x'.repeat(100_000)],
    ];
    const made = users.map(userChannel);
    // A name that is another's id.
    made.push(...made.filter((id) => !users.includes(id)).map(userChannel));
    expect(made.filter((id) => !isChannelId(id))).toEqual([]);
    expect(new Set(made).size).toBe(made.length);
  });
});
