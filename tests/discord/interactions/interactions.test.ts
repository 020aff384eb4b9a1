import { expect, it } from 'vitest';
import { queuedNote } from '../../../src/gateway/channels/discord/interactions/queued-note.js';
import { until } from '../loopback/until.js';
import { setUpInteractions } from './stage.js';

const running = 'wait 300 seconds';

it('slash commands: registered once, acknowledged, run through the gateway, answered in place (17.3)', async () => {
  const stage = await setUpInteractions();
  const { discord, gateway, channel } = stage;
  await until(() => stage.registrations === 1);
  const anna = discord.people.join('anna');
  const status = discord.people.command(anna, discord.channel, 'status');
  await until(async () => (await gateway.messages(channel, { after: 0, limit: 9 })).length === 2);
  expect(status.state).toBe('deferred');
  expect(await stage.deliverLast()).toBe(true);
  expect(await stage.deliverLast()).toBe(true);
  expect(discord.visible(discord.channel)).toMatchObject([
    { content: expect.stringContaining('queue mode: queue'), onlyFor: 'anna' },
  ]);
  const mode = discord.people.command(anna, discord.channel, 'queue', { action: 'collect' });
  await until(async () => (await gateway.status(channel)).queueMode === 'collect');
  await stage.restart();
  expect(await stage.deliverLast()).toBe(true);
  expect(mode.state).toBe('answered');
  expect(discord.visible(discord.channel)[1]).toMatchObject({
    content: 'Messages that come during a turn: collect.',
  });
  expect(discord.visible(discord.channel)[1]?.onlyFor).toBeUndefined();
  expect(stage.registrations).toBe(1);
  expect([discord.violations, stage.problems]).toEqual([[], []]);
});

it('a command or a click that Discord tells twice is done once (17.3)', async () => {
  const stage = await setUpInteractions();
  const { discord, gateway, channel } = stage;
  await until(() => stage.registrations === 1);
  const anna = discord.people.join('anna');
  discord.gateway.duplicateNext();
  const ask = discord.people.command(anna, discord.channel, 'ask', { prompt: 'say exactly: once' });
  await until(() => ask.state === 'answered');
  const said = await gateway.messages(channel, { after: 0, limit: 9 });
  expect(said.filter(({ role }) => role === 'user')).toHaveLength(1);
  expect([discord.violations, stage.problems]).toEqual([[], []]);
});

it('whoever may not speak, or is over a limit, is told so alone, whatever the command (17.3)', async () => {
  const access = {
    may: async ({ name }: { readonly name: string }) => name !== 'mallory',
    countTurn: async (_: string, { name }: { readonly name: string }) =>
      name === 'bert' ? 'Too much.' : undefined,
  };
  const stage = await setUpInteractions({}, { access });
  const { discord } = stage;
  await until(() => stage.registrations === 1);
  const [mallory, bert] = [discord.people.join('mallory'), discord.people.join('bert')];
  const asked = [
    discord.people.command(mallory, discord.channel, 'ask', { prompt: 'hello' }),
    discord.people.command(mallory, discord.channel, 'new'),
    discord.people.command(bert, discord.channel, 'ask', { prompt: 'hello' }),
  ];
  await until(() => asked.every(({ state }) => state === 'answered'));
  expect(discord.visible(discord.channel).map(({ onlyFor, content }) => [onlyFor, content])).toEqual([
    ['mallory', expect.stringContaining('You may not talk to me here')],
    ['mallory', expect.stringContaining('You may not talk to me here')],
    ['bert', 'Too much.'],
  ]);
  expect([discord.violations, stage.problems]).toEqual([[], []]);
});

it('a command is acknowledged in time when the store hangs (17.3)', async () => {
  const forever = new Promise<boolean>(() => {});
  const stage = await setUpInteractions({}, { access: { may: () => forever }, decideMs: 30 });
  const { discord } = stage;
  await until(() => stage.registrations === 1);
  const ask = discord.people.command(discord.people.join('anna'), discord.channel, 'ask', {
    prompt: 'hello',
  });
  await until(() => ask.state === 'deferred');
  expect(ask.ephemeral).toBe(true);
});

