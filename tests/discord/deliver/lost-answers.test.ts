import { expect, it } from 'vitest';
import { deliver } from '../../../src/gateway/channels/discord/deliver/deliver.js';
import { restApi } from './rest-api.js';
import { setUpDeliver } from './stage.js';

const send = 'POST /channels/:channel/messages';

it('a message whose answer is lost is not sent again behind a rate limit that outlasts the nonce (17.6)', async () => {
  const stage = await setUpDeliver();
  const { discord, store } = stage;
  const id = await stage.say('one');
  await stage.say('two');
  discord.faults.order(send, { type: 'error', commit: true });
  // The next try meets a limit, and waits in the client's queue while Discord forgets the nonce.
  discord.faults.order(send, { type: 'rate-limit', retryAfter: 0.3 });
  const parts = { ...stage.parts, api: restApi(discord, { sendWithinMs: 100 }) };
  const [first] = await store.undelivered({ now: discord.clock.now(), limit: 1 });
  if (first === undefined) throw new Error('Nothing waits');
  expect(first.id).toBe(id);
  await expect(deliver(stage.parts, first)).rejects.toThrow('500');
  const waits = deliver(parts, first);
  setTimeout(() => discord.clock.advance(10 * 60_000), 50);
  await expect(waits).rejects.toThrow('did not answer');
  await stage.deliverNext(stage.parts);
  await stage.deliverNext(stage.parts);
  expect(discord.answers(discord.channel)).toEqual(['one', 'two']);
});

it('an answer that was sent while the clock was days ahead is found when it is right again (17.6)', async () => {
  const stage = await setUpDeliver();
  const { discord, store } = stage;
  await stage.say('one');
  discord.faults.order(send, { type: 'error', commit: true });
  const [first] = await store.undelivered({ now: discord.clock.now(), limit: 1 });
  if (first === undefined) throw new Error('Nothing waits');
  const ahead = { ...stage.parts, now: () => discord.clock.now() + 2 * 86_400_000 };
  await expect(deliver(ahead, first)).rejects.toThrow('500');
  discord.clock.advance(20 * 60_000);
  await deliver(stage.parts, first);
  expect(discord.answers(discord.channel)).toEqual(['one']);
});

it('only what does no harm twice is tried again at once (17.6)', async () => {
  const { discord, parts } = await setUpDeliver();
  const { api } = parts;
  const { id } = discord.channel;
  const post = discord.faults.order(send, { type: 'error' }, { times: 100 });
  const get = discord.faults.order('GET /channels/:channel/messages', { type: 'error' }, { times: 2 });
  await expect(api.send(id, { content: 'one' })).rejects.toThrow('500');
  expect(post.met).toBe(1);
  expect(await api.messages(id, { limit: 1 })).toEqual([]);
  expect(get.met).toBe(2);
});
