import { expect, it } from 'vitest';
import { until } from '../loopback/until.js';
import { setUpBot } from './stage.js';

it('what came while the gateway was off is answered after its start: once, in order, and not in a new channel (17.6)', async () => {
  const { discord, anna, start } = await setUpBot();
  const { people, channel, mention } = discord;
  const other = discord.addChannel('other');
  const client = await start();
  await until(() => discord.gateway.connected);
  people.write(anna, channel, `${mention} one`);
  await until(() => discord.answers(channel).length === 1, 'the first answer');
  await client.stop();
  people.write(anna, other, `${mention} nobody was ever here`);
  people.write(anna, channel, 'a word between people');
  people.write(anna, channel, `${mention} two`);
  people.write(anna, channel, `${mention} three`);
  const again = await start();
  await until(() => discord.answers(channel).length === 3, 'the other answers');
  const said = (await again.messages(`discord:${channel.id}`)).filter(({ role }) => role === 'user');
  expect(said.map(({ text }) => text.split('\n')[0])).toEqual(['one', 'two', 'three']);
  await again.stop();
  await start();
  await until(() => discord.gateway.connected);
  people.write(anna, other, `${mention} four`);
  await until(() => discord.answers(other).length === 1, 'the answer in the other channel');
  expect(discord.answers(channel)).toHaveLength(3);
  expect(discord.answers(other)).toHaveLength(1);
});

it('a message that the store can’t take is taken later, in front of the next one (17.6)', async () => {
  const { discord, anna, start } = await setUpBot();
  const { people, channel, mention } = discord;
  const client = await start();
  await until(() => discord.gateway.connected);
  const { gateway } = client;
  const receive = gateway.receive.bind(gateway);
  let failures = 1;
  gateway.receive = async (message) => {
    if (failures-- > 0) throw new Error('the disk is full');
    return receive(message);
  };
  people.write(anna, channel, `${mention} one`);
  people.write(anna, channel, `${mention} two`);
  await until(() => discord.answers(channel).length === 2, 'both answers');
  const said = (await client.messages(`discord:${channel.id}`)).filter(({ role }) => role === 'user');
  expect(said.map(({ text }) => text.split('\n')[0])).toEqual(['one', 'two']);
});
