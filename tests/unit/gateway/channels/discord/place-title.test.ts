import { expect, it } from 'vitest';
import { placeTitle } from '../../../../../src/gateway/channels/discord/place-title.js';

it('a conversation of Discord is named after its place (17.1)', () => {
  const names = {
    channel: (id: string) =>
      ({ '1': { name: 'general' }, '2': { name: 'a\nplan', thread: { parentId: '1' } } })[id],
    guildName: () => 'Our server',
  };
  const titleOf = (channelId: string, guildId?: string) =>
    placeTitle({ channelId, guildId }, names, 'an\u202ena');
  expect(titleOf('1', '9')).toBe('#general · Our server');
  expect(titleOf('2', '9')).toBe('a plan · #general · Our server');
  expect(titleOf('3', '9')).toBeUndefined();
  expect(titleOf('3')).toBe('DM with an[U+202E]na');
});
