import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeMissing } from '../../../../../../src/gateway/channels/discord/permissions/describe-missing.js';
import {
  inviteAddress,
  lackingIn,
} from '../../../../../../src/gateway/channels/discord/permissions/needed-permissions.js';
import { permissionsIn } from '../../../../../../src/gateway/channels/discord/permissions/permissions-in.js';

const [view, send, inThreads, files, history] = [10n, 11n, 38n, 15n, 16n].map((bit) => 1n << bit) as [
  bigint,
  bigint,
  bigint,
  bigint,
  bigint,
];
const all = view | send | inThreads | files | history;

it('what a member may do follows Discord’s rule: roles, everybody, the roles together, the member (17.7)', () => {
  const guild = {
    ...{ id: '1', name: 'g', owner_id: '9' },
    roles: [
      { id: '1', permissions: String(view) },
      { id: '2', permissions: String(send) },
      { id: '3', permissions: String(files) },
      { id: '4', permissions: '8' },
    ],
  };
  const bot = { userId: '7', roles: ['2'] };
  const overwrite = (id: string, allow: bigint, deny: bigint) => ({
    ...{ id, allow: String(allow), deny: String(deny) },
  });
  expect(permissionsIn(guild, bot, [])).toBe(view | send);
  expect(permissionsIn(guild, bot, [overwrite('1', 0n, view), overwrite('2', view, send)])).toBe(view);
  // One role allows what the other denies: allowed.
  const both = { userId: '7', roles: ['2', '3'] };
  expect(permissionsIn(guild, both, [overwrite('2', 0n, send), overwrite('3', send, 0n)]) & send).toBe(send);
  expect(permissionsIn(guild, bot, [overwrite('2', history, 0n), overwrite('7', 0n, history)])).toBe(
    view | send,
  );
  expect(permissionsIn(guild, { userId: '9', roles: [] }, [overwrite('9', 0n, view)]) & all).toBe(all);
  expect(permissionsIn(guild, { userId: '7', roles: ['4'] }, [overwrite('1', 0n, view)]) & all).toBe(all);
});

it('a thread and a forum need no "Send Messages", and an unseen channel is only that (17.7)', () => {
  expect(lackingIn(0, all)).toEqual([]);
  expect(lackingIn(0, all & ~send & ~files)).toEqual(['Send Messages', 'Attach Files']);
  expect(lackingIn(11, all & ~send)).toEqual([]);
  expect(lackingIn(15, all & ~inThreads)).toEqual(['Send Messages in Threads']);
  expect(lackingIn(0, send)).toEqual(['View Channel']);
});

it('what is missing is said in few lines, and private channels are no problem (17.7)', () => {
  const nowhere = { guilds: [], channels: [] };
  const channel = (id: string, permissions: bigint, type = 0) => ({ id, name: `c${id}`, type, permissions });
  const say = (channels: ReturnType<typeof channel>[], allowed: typeof nowhere | object = {}) =>
    describeMissing(
      { guilds: [{ id: '1', name: 'workshop', channels }], applicationId: '5' },
      { ...nowhere, ...allowed },
    );
  expect(say([channel('2', all), channel('3', 0n), channel('4', view, 2)])).toEqual([]);
  expect(say([channel('2', 0n)])[0]).toContain('the bot sees no channel');
  expect(say([channel('2', all), channel('3', all & ~send)])).toEqual([
    'In the Discord server "workshop" the bot lacks "Send Messages" in #c3. Switch it on: "Edit Channel" of the channel, "Permissions", the bot’s role.',
  ]);
  const many = Array.from({ length: 9 }, (_, i) => channel(`${i + 10}`, all & ~history));
  expect(say(many)[0]).toContain('in all channels that it sees. Switch it on: "Server Settings"');
  expect(say([...many, channel('2', all)])[0]).toContain('#c14 and 4 more');
  // A channel of the settings is one that it has to see.
  expect(say([channel('3', 0n)], { channels: ['3'] })[0]).toContain('"View Channel" in #c3');
  expect(say([channel('3', all)], { channels: ['4'] })[0]).toContain(
    'Discord channel 4 of DISCORD_ALLOWED_CHANNELS',
  );
  expect(say([], { guilds: ['8'] })[0]).toContain('not in the Discord server 8 of DISCORD_ALLOWED_GUILDS');
  expect(describeMissing({ guilds: [], applicationId: '5' }, nowhere)[0]).toContain('client_id=5&');
  const outOfOrder = { guilds: [{ id: '1', name: 'workshop' }], applicationId: '5' };
  expect(describeMissing(outOfOrder, { guilds: ['1'], channels: ['4'] })).toEqual([]);
});

it('the documentation has the address of the invitation, with all permissions that are needed and no other (17.7)', () => {
  const page = readFileSync(new URL('../../../../../../docs/discord.md', import.meta.url), 'utf8');
  expect(page).toContain(inviteAddress('APPLICATION_ID'));
  expect(inviteAddress('1')).toContain(`permissions=${all}`);
});
