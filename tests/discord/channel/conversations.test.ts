import { expect, it } from 'vitest';
import { until } from '../loopback/until.js';
import { setUpBot } from './stage.js';

it('a mention is answered in its channel (17.1)', async () => {
  const { discord, anna, start } = await setUpBot();
  await start();
  await until(() => discord.gateway.connected);
  discord.people.write(anna, discord.channel, `${discord.mention} hello there`);
  await until(() => discord.answers(discord.channel).length === 1, 'an answer');
  expect(discord.answers(discord.channel)[0]).toContain('hello there');
  expect(discord.violations).toEqual([]);
});
