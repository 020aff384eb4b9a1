import { getEventListeners } from 'node:events';
import { REST } from 'discord.js';
import { expect, it } from 'vitest';
import { restApi } from '../../../../../../src/gateway/channels/discord/client/rest-api.js';
import { startDiscord } from '../../../../../discord/loopback/stage.js';

it('requests leave nothing behind, problems have their codes, and a stop gives up what waits (17.6, 17.7)', async () => {
  const discord = await startDiscord();
  const closing = new AbortController();
  const rest = new REST({
    api: discord.apiUrl,
    version: '10',
    hashSweepInterval: 0,
    handlerSweepInterval: 0,
  });
  const api = restApi(rest.setToken(discord.token), async () => discord.bot.id, closing.signal);
  for (const content of ['one', 'two', 'three']) await api.send(discord.channel.id, { content });
  const after = discord.visible(discord.channel)[0]?.id ?? '';
  const page = await api.messages(discord.channel.id, { after, limit: 10 });
  expect(page.map(({ content }) => content)).toEqual(['two', 'three']);
  await expect(api.channel('1')).rejects.toMatchObject({ name: 'DiscordProblem', status: 404, code: 10003 });
  expect(getEventListeners(closing.signal, 'abort')).toEqual([]);
  discord.faults.order('POST /channels/:channel/messages', { type: 'hang' });
  const waiting = api.send(discord.channel.id, { content: 'four' });
  setTimeout(() => closing.abort(), 20);
  await expect(waiting).rejects.toMatchObject({ status: undefined, code: undefined });
});