it('/stop says by whom, once (17.3)', async () => {
  const stage = await setUpInteractions();
  const { discord, http, gateway, channel } = stage;
  await until(() => stage.registrations === 1);
  const anna = discord.people.join('anna');
  const { eventId } = await stage.say(running);
  await http.until(eventId, 'running');
  discord.people.command(anna, discord.channel, 'stop');
  expect(await http.ended(eventId)).toMatchObject({ error: { message: 'Stopped by anna' } });
  await stage.say(running);
  await until(async () => (await gateway.status(channel)).running);
  const typed = await stage.say('/stop');
  const said = await gateway.messages(channel, { after: 0, limit: 99 });
  const replies = said.filter(({ text }) => text === 'Stopped.');
  expect(replies).toHaveLength(2);
  const [slash, last] = await Promise.all(
    replies.map((message) =>
      stage.interactions.deliver({ id: message.id, message, source: 'discord', attempts: 0 }),
    ),
  );
  expect([slash, last, replies[1]?.eventId]).toEqual([true, true, typed.eventId]);
  const shown = discord.visible(discord.channel).filter(({ content }) => content.includes('Stopped'));
  expect(shown).toMatchObject([{ content: 'Stopped.', onlyFor: 'anna' }]);
});

it('a note that a killed gateway has sent, and did not come to note, goes with its message (17.3)', async () => {
  const { discord, store, api, channel, restart } = await setUpInteractions();
  const subject = 'evt_of_a_message_that_was_answered_since';
  await api.send(discord.channel.id, queuedNote(subject, 1) as never);
  await store.saveDiscordPost({ type: 'queued', subject, channel, note: 'sending', at: Date.now() });
  await restart();
  await until(() => discord.visible(discord.channel).length === 0);
  await until(async () => (await store.discordPosts(channel)).length === 0);
});

it('a message that waits says so, and can be cancelled, or interrupt (17.3)', async () => {
  const stage = await setUpInteractions();
  const { discord, http } = stage;
  const first = await stage.say(running);
  await http.until(first.eventId, 'running');
  const second = await stage.say('say exactly: second');
  const third = await stage.say('say exactly: third');
  const note = (content: string) =>
    discord.world.messagesOf(discord.channel.id).find((one) => one.content === content && !one.deleted);
  const ahead2 = await until(() => note('-# Queued, 2 ahead'));
  const ahead1 = await until(() => note('-# Queued, 1 ahead'));
  expect(ahead2.referenceId).toBe(third.message.id);
  const mallory = discord.people.join('mallory');
  const refused = discord.people.click(mallory, ahead1, 'Cancel');
  await until(() => refused.state === 'answered');
  expect(await http.event(second.eventId)).toMatchObject({ state: 'queued' });
  await stage.restart();
  const anna = discord.people.join('anna');
  discord.people.click(anna, ahead1, 'Cancel');
  await until(() => ahead1.content === `-# Cancelled by <@${anna.id}>.`);
  expect([ahead1.deleted, ahead1.components, ahead1.pinged]).toEqual([false, [], []]);
  expect(await http.event(second.eventId)).toMatchObject({ state: 'cancelled' });
  await until(() => ahead2.content === '-# Queued, 1 ahead');
  discord.people.click(anna, ahead2, 'Interrupt and send');
  expect(await http.ended(third.eventId)).toMatchObject({ responseText: 'third' });
  expect(await http.event(first.eventId)).toMatchObject({ error: { message: 'Stopped by anna' } });
  await until(() => ahead2.deleted);
  expect([discord.violations, stage.problems]).toEqual([[], []]);
});

it('a command that waits and is dropped says so, and is not counted as a message (17.3)', async () => {
  const stage = await setUpInteractions();
  const { discord, http, gateway, channel } = stage;
  await until(() => stage.registrations === 1);
  const anna = discord.people.join('anna');
  const { eventId } = await stage.say(running);
  await http.until(eventId, 'running');
  await stage.say('say exactly: never');
  discord.people.command(anna, discord.channel, 'new');
  const visible = () => discord.visible(discord.channel).map(({ content }) => content);
  await until(() => visible().includes('It waits for the turn that is running.'));
  await stage.say('/queue clear');
  await until(() => visible().includes('Dropped: it was not run.'));
  const said = await gateway.messages(channel, { after: 0, limit: 99 });
  expect(said.at(-1)?.text).toBe('Dropped: 1 message and 1 command.');
  expect([discord.violations, stage.problems]).toEqual([[], []]);
});

