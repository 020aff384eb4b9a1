import {
  AttachmentBuilder,
  DiscordAPIError,
  Events,
  type Message,
  Routes,
  type TextChannel,
} from 'discord.js';
import { expect, it } from 'vitest';
import { nonceWindow } from './rest/routes/message-routes.js';
import { setUpDiscord } from './stage.js';
import { until } from './until.js';

const codeOf = async (refused: Promise<unknown>): Promise<unknown> => {
  const error = await refused.then(() => undefined).catch((thrown: unknown) => thrown);
  return error instanceof DiscordAPIError ? error.code : error;
};

it('the real client connects, hears a message and answers it (17)', async () => {
  const { discord, client } = await setUpDiscord();
  client.on(Events.MessageCreate, async (message: Message) => {
    if (!message.author.bot) await message.reply('Hello!');
  });
  const anna = discord.people.join('anna');
  const question = discord.people.write(anna, discord.channel, `${discord.mention} hi`);
  await until(() => discord.visible(discord.channel).length === 2, 'an answer');
  const [, answer] = discord.visible(discord.channel);
  const expected = { author: 'turnout-bot', content: 'Hello!', replyTo: question.id, pinged: [anna.id] };
  expect(answer).toMatchObject(expected);
  expect(discord.violations).toEqual([]);
});

it('a DM, a thread and their messages reach the client', async () => {
  const { discord, client } = await setUpDiscord();
  const heard: string[] = [];
  client.on(Events.MessageCreate, (message) => {
    const place = message.channel.isThread() ? 'thread' : message.channel.isDMBased() ? 'dm' : 'channel';
    heard.push(`${place}: ${message.content}`);
  });
  const anna = discord.people.join('anna');
  discord.people.writeDirectly(anna, 'psst');
  const thread = discord.people.startThread(anna, discord.channel, 'a thread');
  discord.people.write(anna, thread, 'in here');
  await until(() => heard.length === 2);
  expect(heard).toEqual(['dm: psst', 'thread: in here']);
});

it('the bot edits, deletes and types, and opens threads and DMs', async () => {
  const { discord, client, channel } = await setUpDiscord();
  const anna = discord.people.join('anna');
  const sent = await channel.send('one');
  await sent.edit('two');
  await (await channel.send('gone')).delete();
  expect(discord.typing(discord.channel).now).toBe(false);
  await channel.sendTyping();
  expect(discord.typing(discord.channel).now).toBe(true);
  discord.clock.advance(10_000);
  expect(discord.typing(discord.channel).now).toBe(false);
  const thread = await sent.startThread({ name: 'about it' });
  expect(thread.id).toBe(sent.id);
  await thread.send('in the thread');
  const direct = await (await client.users.fetch(anna.id)).send('hello anna');
  expect(discord.visible(discord.channel)).toMatchObject([{ content: 'two', earlier: ['one'] }]);
  expect(discord.answers(discord.world.dmWith(anna))).toEqual(['hello anna']);
  expect(direct.channelId).toBe(discord.world.dmWith(anna).id);
  const history = await thread.messages.fetch();
  expect(history.map(({ content, type }) => [type, content])).toEqual([
    [0, 'in the thread'],
    [21, ''],
  ]);
  expect(discord.violations).toEqual([]);
});

it('history: before, after and around, newest first, without nonces', async () => {
  const { discord, client, channel } = await setUpDiscord();
  const anna = discord.people.join('anna');
  const written = ['a', 'b', 'c', 'd', 'e'].map((text) => discord.people.write(anna, discord.channel, text));
  const fetch = async (options: object) => {
    const found = await channel.messages.fetch({ ...options, cache: false });
    return found.map(({ content }) => content).join('');
  };
  const middle = written[2]?.id ?? '';
  expect(await fetch({ limit: 3 })).toBe('edc');
  expect(await fetch({ before: middle })).toBe('ba');
  expect(await fetch({ after: middle })).toBe('ed');
  expect(await fetch({ after: written[0]?.id, limit: 2 })).toBe('cb');
  expect(await fetch({ around: middle, limit: 3 })).toBe('dcb');
  const sent = await channel.send({ content: 'with a nonce', nonce: '7' });
  expect(sent.nonce).toBe('7');
  expect(await client.rest.get(Routes.channelMessage(channel.id, sent.id))).not.toHaveProperty('nonce');
});

it('files go both ways, and a large one is refused with 40005', async () => {
  const { discord, client, channel } = await setUpDiscord({ maxUploadBytes: 100 });
  await channel.send({
    content: 'see',
    files: [new AttachmentBuilder(Buffer.from('abc'), { name: 'a.txt' })],
  });
  expect(discord.visible(discord.channel)[0]?.files).toEqual([{ name: 'a.txt', text: 'abc' }]);
  const large = { files: [new AttachmentBuilder(Buffer.alloc(101), { name: 'large.bin' })] };
  expect(await codeOf(channel.send(large))).toBe(40005);
  const heard = new Promise<Message>((resolve) => client.once(Events.MessageCreate, resolve));
  const file = { name: 'ü 1.txt', content: 'from anna', type: 'text/plain' };
  discord.people.write(discord.people.join('anna'), discord.channel, '', { files: [file] });
  const attachment = (await heard).attachments.first();
  expect(attachment).toMatchObject({ name: 'ü 1.txt', size: 9, contentType: 'text/plain' });
  const url = attachment?.url ?? '';
  expect(await (await fetch(url)).text()).toBe('from anna');
  discord.clock.advance(25 * 3600_000);
  expect((await fetch(url)).status).toBe(404);
});

