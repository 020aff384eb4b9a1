import { REST } from 'discord.js';
import { restApi as realApi } from '../../../src/gateway/channels/discord/client/rest-api.js';
import type { DiscordApi } from '../../../src/gateway/channels/discord/discord-api.js';
import type { LoopbackDiscord } from '../loopback/loopback-discord.js';

export interface RestOptions {
  readonly timeout?: number;
  readonly retries?: number;
}

/** Discord's HTTP interface, without a socket beside it. */
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
  return realApi(rest, async () => discord.bot.id, new AbortController().signal);
}
