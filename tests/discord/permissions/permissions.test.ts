import { expect, it } from 'vitest';
import { createLog, noLog } from '../../../src/config/log.js';
import { checkDiscord } from '../../../src/gateway/channels/discord/check-discord.js';
import { openClient } from '../../../src/gateway/channels/discord/client/open-client.js';
import { describeMissing } from '../../../src/gateway/channels/discord/permissions/describe-missing.js';
import { PermissionWatch } from '../../../src/gateway/channels/discord/permissions/permission-watch.js';
import { loopbackOptions } from '../loopback/connect-client.js';
import { startDiscord } from '../loopback/stage.js';
import { until } from '../loopback/until.js';

const anyone = { users: ['1'], roles: [], guilds: [], channels: [] };

it('the gateway and the doctor say the same about what the bot lacks, and the log once (17.7)', async () => {
  const discord = await startDiscord();
  const { channel, token, apiUrl, bot } = discord;
  const other = discord.addChannel('other');
  const thread = discord.people.startThread(discord.people.join('anna'), other, 'thread');
  const lines: string[] = [];
  const { rest, ws } = loopbackOptions(discord);
  const watch = new PermissionWatch({
    guilds: () => client.guilds(),
    ...{ allowed: anyone, quietMs: 40, log: createLog('info', (line) => lines.push(line)) },
  });
  const client = openClient({
    ...{ token, apiUrl, log: noLog, options: { ...(rest && { rest }), ...(ws && { ws }) } },
    onEvent: (event) => watch.handle(event),
    onSession: (session) => watch.connected(session),
    onState: () => {},
  });
  await until(() => client.guilds().some(({ channels }) => channels?.length === 3));
  discord.permit(channel, 'SendMessages', false);
  discord.permit(channel, 'AttachFiles', false);
  await until(() => watch.problems.length === 1);
  expect(watch.problems[0]).toContain('"workshop" the bot lacks "Send Messages", "Attach Files" in #general');
  discord.permit(other, 'SendMessagesInThreads', false);
  await until(() => watch.problems.length === 2);
  const lists = [
    ...[anyone, { ...anyone, guilds: [discord.guild.id] }, { ...anyone, guilds: ['123'] }],
    ...[[channel.id], [thread.id], [other.id, '123']].map((channels) => ({ ...anyone, channels })),
  ];
  for (const allowed of lists) {
    const seen = { guilds: client.guilds(), applicationId: bot.id };
    const said = describeMissing(seen, allowed);
    expect(said.length).toBeGreaterThan(0);
    expect((await checkDiscord({ token, apiUrl, allowed })).problems).toEqual(said);
  }
  for (const one of [channel, other])
    for (const permission of ['SendMessages', 'AttachFiles', 'SendMessagesInThreads'] as const)
      discord.permit(one, permission, true);
  await until(() => watch.problems.length === 0);
  expect(lines.filter((line) => line.includes('#general'))).toHaveLength(1);
  await watch.stop();
  await client.close();
});

it('the doctor prints the invitation for a bot without servers, who may speak, and asks little (17.7)', async () => {
  const discord = await startDiscord();
  const { token, apiUrl, bot } = discord;
  const silent = { users: [], roles: [], guilds: [], channels: [] };
  expect((await checkDiscord({ token, apiUrl, allowed: silent })).problems.join()).toContain(
    'DISCORD_ALLOWED_USERS',
  );
  expect((await checkDiscord({ token, apiUrl, allowed: silent, paired: 1 })).problems).toEqual([]);
  for (let i = 0; i < 100; i++) discord.addGuild(`guild ${i}`);
  const before = discord.rest.seen.length;
  expect((await checkDiscord({ token, apiUrl, allowed: anyone })).problems).toEqual([]);
  expect(discord.rest.seen.length - before).toBeLessThan(25);
  discord.world.guilds.clear();
  expect((await checkDiscord({ token, apiUrl, allowed: anyone })).problems).toEqual([
    expect.stringContaining(`https://discord.com/oauth2/authorize?client_id=${bot.id}&`),
  ]);
});
