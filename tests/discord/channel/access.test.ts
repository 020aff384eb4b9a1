import { expect, it } from 'vitest';
import { strangerRefusal } from '../../../src/gateway/channels/discord/access/words.js';
import { until } from '../loopback/until.js';
import { setUpBot } from './stage.js';

it('a stranger is refused once, and whoever is over the limit is told when it goes on (17.5)', async () => {
  const { discord, anna, start } = await setUpBot();
  const { people, channel, mention } = discord;
  await start({ DISCORD_TURNS_PER_HOUR: '1' });
  await until(() => discord.gateway.connected);
  const mallory = people.join('mallory');
  for (const text of ['one', 'two']) people.write(mallory, channel, `${mention} ${text}`);
  people.write(anna, channel, `${mention} three`);
  people.write(anna, channel, `${mention} four`);
  // No command: the words begin with somebody else's mention.
  people.write(anna, channel, `${mention} <@${mallory.id}> /status and five`);
  people.write(anna, channel, `${mention}, /status`);
  await until(() => discord.answers(channel).length === 4, 'a refusal, an answer, a limit and a status');
  const said = discord.answers(channel);
  expect(said.filter((text) => text === strangerRefusal)).toHaveLength(1);
  expect(said.filter((text) => /I can go on <t:\d+:R>/.test(text))).toHaveLength(1);
  expect(discord.violations).toEqual([]);
});
