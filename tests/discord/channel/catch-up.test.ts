import { expect, it } from 'vitest';
import { until } from '../loopback/until.js';
import { setUpBot } from './stage.js';

it('a session that is not resumed is caught up with (17.6)', async () => {
  const { discord, anna, start } = await setUpBot();
  const { people, channel, mention } = discord;
  await start();
  await until(() => discord.gateway.connected);
  people.write(anna, channel, `${mention} one`);
  await until(() => discord.answers(channel).length === 1, 'the first answer');
  discord.gateway.invalidate(false);
  await until(() => !discord.gateway.connected);
  people.write(anna, channel, `${mention} two`);
  await until(() => discord.answers(channel).length === 2, 'the answer to what came meanwhile');
  await expect.poll(() => discord.gateway.identifies).toBe(2);
});
