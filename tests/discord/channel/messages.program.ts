import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { snowflakeAt } from '../loopback/state/clock.js';
import { until } from '../loopback/until.js';
import { setUpBot } from './stage.js';

it('its own role, a thread at its answer, files alone, a message passed on and a bare mention (17.1, 17.4)', async () => {
  const { discord, anna, start } = await setUpBot();
  const { people, channel, mention } = discord;
  const role = discord.addOwnRole();
  const client = await start();
  await until(() => discord.gateway.connected);
  people.write(anna, channel, `<@&${role}> one`);
  await until(() => discord.answers(channel).length === 1, 'the answer to its role');

  const answer = discord.world.messagesOf(channel.id).findLast(({ authorId }) => authorId === discord.bot.id);
  const thread = people.startThread(anna, channel, 'more about it', answer);
  people.write(anna, thread, 'two');
  await until(() => discord.answers(thread).length === 1, 'the answer in the thread');

  people.write(anna, channel, mention);
  await until(() => discord.answers(channel).length === 2, 'the question what to do');
  expect(discord.answers(channel)[1]).toContain('What can I do for you?');
  people.write(anna, channel, mention, { files: [{ name: 'plan.txt', content: 'the plan' }] });
  await until(() => discord.answers(channel).length === 3, 'the answer to a file');
  const told = people.write(people.join('bob'), channel, 'the build is red');
  const direct = discord.world.dmWith(anna);
  people.forward(anna, direct, told);
  await until(() => discord.answers(direct).length === 1, 'the answer to what was passed on');

  const prompts = async (id: string) =>
    (await client.messages(`discord:${id}`)).filter(({ role }) => role === 'user');
  const [one, file, ...others] = await prompts(channel.id);
  const contextOf = async (message = one) => (await client.gateway.event(message?.eventId ?? ''))?.context;
  expect(one?.text).toBe('one');
  expect(file?.text).toBe('(1 file: plan.txt)');
  expect(await contextOf(file)).toMatch(/no words of its own[\s\S]*plan\.txt" \([^)]*8 bytes\)/);
  expect(others).toEqual([]);
  const [forwarded] = await prompts(direct.id);
  expect(forwarded?.text).toBe('(a forwarded message)');
  expect(await contextOf(forwarded)).toContain('It passes on this message by somebody:\n> the build is red');
  expect(discord.violations).toEqual([]);
});

it('five for the bot among hundreds are answered after a restart, also with its role (17.6)', async () => {
  const { discord, anna, start } = await setUpBot();
  const { people, channel, mention } = discord;
  const role = discord.addOwnRole();
  const client = await start();
  await until(() => discord.gateway.connected);
  people.write(anna, channel, `${mention} /status`);
  await until(() => discord.answers(channel).length === 1, 'the first answer');
  await client.stop();
  for (const text of ['a', 'b', 'c']) people.write(anna, channel, `${mention} /status ${text}`);
  for (let index = 0; index < 350; index++) people.write(anna, channel, 'between people');
  for (const text of ['d', 'e']) people.write(anna, channel, `<@&${role}> /status ${text}`);
  await start();
  await until(() => discord.answers(channel).length === 6, 'five more');
  expect(discord.violations).toEqual([]);
});

it('an edit and a deletion count while the files of the message are loaded (17.3)', async () => {
  const { discord, anna, start } = await setUpBot();
  const { people, channel, mention } = discord;
  const client = await start();
  await until(() => discord.gateway.connected);
  const files = [{ name: 'plan.txt', content: 'the plan' }];
  const hanging = discord.faults.order('GET /attachments/:channel/:attachment/:name', { type: 'hang' });
  const first = people.write(anna, channel, `${mention} first`, { files });
  const second = people.write(anna, channel, `${mention} second`);
  await until(() => hanging.met === 1, 'the download');
  people.edit(first, `${mention} say exactly: edited`);
  people.delete(second);
  people.write(anna, channel, `${mention} third`);
  // The events of a connection come in order.
  await until(() => discord.gateway.connected);
  await new Promise((resolve) => setTimeout(resolve, 50));
  hanging.release();
  await until(() => discord.answers(channel).length === 2, 'two answers');
  const said = (await client.messages(`discord:${channel.id}`)).filter(({ role }) => role === 'user');
  expect(said.map(({ text }) => text.split('\n')[0])).toEqual(['say exactly: edited', 'third']);
});

it('files of messages go with RETENTION_DAYS, and what a kill has left of a download at the start (17.4)', async () => {
  const { discord, stage, start } = await setUpBot();
  const folder = join(stage.home, 'attachments', '5');
  const ids = { old: snowflakeAt(Date.now() - 10 * 86_400_000), fresh: snowflakeAt(Date.now() - 60_000) };
  const names = [ids.old, ids.fresh, `${ids.fresh}.part-00ff00ff`];
  for (const name of names) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'a.txt'), 'a');
  }
  const client = await start();
  await until(() => discord.gateway.connected);
  expect(readdirSync(folder).sort()).toEqual([ids.old, ids.fresh].sort());
  await client.stop();
  await start({ RETENTION_DAYS: '7' });
  await until(() => !existsSync(join(folder, ids.old)), 'the old one is gone');
  expect(readdirSync(folder)).toEqual([ids.fresh]);
});

/** The first turn of its session costs a quarter of a dollar, and all wait for a file. */
const patientAgent = (file: string) => `#!/bin/sh
while [ ! -e '${file}' ]; do sleep 0.02; done
echo '{"type":"system","subtype":"init","session_id":"s1","tools":[]}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s1","total_cost_usd":0.25,"usage":{"input_tokens":1,"output_tokens":1}}'
`;

it('of several people whose messages become one turn, whoever is over the limit is left out and told (17.5)', async () => {
  const { discord, stage, anna, start } = await setUpBot();
  const { people, channel, mention } = discord;
  const bob = people.join('bob');
  const [agent, go] = [join(stage.root, 'agent.sh'), join(stage.root, 'go')];
  writeFileSync(agent, patientAgent(go), { mode: 0o755 });
  stage.configure(`channels/discord%3A${channel.id}/channel.md`, '---\nqueue: collect\n---\n');
  const client = await start({
    DISCORD_ALLOWED_USERS: `${anna.id},${bob.id}`,
    DISCORD_USER_SPEND_PER_DAY: '0.2',
    BACKEND_CLI_PATH: agent,
  });
  await until(() => discord.gateway.connected);
  const status = () => client.gateway.status(`discord:${channel.id}`);
  people.write(anna, channel, `${mention} one`);
  await until(async () => (await status()).running, 'a turn');
  // They wait for a turn that uses up what Anna may cost.
  const later = { two: bob, three: bob, four: anna, five: bob };
  for (const [text, who] of Object.entries(later)) people.write(who, channel, `${mention} ${text}`);
  await until(async () => (await status()).waitingCount === 4, 'four that wait');
  writeFileSync(go, '');
  await until(() => discord.answers(channel).some((text) => text.includes('may cost in a day')), 'a refusal');
  await until(() => discord.answers(channel).filter((text) => text === 'done').length === 3, 'three answers');
  const said = (await client.messages(`discord:${channel.id}`)).filter(({ role }) => role === 'user');
  const ended = await Promise.all(said.map(({ eventId = '' }) => client.ended(eventId)));
  expect(ended.map(({ state }) => state)).toEqual([
    ...['answered', 'answered', 'answered', 'failed', 'answered'],
  ]);
});
