import { expect, it } from 'vitest';
import { until } from '../loopback/until.js';
import { setUpBot } from './stage.js';

it('an event that comes twice is one message, and files come along (17.1, 17.4, 17.6)', async () => {
  const { discord, anna, start } = await setUpBot();
  const { people, channel, mention } = discord;
  const client = await start();
  await until(() => discord.gateway.connected);
  discord.gateway.duplicateNext();
  people.write(anna, channel, `${mention} look`, { files: [{ name: '../plan.txt', content: 'the plan' }] });
  await until(() => discord.answers(channel).length === 1, 'an answer');
  people.write(anna, channel, `${mention} and again`);
  await until(() => discord.answers(channel).length === 2, 'the next answer');
  const said = (await client.messages(`discord:${channel.id}`)).filter(({ role }) => role === 'user');
  expect(said).toHaveLength(2);
  expect(said[0]?.text).toMatch(/attachments\/\d+\/\d+\/[^/]*plan\.txt" \([^)]*8 bytes\)/);
});
