import { expect, it } from 'vitest';
import { until } from '../loopback/until.js';
import { setUpBot } from './stage.js';

it('a mention, a reply, a thread of its own and a DM are answered; bots, @everyone and others are not (17.1)', async () => {
  const { discord, anna, start } = await setUpBot();
  const { people, channel, mention } = discord;
  const client = await start();
  await until(() => discord.gateway.connected);
  const other = people.join('robot', { bot: true });
  const stranger = people.join('mallory');
  const role = discord.addRole('staff');
  people.write(other, channel, `${mention} not me, a bot`);
  people.write(stranger, channel, `${mention} not me, a stranger`);
  await until(() => discord.answers(channel).length === 1, 'the refusal');
  people.write(anna, channel, '@everyone not me');
  people.write(anna, channel, `<@&${role}> not me`);
  people.write(anna, channel, `${mention} one`);
  await until(() => discord.answers(channel).length === 2, 'the answer to a mention');
  const answer = discord.world.messagesOf(channel.id).findLast(({ authorId }) => authorId === discord.bot.id);
  if (answer === undefined) throw new Error('there is an answer');
  people.write(anna, channel, 'two', { replyTo: answer });
  await until(() => discord.answers(channel).length === 3, 'the answer to a reply');
  const own = people.startThread(discord.bot, channel, 'ours');
  const foreign = people.startThread(stranger, channel, 'theirs');
  people.write(anna, foreign, 'not me');
  people.write(anna, own, 'three');
  await until(() => discord.answers(own).length === 1, 'the answer in a thread');
  const { channelId } = people.writeDirectly(anna, '/status');
  const direct = discord.world.channels.get(channelId);
  if (direct === undefined) throw new Error('there is a DM');
  await until(() => discord.answers(direct).length === 1, 'the answer in a DM');
  expect(discord.answers(direct)[0]).toContain('claude');
  expect(discord.answers(foreign)).toEqual([]);
  const said = (await client.messages(`discord:${channel.id}`)).filter(({ role }) => role === 'user');
  expect(said.map(({ text }) => text.split('\n')[0])).toEqual(['one', 'two']);
  const contexts = await Promise.all(
    said.map(async ({ eventId = '' }) => (await client.gateway.event(eventId))?.context),
  );
  expect(contexts[0]).toContain('"anna"');
  expect(contexts[1]).toContain('It answers your own message:');
  expect(discord.violations).toEqual([]);
});

it('a thread has the settings of its channel, unless it has its own (17.1)', async () => {
  const { discord, stage, anna, start } = await setUpBot();
  const { people, channel } = discord;
  const [one, two] = ['one', 'two'].map((name) => people.startThread(discord.bot, channel, name));
  if (one === undefined || two === undefined) throw new Error('two threads');
  stage.configure(`channels/discord%3A${channel.id}/channel.md`, '---\nmodel: parents-model\n---\n');
  stage.configure(`channels/discord%3A${two.id}/channel.md`, '---\nmodel: own-model\n---\n');
  const client = await start();
  await until(() => discord.gateway.connected);
  for (const thread of [one, two]) people.write(anna, thread, 'hello');
  await until(() => [one, two].every((thread) => discord.answers(thread).length === 1), 'two answers');
  expect((await client.gateway.status(`discord:${one.id}`)).model).toBe('parents-model');
  expect((await client.gateway.status(`discord:${two.id}`)).model).toBe('own-model');
});
