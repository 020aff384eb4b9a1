import { expect, it } from 'vitest';
import { until } from '../loopback/until.js';
import { setUpInteractions } from './stage.js';

const running = 'wait 300 seconds';

it('slash commands: somebody else is refused, /ask runs a prompt, and a late answer goes the ordinary way (17.3)', async () => {
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
  expect(asked?.text).toBe(' /stop what @everyone does');
  const event = await gateway.event(asked?.eventId ?? '');
  expect(event).toMatchObject({ kind: 'prompt', context: expect.stringContaining('[Discord context') });
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

it('a message that waits is edited, or deleted; one that runs is not changed (17.3)', async () => {
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

it('a question that is decided elsewhere, or whose turn ends, loses its buttons (17.3)', async () => {
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

it('of many messages that wait few have a note each, and one counts the others (17.3)', async () => {
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

it('a burst of messages is noted slowly: answers don’t wait behind the notes (17.3)', async () => {
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
