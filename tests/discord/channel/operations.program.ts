import { expect, it } from 'vitest';
import { setUpGateway } from '../../gateway/stage.js';
import { until } from '../loopback/until.js';
import { setUpBot } from './stage.js';

it('starts although Discord is down, says so, and connects when it is back (17.7)', async () => {
  const { discord, anna, start } = await setUpBot();
  const { people, channel, mention } = discord;
  const fault = discord.faults.order(
    'GET /gateway/bot',
    { type: 'refuse', status: 403, code: 0, message: 'down' },
    { times: 1000 },
  );
  const client = await start();
  await until(async () => (await client.gateway.health()).problems.join().includes('down'), 'the problem');
  fault.release();
  await until(() => discord.gateway.connected, 'the connection');
  await until(async () => (await client.gateway.health()).problems.length === 0);
  discord.gateway.goAway();
  await until(async () => (await client.gateway.health()).problems.length === 1);
  people.write(anna, channel, `${mention} one`);
  discord.gateway.comeBack();
  await until(() => discord.answers(channel).length === 1, 'the answer');
  expect(discord.violations).toEqual([]);
});

it('one process for each token: a second gateway says who has it (17.7)', async () => {
  const { discord, stage, start } = await setUpBot();
  await start();
  await until(() => discord.gateway.connected);
  const second = setUpGateway({ HOME: stage.root });
  const client = await second.start({ DISCORD_BOT_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl });
  await until(async () => (await client.gateway.health()).problems.join().includes('same DISCORD_BOT_TOKEN'));
  expect(discord.gateway.identifies).toBe(1);
});

it('a token that is reset while the gateway runs is explained; the rest works, and nothing is tried again (17.7)', async () => {
  const { discord, stage, anna, start } = await setUpBot();
  const { people, channel, mention } = discord;
  const client = await start();
  await until(() => discord.gateway.connected);
  people.write(anna, channel, `${mention} one`);
  await until(() => discord.answers(channel).length === 1, 'an answer');
  discord.gateway.close(4004);
  await until(async () => (await client.gateway.health()).problems.join().includes('4004'), 'the problem');
  expect((await client.gateway.health()).ready).toBe(true);
  expect((await client.ask('web', 'hello')).state).toBe('answered');
  expect(discord.gateway.identifies).toBe(1);
  expect(stage.log.filter(({ level }) => level === 'error')).toMatchObject([
    { hint: expect.stringContaining('"Reset Token"') },
  ]);
  await client.stop();
  people.write(anna, channel, `${mention} two`);
  await start();
  await until(() => discord.answers(channel).length === 2, 'the answer to what came meanwhile');
});

it('missing permissions are in the log once and in the health until they are there (17.7)', async () => {
  const { discord, stage, start } = await setUpBot();
  discord.permit(discord.channel, 'ReadMessageHistory', false);
  const client = await start();
  const problems = async () => (await client.gateway.health()).problems;
  await until(async () => (await problems()).join().includes('"Read Message History" in #general'));
  expect((await client.gateway.health()).ready).toBe(true);
  discord.gateway.invalidate(false);
  await until(() => discord.gateway.identifies === 2 && discord.gateway.connected);
  discord.permit(discord.channel, 'ReadMessageHistory', true);
  await until(async () => (await problems()).length === 0);
  const told = stage.log.filter((entry) => JSON.stringify(entry).includes('#general'));
  expect(told).toMatchObject([{ level: 'warn' }]);
});

it('a bot to which nobody may speak says so (17.7)', async () => {
  const { discord, stage, start } = await setUpBot();
  await start({ DISCORD_ALLOWED_USERS: '' });
  await until(() => discord.gateway.connected);
  const told = () => stage.log.filter((entry) => JSON.stringify(entry).includes('turnout pair approve'));
  await until(() => told().length === 1);
  expect(told()).toMatchObject([{ level: 'warn' }]);
});