it('the same nonce gives the first message back for a few minutes, and Unknown Message if it was deleted', async () => {
  const { discord, channel } = await setUpDiscord();
  const send = (nonce: string) => channel.send({ content: 'once', nonce, enforceNonce: true });
  const first = await send('n1');
  expect((await send('n1')).id).toBe(first.id);
  expect(discord.answers(discord.channel)).toEqual(['once']);
  discord.clock.advance(nonceWindow + 1);
  expect((await send('n1')).id).not.toBe(first.id);
  await (await send('n2')).delete();
  expect(await codeOf(send('n2'))).toBe(10008);
  expect(await codeOf(send('x'.repeat(26)))).toBe(50035);
  expect(discord.violations.map(({ rule }) => rule)).toEqual(['nonce']);
});

it('messages that Discord refuses are refused and noted', async () => {
  const { discord, channel } = await setUpDiscord();
  const anna = discord.people.join('anna');
  const button = (label: string, id: string) => ({ type: 2, style: 1, label, custom_id: id });
  const rows = (...buttons: object[]) =>
    ({ content: 'x', components: [{ type: 1, components: buttons }] }) as object;
  expect(await codeOf(channel.send('x'.repeat(2001)))).toBe(50035);
  expect(await codeOf(channel.send('😀'.repeat(1001)))).toBe(50035);
  expect(await codeOf(channel.send(' \n '))).toBe(50006);
  expect(await codeOf(channel.send('half \ud83d'))).toBe(50035);
  expect(await codeOf(channel.send(rows(button('x'.repeat(81), 'a'))))).toBe(50035);
  expect(await codeOf(channel.send(rows(button('a', 'x'.repeat(101)))))).toBe(50035);
  expect(await codeOf(channel.send(rows(button('a', 'same'), button('b', 'same'))))).toBe(50035);
  expect(await codeOf(channel.send(rows(...[1, 2, 3, 4, 5, 6].map((n) => button('a', `${n}`)))))).toBe(50035);
  expect(await codeOf(channel.send({ embeds: [{ description: 'x'.repeat(4097) }] }))).toBe(50035);
  const theirs = discord.people.write(anna, discord.channel, 'mine');
  expect(await codeOf(channel.messages.edit(theirs.id, 'yours'))).toBe(50005);
  expect(discord.answers(discord.channel)).toEqual([]);
  const rules = ['message-length', 'message-length', 'empty-message', 'invalid-text'];
  const others = ['component', 'component', 'component', 'component', 'embed', 'not-ours'];
  expect(discord.violations.map(({ rule }) => rule)).toEqual([...rules, ...others]);
});

it('2,000 characters go through, and white space at the ends is trimmed', async () => {
  const { discord, channel } = await setUpDiscord();
  await channel.send(`\n${'x'.repeat(1998)} `);
  expect(discord.answers(discord.channel)).toEqual(['x'.repeat(1998)]);
});

it('missing permissions, closed DMs and channels that are gone have their codes', async () => {
  const { discord, client, channel } = await setUpDiscord();
  const anna = discord.people.join('anna');
  anna.dmClosed = true;
  expect(await codeOf((await client.users.fetch(anna.id)).send('hi'))).toBe(50007);
  discord.permit(discord.channel, 'SendMessages', false);
  expect(await codeOf(channel.send('hi'))).toBe(50013);
  await until(() => !channel.permissionsFor(client.user)?.has('SendMessages'), 'the update of the channel');
  discord.permit(discord.channel, 'ViewChannel', false);
  expect(await codeOf(channel.send('hi'))).toBe(50001);
  const other = discord.addChannel('other');
  const seen = await until(() => client.channels.cache.get(other.id) as TextChannel | undefined);
  discord.deleteChannel(other);
  expect(await codeOf(seen.send('hi'))).toBe(10003);
  expect(discord.rest.invalidRequests).toBe(3);
});

it('allowed mentions decide who is pinged', async () => {
  const { discord, channel } = await setUpDiscord();
  const anna = discord.people.join('anna');
  const text = `@everyone <@${anna.id}> and \`@here\``;
  const question = discord.people.write(anna, discord.channel, 'hello');
  await channel.send(text);
  await channel.send({ content: text, allowedMentions: { parse: [] } });
  await channel.send({ content: text, allowedMentions: { users: [anna.id] } });
  await channel.send({
    content: 'x',
    reply: { messageReference: question.id },
    allowedMentions: { parse: [] },
  });
  const pinged = discord.visible(discord.channel).map((message) => message.pinged);
  expect(pinged).toEqual([[], [anna.id, 'everyone'], [], [anna.id], []]);
});
