import { expect, it } from 'vitest';
import { setUpGateway } from '../../gateway/stage.js';
import { until } from '../loopback/until.js';
import { setUpBot } from './stage.js';

it('a wrong token and a missing intent are explained and not tried again; the rest works (17.7)', async () => {
  const { discord, stage, start } = await setUpBot();
  discord.gateway.allowed.messageContent = false;
  const client = await start();
  await until(async () => (await client.gateway.health()).problems.join().includes('4014'), 'the problem');
  const { ready, problems } = await client.gateway.health();
  expect(ready).toBe(true);
  expect(problems.join()).toContain('"Message Content Intent"');
  expect(problems.join()).toContain('https://discord.com/developers/applications');
  expect((await client.ask('web', 'hello')).state).toBe('answered');
  const tries = discord.gateway.identifies;
  await client.stop();
  expect(discord.gateway.identifies).toBe(tries);
  const wrong = await start({ DISCORD_BOT_TOKEN: 'another.bot.token' });
  await until(async () => (await wrong.gateway.health()).problems.join().includes('4004'), 'the problem');
  expect(stage.log.filter(({ level }) => level === 'error').map(({ hint }) => hint)).toEqual([
    expect.stringContaining('"Message Content Intent"'),
    expect.stringContaining('"Reset Token"'),
  ]);
  expect(JSON.stringify(stage.log)).not.toContain('another.bot.token');
});

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
