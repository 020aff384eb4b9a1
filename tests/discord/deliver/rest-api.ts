import { type APIMessage, DiscordAPIError, HTTPError, REST, Routes } from 'discord.js';
import {
  type DiscordApi,
  DiscordProblem,
  type OutgoingFile,
} from '../../../src/gateway/channels/discord/discord-api.js';
import type { LoopbackDiscord } from '../loopback/loopback-discord.js';

export interface RestOptions {
  readonly timeout?: number;
  readonly retries?: number;
}

/** What deliveries and progress need of Discord's HTTP interface, over the real REST of discord.js. */
export function restApi(discord: LoopbackDiscord, options: RestOptions = {}): DiscordApi {
  const rest = new REST({
    api: discord.apiUrl,
    version: '10',
    offset: 0,
    // The client keeps to 50 by itself, in real seconds.
    globalRequestsPerSecond: 100_000,
    hashSweepInterval: 0,
    handlerSweepInterval: 0,
    ...options,
  }).setToken(discord.token);
  const ask = async <T>(request: Promise<unknown>): Promise<T> => {
    try {
      return (await request) as T;
    } catch (error) {
      if (error instanceof DiscordAPIError)
        throw new DiscordProblem(error.message, error.status, Number(error.code));
      const status = error instanceof HTTPError ? error.status : undefined;
      throw new DiscordProblem(String(error), status, undefined);
    }
  };
  const filesOf = (files: readonly OutgoingFile[]) =>
    files.map(({ name, data }) => ({ name, data: Buffer.from(data) }));
  const some: Partial<DiscordApi> = {
    send: (channel, body, files = []) =>
      ask(rest.post(Routes.channelMessages(channel), { body, files: filesOf(files) })),
    edit: (channel, message, body) => ask(rest.patch(Routes.channelMessage(channel, message), { body })),
    remove: (channel, message) => ask(rest.delete(Routes.channelMessage(channel, message))),
    typing: (channel) => ask(rest.post(Routes.channelTyping(channel))),
    messages: async (channel, page) => {
      const query = new URLSearchParams(JSON.parse(JSON.stringify(page)));
      const found = await ask<APIMessage[]>(rest.get(Routes.channelMessages(channel), { query }));
      return page.after === undefined ? found : found.reverse();
    },
  };
  return some as DiscordApi;
}
