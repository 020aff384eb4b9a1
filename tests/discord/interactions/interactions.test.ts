import { expect, it } from 'vitest';
import { until } from '../loopback/until.js';
import { setUpInteractions } from './stage.js';

const running = 'wait 300 seconds';

it('slash commands: registered once, acknowledged, run through the gateway, answered in place (17.5)', async () => {
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

it('slash commands: somebody else is refused, /ask runs a prompt, and a late answer goes the ordinary way (17.5)', async () => {
  const stage = await setUpInteractions();
  const { discord, gateway, channel } = stage;
  await until(() => stage.registrations === 1);
  const mallory = discord.people.join('mallory');
  const refused = discord.people.command(mallory, discord.channel, 'stop');
  await until(() => refused.state === 'answered');
  expect(discord.visible(discord.channel)[0]?.content).toContain('You may not talk to me here');
  expect(await gateway.messages(channel, { after: 0, limit: 9 })).toEqual([]);
  const anna = discord.people.join('anna');
  discord.people.command(anna, discord.channel, 'ask', { prompt: '/stop what @everyone does' });
  await until(() => discord.visible(discord.channel)[1]?.content.includes('> /stop what @everyone'));
  const [asked] = await gateway.messages(channel, { after: 0, limit: 9 });
  expect(asked?.text).toMatch(/^ \/stop what @everyone does\n\n\[Discord context/);
  expect((await gateway.event(asked?.eventId ?? ''))?.kind).toBe('prompt');
  await gateway.waitForEnd(asked?.eventId ?? '', AbortSignal.timeout(5000));
  expect(await stage.deliverLast()).toBe(false);
  discord.people.command(anna, discord.channel, 'new');
  await until(
    async () => (await gateway.messages(channel, { after: 0, limit: 9 })).at(-1)?.role === 'system',
  );
  discord.clock.advance(16 * 60_000);
  expect(await stage.deliverLast()).toBe(false);
  // The loopback notes that an interaction was answered too late.
  expect(discord.violations.map(({ rule }) => rule)).toEqual(['interaction']);
});

it('a command or a click that Discord tells twice is done once (17.5)', async () => {
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

it('a message that waits says so, and can be cancelled, or interrupt (17.5)', async () => {
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
  await until(() => ahead1.deleted);
  expect(await http.event(second.eventId)).toMatchObject({ state: 'cancelled' });
  await until(() => ahead2.content === '-# Queued, 1 ahead');
  discord.people.click(anna, ahead2, 'Interrupt and send');
  expect(await http.ended(third.eventId)).toMatchObject({ responseText: 'third' });
  expect(await http.event(first.eventId)).toMatchObject({ error: { message: 'Stopped by anna' } });
  await until(() => ahead2.deleted);
  expect([discord.violations, stage.problems]).toEqual([[], []]);
});

it('a message that waits is edited, or deleted; one that runs is not changed (17.5)', async () => {
  const stage = await setUpInteractions();
  const { discord, http, gateway } = stage;
  const first = await stage.say(running);
  await http.until(first.eventId, 'running');
  const second = await stage.say('say exactly: second');
  const third = await stage.say('say exactly: third');
  discord.people.edit(first.message, 'nothing');
  discord.people.showPreview(second.message);
  discord.people.edit(second.message, 'say exactly: better');
  discord.people.delete(third.message);
  await until(async () => (await gateway.event(second.eventId))?.text === 'say exactly: better');
  await until(async () => (await gateway.event(third.eventId))?.state === 'cancelled');
  expect((await gateway.event(first.eventId))?.text).toBe(running);
  await http.gateway.interrupt(stage.channel);
  expect(await http.ended(second.eventId)).toMatchObject({ responseText: 'better' });
  expect(stage.problems).toEqual([]);
});

it('a question for a permission is decided once, by somebody who may, also after a restart (17.5)', async () => {
  const stage = await setUpInteractions({ PERMISSION_MODE: 'ask' });
  const { discord, http } = stage;
  const { eventId } = await stage.say('write a note: allowed');
  const question = await until(() =>
    discord.world.messagesOf(discord.channel.id).find(({ content }) => content.includes('May I use')),
  );
  expect(question.content).toContain('```diff');
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
  await until(() => question.content.startsWith(`**Allowed** by <@${anna.id}>: \`Write\``));
  const told = discord
    .visible(discord.channel)
    .flatMap(({ content, onlyFor }) => (onlyFor ? [[onlyFor, content]] : []));
  expect(told).toEqual([
    ['mallory', expect.stringContaining('You may not talk to me here')],
    ['anna', 'Allowed.'],
    ['bert', 'This was decided already: allowed.'],
  ]);
  expect(discord.visible(discord.channel).flatMap(({ buttons }) => buttons)).toEqual([]);
  expect([discord.violations, stage.problems]).toEqual([[], []]);
});

it('a question that is decided elsewhere, or whose turn ends, loses its buttons (17.5)', async () => {
  const stage = await setUpInteractions({ PERMISSION_MODE: 'ask' });
  const { discord, gateway, channel } = stage;
  const content = (index: number) =>
    discord.world.messagesOf(discord.channel.id).filter(({ authorId }) => authorId === discord.world.bot.id)[
      index
    ]?.content ?? '';
  await stage.say('write a note: one');
  await until(() => content(0).includes('May I use'));
  const [pending] = await gateway.pendingPermissions();
  await gateway.decide(pending?.id ?? '', 'deny');
  await until(() => content(0).startsWith('**Denied**: `Write`'));
  await until(async () => (await gateway.status(channel)).running === undefined);
  await stage.say('write a note: two');
  await until(() => content(1).includes('May I use'));
  await gateway.interrupt(channel);
  await until(() => content(1).startsWith('**Not needed any more**'));
});

it('of many messages that wait few have a note each, and one counts the others (17.5)', async () => {
  const stage = await setUpInteractions({}, { notePauseMs: 10 });
  const { discord, http, gateway, channel } = stage;
  const first = await stage.say(running);
  await http.until(first.eventId, 'running');
  const said = [];
  for (let i = 0; i < 8; i++) said.push(await stage.say(`say exactly: ${i}`));
  const notes = () => discord.answers(discord.channel).filter((text) => text.startsWith('-# Queued'));
  await until(() => notes().length === 6 && notes().at(-1)?.includes('3 more messages wait'));
  expect(notes().slice(0, 5)).toEqual([1, 2, 3, 4, 5].map((ahead) => `-# Queued, ${ahead} ahead`));
  const last = said[7];
  if (last === undefined) throw new Error('there are eight');
  discord.people.delete(last.message);
  await until(() => notes().at(-1)?.includes('2 more messages wait'));
  expect(await http.event(last.eventId)).toMatchObject({ state: 'cancelled' });
  const cancelled = [said[5], said[6]].map((one) => gateway.cancel(one?.eventId ?? ''));
  expect(await Promise.all(cancelled)).toEqual([true, true]);
  await until(() => notes().length === 5);
  await gateway.receive({ channel, source: 'discord', text: '/queue clear' });
  await until(() => notes().length === 0);
  expect([discord.violations, stage.problems]).toEqual([[], []]);
});

it('a burst of messages is noted slowly: answers don’t wait behind the notes (17.5)', async () => {
  const stage = await setUpInteractions({}, { notePauseMs: 300_000 });
  const { discord, http } = stage;
  const first = await stage.say(running);
  await http.until(first.eventId, 'running');
  for (let i = 0; i < 12; i++) await stage.say(`say exactly: ${i}`);
  const posts = () => discord.rest.seen.filter(({ route }) => route === 'POST /channels/:channel/messages');
  await until(() => posts().length >= 3);
  await stage.interactions.stop();
  expect(posts()).toHaveLength(3);
});

it.each([
  ['hangs, and was heard', { type: 'hang', commit: true }, 'done'],
  ['hangs, and was not heard', { type: 'hang', commit: false }, 'not done'],
  ['fails, and was heard', { type: 'error', commit: true }, 'done'],
  ['is refused as too late', { type: 'refuse', status: 404, code: 10062, message: 'late' }, 'not done'],
] as const)(
  'an acknowledgement that %s: it is done once, or not at all (17.5)',
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
