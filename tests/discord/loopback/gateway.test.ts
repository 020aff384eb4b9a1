import { once } from 'node:events';
import { type Client, Events, type GatewayDispatchPayload, GatewayIntentBits } from 'discord.js';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { connectClient } from './connect-client.js';
import { setUpDiscord, startDiscord } from './stage.js';
import { until } from './until.js';

function listen(client: Client): string[] {
  const heard: string[] = [];
  client.on(Events.MessageCreate, ({ content }) => heard.push(content));
  return heard;
}

it.concurrent('a dropped socket and op 7 are resumed: what came meanwhile is replayed once, in order', async ({
  expect,
  onTestFinished,
}) => {
  const { discord, client } = await setUpDiscord({}, {}, onTestFinished);
  const heard = listen(client);
  const anna = discord.people.join('anna');
  discord.gateway.drop();
  await until(() => !discord.gateway.connected);
  discord.people.write(anna, discord.channel, 'one');
  discord.people.write(anna, discord.channel, 'two');
  await until(() => heard.length === 2, 'the replay');
  discord.gateway.askToReconnect();
  await until(() => !discord.gateway.connected);
  discord.people.write(anna, discord.channel, 'three');
  await until(() => heard.length === 3, 'the second replay');
  expect(heard).toEqual(['one', 'two', 'three']);
  expect(discord.gateway).toMatchObject({ identifies: 1, resumes: 2 });
  expect(discord.violations).toEqual([]);
});

it.concurrent('after op 9 and after minutes out of reach there is a new session, and the gap is never replayed', async ({
  expect,
  onTestFinished,
}) => {
  const { discord, client } = await setUpDiscord({}, {}, onTestFinished);
  const heard = listen(client);
  const anna = discord.people.join('anna');
  discord.gateway.invalidate(false);
  discord.people.write(anna, discord.channel, 'missed');
  await until(() => discord.gateway.identifies === 2, 'a second session');
  discord.people.write(anna, discord.channel, 'heard');
  await until(() => heard.length === 1);
  discord.gateway.goAway();
  await until(() => !discord.gateway.connected);
  discord.people.write(anna, discord.channel, 'missed, too');
  discord.clock.advance(10 * 60_000);
  discord.gateway.comeBack();
  await until(() => discord.gateway.identifies === 3, 'a third session');
  discord.people.write(anna, discord.channel, 'heard again');
  await until(() => heard.length === 2);
  expect(heard).toEqual(['heard', 'heard again']);
});

it.concurrent('a session that Discord has forgotten is not resumed', async ({ expect, onTestFinished }) => {
  const { discord, client } = await setUpDiscord({}, {}, onTestFinished);
  const heard = listen(client);
  const anna = discord.people.join('anna');
  discord.gateway.drop({ forget: true });
  discord.people.write(anna, discord.channel, 'missed');
  await until(() => discord.gateway.identifies === 2, 'a second session');
  discord.people.write(anna, discord.channel, 'heard');
  await until(() => heard.length === 1);
  expect(heard).toEqual(['heard']);
  expect(discord.gateway.resumes).toBe(0);
});

it('a session that op 9 calls resumable is resumed on the same socket', async () => {
  const { discord, client } = await setUpDiscord();
  const heard = listen(client);
  discord.gateway.invalidate(true);
  discord.people.write(discord.people.join('anna'), discord.channel, 'one');
  await until(() => heard.length === 1);
  expect(discord.gateway).toMatchObject({ identifies: 1, resumes: 1 });
});

it('events come twice, late and out of order if a test wants it', async () => {
  const { discord, client } = await setUpDiscord();
  const heard = listen(client);
  const dispatched: string[] = [];
  client.on(
    Events.Raw,
    ({ t, d }: GatewayDispatchPayload) => t === 'MESSAGE_CREATE' && dispatched.push(d.content),
  );
  const anna = discord.people.join('anna');
  discord.gateway.duplicateNext();
  discord.people.write(anna, discord.channel, 'twice');
  discord.gateway.hold();
  discord.people.write(anna, discord.channel, 'one');
  discord.people.write(anna, discord.channel, 'two');
  discord.gateway.release((events) => events.reverse());
  await until(() => dispatched.length === 4);
  expect(dispatched).toEqual(['twice', 'twice', 'two', 'one']);
  // discord.js keeps a message from its listeners if it has it in its cache.
  expect(heard).toEqual(['twice', 'two', 'one']);
});

it('a wrong token is refused by REST and with 4004, an intent that is switched off with 4014', async () => {
  const discord = await startDiscord();
  await expect(connectClient(discord, {}, 'another.bot.token')).rejects.toThrow(
    'An invalid token was provided.',
  );
  discord.gateway.closeNext(4004);
  await expect(connectClient(discord)).rejects.toThrow('Authentication failed');
  discord.gateway.allowed.messageContent = false;
  await expect(connectClient(discord)).rejects.toThrow('Used disallowed intents');
});

it('without the message-content intent, only mentions and DMs can be read', async () => {
  const intents = [
    GatewayIntentBits.Guilds,
    GatewayIntentBits.GuildMessages,
    GatewayIntentBits.DirectMessages,
  ];
  const { discord, client } = await setUpDiscord({}, { intents });
  const heard = listen(client);
  const anna = discord.people.join('anna');
  discord.people.write(anna, discord.channel, 'not for you');
  discord.people.write(anna, discord.channel, `${discord.mention} for you`);
  discord.people.writeDirectly(anna, 'and this');
  await until(() => heard.length === 3);
  expect(heard).toEqual(['', `${discord.mention} for you`, 'and this']);
});

it.concurrent('a client beats; a connection whose beats are not acknowledged is left, one without beats is closed', async ({
  expect,
  onTestFinished,
}) => {
  const { discord, client } = await setUpDiscord({ heartbeatInterval: 30 }, {}, onTestFinished);
  await until(() => client.ws.ping >= 0, 'an acknowledged heartbeat');
  discord.gateway.acknowledgesHeartbeats = false;
  await until(() => !discord.gateway.connected, 'the client to leave');
  discord.gateway.acknowledgesHeartbeats = true;
  await until(() => discord.gateway.resumes === 1, 'the client to come back');
  expect(discord.violations).toEqual([]);
  const mute = new WebSocket(`${discord.origin.replace('http', 'ws')}/?v=10&encoding=json`);
  const [code] = await once(mute, 'close');
  expect(code).toBe(4009);
  expect(discord.violations.map(({ rule }) => rule)).toEqual(['heartbeat']);
});

it('edits, previews and deletions reach the client', async () => {
  const { discord, client } = await setUpDiscord();
  const seen: string[] = [];
  client.on(Events.MessageUpdate, (_, { content, editedAt }) =>
    seen.push(`${content}${editedAt ? '*' : ''}`),
  );
  client.on(Events.MessageDelete, ({ id }) => seen.push(`deleted ${id}`));
  client.on(Events.MessageBulkDelete, ({ size }) => seen.push(`deleted ${size}`));
  const anna = discord.people.join('anna');
  const [first, second, third] = ['a', 'b', 'c'].map((text) =>
    discord.people.write(anna, discord.channel, text),
  );
  if (!first || !second || !third) throw new Error('three messages');
  discord.people.showPreview(first);
  discord.people.edit(first, 'A');
  discord.people.delete(first);
  discord.people.deleteMany(discord.channel, [second, third]);
  await until(() => seen.length === 4);
  expect(seen).toEqual(['a', 'A*', `deleted ${first.id}`, 'deleted 2']);
});
