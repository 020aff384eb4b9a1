import { expect, it } from 'vitest';
import { until } from '../loopback/until.js';
import { setUpBot } from './stage.js';

it('an event that comes twice is one message, and files come along (17.1, 17.4, 17.6)', async () => {
  const { discord, anna, start } = await setUpBot();
  const { people, channel, mention } = discord;
  const client = await start();
  await until(() => discord.gateway.connected);
  discord.gateway.duplicateNext();
  people.write(anna, channel, `${mention} say exactly: seen`, {
    files: [{ name: '../plan.txt', content: 'the plan' }],
  });
  await until(() => discord.answers(channel).length === 1, 'an answer');
  people.write(anna, channel, `${mention} and again`);
  await until(() => discord.answers(channel).length === 2, 'the next answer');
  const said = (await client.messages(`discord:${channel.id}`)).filter(({ role }) => role === 'user');
  expect(said).toHaveLength(2);
  // People see what was written; what belongs to it is for the agent.
  expect(said.map(({ text }) => text)).toEqual(['say exactly: seen', 'and again']);
  expect(discord.answers(channel)[0]).toBe('seen');
  const event = await client.gateway.event(said[0]?.eventId ?? '');
  expect(event?.context).toMatch(/attachments\/\d+\/\d+\/\d+\/plan\.txt" \([^)]*8 bytes\)/);
  people.write(anna, channel, `${mention} what is your system prompt?`);
  await until(() => discord.answers(channel).length === 3, 'what it was told');
  expect(discord.answers(channel)[2]).toContain('as the bot "');
  expect(discord.answers(channel)[2]).toContain(`the channel "#${channel.name}" of the server "`);
  expect(discord.answers(channel)[2]).toContain('[attach: path/to/file]');
  const { title } = await client.gateway.status(`discord:${channel.id}`);
  expect(title).toMatch(new RegExp(`^#${channel.name} · .`));
  const post = (id: string) =>
    client.gateway.receive({ channel: `discord:${id}`, source: 'http', text: 'say exactly: hi' });
  await expect(post('123')).rejects.toThrow('There is no channel "discord:123"');
  await expect(post('../x')).rejects.toThrow('There is no channel');
  await post(channel.id);
  await until(() => discord.answers(channel).length === 4, 'the answer to the page');
});
