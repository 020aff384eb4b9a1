import { expect, it } from 'vitest';
import { until } from '../loopback/until.js';
import { setUpBot } from './stage.js';

it('a bot answers slash commands in place, notes what waits, takes edits and asks with buttons (17.3)', async () => {
  const { discord, anna, start, stage } = await setUpBot();
  const client = await start({ PERMISSION_MODE: 'ask' });
  const { channel, people } = discord;
  await until(() => discord.interactions.commandsOf(undefined).length > 0, 'the slash commands');
  const status = people.command(anna, channel, 'status');
  await until(() => status.state === 'answered');
  expect(discord.visible(channel)).toMatchObject([{ content: expect.stringContaining('waiting: 0') }]);

  const bot = `<@${discord.world.bot.id}>`;
  people.write(anna, channel, `${bot} wait 300 seconds`);
  await until(async () => (await client.gateway.status(`discord:${channel.id}`)).running);
  const waiting = people.write(anna, channel, `${bot} say exactly: nothing`);
  const visible = (text: string) =>
    discord.world.messagesOf(channel.id).find((one) => one.content.includes(text) && !one.deleted);
  const note = await until(() => visible('Queued, 1 ahead'));
  people.edit(waiting, `${bot} write a note: edited`);
  await until(async () =>
    (await client.gateway.status(`discord:${channel.id}`)).waiting[0]?.text.startsWith(
      'write a note: edited',
    ),
  );
  people.click(anna, note, 'Interrupt and send');
  const question = await until(() => visible('May I use'));
  expect(note.deleted).toBe(true);
  people.click(anna, question, 'Deny');
  await until(() => question.content.startsWith(`**Denied** by <@${anna.id}>`));
  expect(discord.visible(channel).filter(({ content }) => content.includes('Permission needed'))).toEqual([]);
  expect(discord.violations).toEqual([]);
  expect(stage.log.filter(({ level }) => level === 'error')).toEqual([]);
});

it('where it was only asked by a slash command, replies that come while it is off are answered, too (17.1, 17.6)', async () => {
  const { discord, anna, start } = await setUpBot();
  const { channel, people } = discord;
  const client = await start();
  await until(() => discord.interactions.commandsOf(undefined).length > 0, 'the slash commands');
  people.command(anna, channel, 'ask', { prompt: 'say exactly: one' });
  const answer = await until(
    () => discord.world.messagesOf(channel.id).find(({ content }) => content === 'one'),
    'the answer',
  );
  await client.stop();
  people.write(anna, channel, 'say exactly: two', { replyTo: answer });
  await start();
  await until(() => discord.answers(channel).includes('two'), 'the answer to the reply');
  expect(discord.violations).toEqual([]);
});