it('a long question is asked without its file where Discord refuses that, and can only be denied there (17.3, 27.10)', async () => {
  const { discord, say } = await setUpInteractions({ PERMISSION_MODE: 'ask' });
  discord.permit(discord.channel, 'AttachFiles', false);
  await say(`write a note: ${'long '.repeat(1000)}`);
  const question = await until(() =>
    discord.world.messagesOf(discord.channel.id).find(({ content }) => content.includes('May I use')),
  );
  expect(question.content).toContain('characters are left out here');
  expect(question.attachments).toEqual([]);
  expect(discord.visible(discord.channel).flatMap(({ buttons }) => buttons)).toEqual(['Deny']);
});

it('a question for a permission is decided once, by somebody who may, also after a restart (17.3)', async () => {
  const permissionMs = 300_000;
  const stage = await setUpInteractions({ PERMISSION_MODE: 'ask' }, { permissionMs });
  const { discord, http } = stage;
  const { eventId, message } = await stage.say('write a note: allowed');
  const question = await until(() =>
    discord.world.messagesOf(discord.channel.id).find(({ content }) => content.includes('May I use')),
  );
  expect(question.content).toMatch(
    /```diff\n---[\s\S]*\S\n```\n-# Denied if nobody answers: <t:\d+:R>\.\n-# “Always” allows, [^\n]*:\n```\nevery edit of a file\n/,
  );
  expect(question.referenceId).toBe(message.id);
  // The gateway's own text of the question is not shown beside it.
  expect(await stage.deliverLast()).toBe(true);
  await stage.restart();
  const mallory = discord.people.join('mallory');
  const refused = discord.people.click(mallory, question, 'Allow');
  await until(() => refused.state === 'answered');
  expect(await http.event(eventId)).toMatchObject({ state: 'running' });
  const [anna, bert] = [discord.people.join('anna'), discord.people.join('bert')];
  const clicks = [
    discord.people.click(anna, question, 'Allow'),
    discord.people.click(bert, question, 'Deny'),
  ];
  await until(() => clicks.every(({ state }) => state === 'answered'));
  expect(await http.ended(eventId)).toMatchObject({ state: 'answered' });
  await until(() => question.content.startsWith(`**Allowed** by <@${anna.id}>: \`Write\`\n\`\`\`diff`));
  expect(question.content).toMatch(/\+.*allowed[\s\S]*\n```$/);
  const told = discord
    .visible(discord.channel)
    .flatMap(({ content, onlyFor }) => (onlyFor ? [[onlyFor, content]] : []));
  expect(told).toEqual([
    ['mallory', expect.stringContaining('You may not talk to me here')],
    ['bert', 'This was decided already: allowed.'],
  ]);
  expect(discord.visible(discord.channel).flatMap(({ buttons }) => buttons)).toEqual([]);
  expect([discord.violations, stage.problems]).toEqual([[], []]);
});

it('a question that nobody answers says so (17.3)', async () => {
  const stage = await setUpInteractions({ PERMISSION_MODE: 'ask', PERMISSION_TIMEOUT_MS: '1000' });
  const { discord } = stage;
  await stage.say('write a note: denied');
  const question = await until(() =>
    discord.world.messagesOf(discord.channel.id).find(({ content }) => content.includes('May I use')),
  );
  await until(() => question.content.startsWith('**Denied**, nobody answered in 1 second: `Write`\n```diff'));
});

it.each([
  ['hangs, and was heard', { type: 'hang', commit: true }, 'done'],
  ['hangs, and was not heard', { type: 'hang', commit: false }, 'not done'],
  ['fails, and was heard', { type: 'error', commit: true }, 'done'],
  ['is refused as too late', { type: 'refuse', status: 404, code: 10062, message: 'late' }, 'not done'],
] as const)(
  'an acknowledgement that %s: it is done once, or not at all (17.3)',
  async (_, fault, outcome) => {
    const stage = await setUpInteractions({}, { acknowledgeMs: 200 });
    const { discord, gateway, channel } = stage;
    await until(() => stage.registrations === 1);
    discord.faults.order('POST /interactions/:interaction/:token/callback', fault);
    const anna = discord.people.join('anna');
    const ask = discord.people.command(anna, discord.channel, 'ask', { prompt: 'say exactly: once' });
    if (outcome === 'done') await until(() => ask.state === 'answered');
    else await until(() => stage.problems.length === 1);
    const said = await gateway.messages(channel, { after: 0, limit: 9 });
    expect(said.filter(({ role }) => role === 'user')).toHaveLength(outcome === 'done' ? 1 : 0);
  },
);
