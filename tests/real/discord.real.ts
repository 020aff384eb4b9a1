import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';
import { LoopbackDiscord } from '../discord/loopback/loopback-discord.js';
import { until } from '../discord/loopback/until.js';
import { LabGateway, secrets } from './lab-gateway.js';

// One real CLI behind the bot, with the real client and the loopback Discord.

let model: ScriptedModel;
let discord: LoopbackDiscord;
let gateway: LabGateway;

beforeAll(async () => {
  model = await startScriptedModel();
  discord = await LoopbackDiscord.start({ token: secrets.DISCORD_BOT_TOKEN });
  gateway = await LabGateway.with('claude', model.url);
}, 60_000);

afterAll(async () => {
  await gateway.remove();
  await model.close();
  await discord.stop();
}, 60_000);

it('a conversation on Discord with Claude Code, across a kill of the gateway (17.1, 17.6)', async () => {
  const { people, channel, mention } = discord;
  const anna = people.join('anna');
  const settings = { DISCORD_API_URL: discord.apiUrl, DISCORD_ALLOWED_USERS: anna.id };
  await gateway.start(settings);
  await until(() => discord.gateway.connected, 'the connection', 20_000);
  model.use(['The first answer, for @everyone.', 'The second answer.']);
  people.write(anna, channel, `${mention} the first question`);
  await until(() => discord.answers(channel).length === 1, 'the first answer', 60_000);
  await gateway.kill();
  people.write(anna, channel, `${mention} the second question`);
  await gateway.start(settings);
  await until(() => discord.answers(channel).length === 2, 'the second answer', 60_000);
  expect(discord.answers(channel)).toEqual(['The first answer, for @everyone.', 'The second answer.']);
  expect(discord.visible(channel).flatMap(({ author, pinged }) => (author === 'anna' ? [] : pinged))).toEqual(
    [],
  );
  const [last] = model.requests.slice(-1);
  expect(JSON.stringify(last)).toContain('the first question');
  expect(discord.violations).toEqual([]);
}, 180_000);
