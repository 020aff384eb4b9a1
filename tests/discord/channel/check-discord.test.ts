import { expect, it } from 'vitest';
import { checkDiscord } from '../../../src/gateway/channels/discord/check-discord.js';
import { LoopbackDiscord } from '../loopback/loopback-discord.js';
import { startDiscord } from '../loopback/stage.js';

it('the doctor tells a wrong token, a missing intent and a Discord that is not there (17.7)', async () => {
  const discord = await startDiscord();
  const { token, apiUrl, bot } = discord;
  const problems = async (given: { readonly token: string; readonly apiUrl: string }) =>
    (await checkDiscord(given)).problems.join();
  expect(await checkDiscord({ apiUrl })).toEqual({
    summary: expect.stringContaining('docs/discord.md'),
    problems: [],
  });
  expect(await checkDiscord({ token: `${token}\n`, apiUrl, paired: 1 })).toEqual({
    bot: { id: bot.id, name: bot.name },
    servers: 1,
    summary: `ok: the bot "${bot.name}" (${bot.id}) is in one server; one paired person may speak to it`,
    problems: [],
  });
  discord.gateway.allowed.messageContent = false;
  expect(await problems({ token, apiUrl })).toContain('4014');
  expect(discord.violations).toEqual([]);
  expect(await problems({ token: 'another.bot.token', apiUrl })).toContain('4004');
  const asked = discord.rest.seen.length;
  expect(await problems({ token: '“another.bot.token”', apiUrl })).toMatch(/DISCORD_BOT_TOKEN.*quotes/);
  expect(discord.rest.seen).toHaveLength(asked);
  const gone = await LoopbackDiscord.start();
  await gone.stop();
  expect(await problems({ token, apiUrl: gone.apiUrl })).toContain('ECONNREFUSED');
});
