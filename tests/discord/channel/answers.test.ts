import { expect, it } from 'vitest';
import { until } from '../loopback/until.js';
import { setUpBot } from './stage.js';

it('the bot types while its turn runs, answers with a reply, and leaves nothing else (17.2)', async () => {
  const { discord, anna, start } = await setUpBot();
  const { people, channel, mention } = discord;
  const client = await start();
  await until(() => discord.gateway.connected);
  const asked = people.write(anna, channel, `${mention} hello`);
  await until(() => discord.typing(channel).times.length > 0, 'it types');
  await until(() => discord.answers(channel).length === 1, 'the answer');
  expect(discord.visible(channel)[1]).toMatchObject({ replyTo: asked.id, pinged: [] });
  await client.stop();
  expect(discord.typing(channel).times.length).toBeLessThan(3);
  expect(discord.answers(channel)).toHaveLength(1);
  expect(discord.violations).toEqual([]);
});
