import { expect, it } from 'vitest';
import { until } from '../loopback/until.js';
import { setUpBot } from './stage.js';

it('a heartbeat is answered in a channel of Discord (17.1)', async () => {
  const { discord, stage, start } = await setUpBot();
  stage.configure('heartbeat.md', '---\ninterval: 1s\n---\nsay exactly: all is well\n');
  await start({ OUTPUT_CHANNEL_ID: `discord:${discord.channel.id}` });
  await until(() => discord.answers(discord.channel).includes('all is well'), 'the answer');
  expect(discord.violations).toEqual([]);
});
