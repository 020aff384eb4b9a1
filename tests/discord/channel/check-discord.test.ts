import { expect, it } from 'vitest';
import { checkDiscord } from '../../../src/gateway/channels/discord/check-discord.js';
import { LoopbackDiscord } from '../loopback/loopback-discord.js';
import { startDiscord } from '../loopback/stage.js';

it('the doctor tells a wrong token, a missing intent and a Discord that is not there (17.7)', async () => {
  const discord = await startDiscord();
  const { token, apiUrl } = discord;
  expect(await checkDiscord({ apiUrl })).toEqual([]);
  expect(await checkDiscord({ token, apiUrl, paired: 1 })).toEqual([]);
  discord.gateway.allowed.messageContent = false;
  expect((await checkDiscord({ token, apiUrl })).join()).toContain('4014');
  expect((await checkDiscord({ token: 'another.bot.token', apiUrl })).join()).toContain('4004');
  const gone = await LoopbackDiscord.start();
  await gone.stop();
  expect((await checkDiscord({ token, apiUrl: gone.apiUrl })).join()).toContain('ECONNREFUSED');
});
