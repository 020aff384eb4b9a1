import { describe, expect, it } from 'vitest';
import {
  type AllowedLists,
  maySpeak,
} from '../../../../../../src/gateway/channels/discord/access/may-speak.js';
import type { Place } from '../../../../../../src/gateway/channels/discord/types.js';

const none: AllowedLists = { users: [], roles: [], guilds: [], channels: [] };
const ann = { id: 'ann', name: 'Ann', roles: ['crew'] };
const bob = { id: 'bob', name: 'Bob', roles: [] };
const dm: Place = { channelId: 'dm' };
const inGuild: Place = { channelId: 'c', guildId: 'g' };
const inThread: Place = { channelId: 't', parentId: 'c', guildId: 'g' };
const elsewhere: Place = { channelId: 'd', guildId: 'h' };
const everywhere = [dm, inGuild, inThread, elsewhere];

describe('who may speak (17.5)', () => {
  const may = (lists: Partial<AllowedLists>, who = ann, paired = false) =>
    everywhere.map((place) => maySpeak({ ...none, ...lists }, who, place, paired));

  it('is nobody by default, but whoever is paired', () => {
    expect(may({})).toEqual([false, false, false, false]);
    expect(may({}, ann, true)).toEqual([true, true, true, true]);
  });

  it('is a listed person everywhere, and a role in its guild', () => {
    expect(may({ users: ['ann'] })).toEqual([true, true, true, true]);
    expect(may({ users: ['ann'] }, bob)).toEqual([false, false, false, false]);
    expect(may({ roles: ['crew'] })).toEqual([false, true, true, true]);
    expect(may({ roles: ['crew'] }, bob)).toEqual([false, false, false, false]);
    expect(may({ users: ['bob'], roles: ['crew'] })).toEqual([false, true, true, true]);
  });

  it('is everybody in a listed place, with its threads, and nobody in direct messages', () => {
    expect(may({ guilds: ['g'] }, bob)).toEqual([false, true, true, false]);
    expect(may({ channels: ['c'] }, bob)).toEqual([false, true, true, false]);
    expect(may({ channels: ['t'] }, bob)).toEqual([false, false, true, false]);
    expect(may({ guilds: ['h'], channels: ['c'] }, bob)).toEqual([false, false, false, false]);
  });

  it('is only listed people in listed places, if both are listed', () => {
    expect(may({ guilds: ['g'], users: ['ann'] })).toEqual([true, true, true, false]);
    expect(may({ guilds: ['g'], users: ['ann'] }, bob)).toEqual([false, false, false, false]);
    expect(may({ channels: ['c'], roles: ['crew'] })).toEqual([false, true, true, false]);
    expect(may({ channels: ['c'], roles: ['crew'] }, bob)).toEqual([false, false, false, false]);
    expect(may({ channels: ['c'], roles: ['crew'] }, bob, true)).toEqual([true, true, true, false]);
  });
});
