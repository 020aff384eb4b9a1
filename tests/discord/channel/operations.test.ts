import { expect, it } from 'vitest';
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
