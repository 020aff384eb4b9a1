import { once } from 'node:events';
import { connect } from 'node:net';
import { HTTPError } from 'discord.js';
import { expect, it } from 'vitest';
import type { LoopbackDiscord } from './loopback-discord.js';
import { tooLarge } from './rest/faults.js';
import { setUpDiscord, startDiscord } from './stage.js';
import { until } from './until.js';

const send = 'POST /channels/:channel/messages';

function openConnections({ rest }: LoopbackDiscord): Promise<number> {
  return new Promise((resolve) => rest.server.getConnections((_, count) => resolve(count)));
}

it('a 500 after commit is sent again by the client: twice without a nonce, once with it', async () => {
  const { discord, channel } = await setUpDiscord();
  discord.faults.order(send, { type: 'error', commit: true }, { times: 2 });
  await channel.send('without');
  expect(discord.answers(discord.channel)).toEqual(['without', 'without', 'without']);
  discord.faults.order(send, { type: 'error', commit: true }, { times: 2 });
  await channel.send({ content: 'with', nonce: '1', enforceNonce: true });
  expect(discord.answers(discord.channel).slice(3)).toEqual(['with']);
});

it('a 500 before commit is sent again, and too many of them reach the caller', async () => {
  const { discord, channel } = await setUpDiscord();
  discord.faults.order(send, { type: 'error', status: 502 });
  await channel.send('one');
  const order = discord.faults.order(send, { type: 'error' }, { times: 100 });
  await expect(channel.send('two')).rejects.toBeInstanceOf(HTTPError);
  order.release();
  expect(order.met).toBe(4);
  await channel.send('three');
  expect(discord.answers(discord.channel)).toEqual(['one', 'three']);
});

it('a 429 is waited out, also a global one', async () => {
  const { discord, channel } = await setUpDiscord();
  discord.faults.order(send, { type: 'rate-limit' });
  await channel.send('one');
  discord.faults.order(send, { type: 'rate-limit', global: true });
  await channel.send('two');
  const statuses = discord.rest.seen.filter(({ route }) => route === send).map(({ status }) => status);
  expect(statuses).toEqual([429, 200, 429, 200]);
  expect(discord.answers(discord.channel)).toEqual(['one', 'two']);
  expect(discord.rest.invalidRequests).toBe(2);
});

it('the limits of a channel are kept by the client, which reads their headers', async () => {
  const { discord, channel } = await setUpDiscord();
  const texts = Array.from({ length: 12 }, (_, i) => `${i}`);
  await Promise.all(texts.map((text) => channel.send(text)));
  expect(discord.answers(discord.channel)).toEqual(texts);
  expect(discord.violations).toEqual([]);
});

it('who sends too fast gets a 429, which is noted', async () => {
  const { discord } = await setUpDiscord({ rateLimitScale: 1 });
  const headers = { authorization: `Bot ${discord.token}`, 'user-agent': 'DiscordBot (test)' };
  const type = () =>
    fetch(`${discord.apiUrl}/v10/channels/${discord.channel.id}/typing`, { method: 'POST', headers });
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(type));
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 204, 204, 204, 204, 429]);
  const refused = answers.find(({ status }) => status === 429);
  expect(await refused?.json()).toMatchObject({ global: false, retry_after: expect.any(Number) });
  expect(discord.violations.map(({ rule }) => rule)).toEqual(['rate-limit']);
});

it('connections break before and after commit', async () => {
  const { discord, channel } = await setUpDiscord();
  discord.faults.order(send, { type: 'drop' });
  await expect(channel.send('lost')).rejects.toThrow('other side closed');
  discord.faults.order(send, { type: 'drop', commit: true });
  const sendOnce = () => channel.send({ content: 'there', nonce: '1', enforceNonce: true });
  await expect(sendOnce()).rejects.toThrow('other side closed');
  expect(discord.answers(discord.channel)).toEqual(['there']);
  await sendOnce();
  expect(discord.answers(discord.channel)).toEqual(['there']);
});

it('answers hang or are slow', async () => {
  const { discord, channel } = await setUpDiscord();
  const before = discord.faults.order(send, { type: 'hang' });
  const after = discord.faults.order(send, { type: 'hang', commit: true }, { skip: 1 });
  const first = channel.send('one').catch(() => 'failed');
  await until(() => before.met === 1);
  expect(discord.answers(discord.channel)).toEqual([]);
  before.release();
  expect(await first).toBe('failed');
  await channel.send('two');
  const third = channel.send('three');
  await until(() => after.met === 1);
  expect(discord.answers(discord.channel)).toEqual(['two', 'three']);
  after.release();
  await third;
  discord.faults.order(send, { type: 'slow', milliseconds: 30 });
  const start = performance.now();
  await channel.send('four');
  expect(performance.now() - start).toBeGreaterThan(25);
});

it('half a request of a client that was killed is no message, and nobody is to blame', async () => {
  const discord = await startDiscord();
  const socket = connect(Number(new URL(discord.origin).port), '127.0.0.1');
  const path = `/api/v10/channels/${discord.channel.id}/messages`;
  const head = ['host: loopback', `authorization: Bot ${discord.token}`, 'content-length: 100'];
  socket.write([`POST ${path} HTTP/1.1`, ...head, '', '{"content":"half'].join('\r\n'));
  await once(discord.rest.server, 'request');
  socket.destroy();
  await until(async () => (await openConnections(discord)) === 0);
  expect(discord.answers(discord.channel)).toEqual([]);
  expect(discord.violations).toEqual([]);
});

it('a route that does not exist has no faults; one channel can have its own', async () => {
  const { discord, channel } = await setUpDiscord();
  expect(() => discord.faults.order('POST /nowhere', tooLarge)).toThrow('no route POST /nowhere');
  discord.faults.order(send, tooLarge, { of: 'another channel' });
  const order = discord.faults.order(send, tooLarge, { skip: 1, of: channel.id });
  await channel.send('one');
  await expect(channel.send('two')).rejects.toMatchObject({ status: 413, code: 40005 });
  await until(() => order.met === 1);
});
