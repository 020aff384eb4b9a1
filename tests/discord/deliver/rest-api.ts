import { REST } from 'discord.js';
import { restApi as overRest } from '../../../src/gateway/channels/discord/client/rest-api.js';
import type { DiscordApi } from '../../../src/gateway/channels/discord/discord-api.js';
import type { LoopbackDiscord } from '../loopback/loopback-discord.js';

export interface RestOptions {
  readonly timeout?: number;
  readonly sendWithinMs?: number;
}

/** Discord's HTTP interface without a socket. */
export function restApi(
  discord: LoopbackDiscord,
  { timeout = 15_000, ...times }: RestOptions = {},
): DiscordApi {
  const rest = new REST({
    api: discord.apiUrl,
    version: '10',
    offset: 0,
    // The client keeps to 50 by itself, in real seconds.
    globalRequestsPerSecond: 100_000,
    hashSweepInterval: 0,
    handlerSweepInterval: 0,
    retries: 0,
    timeout,
  }).setToken(discord.token);
  const never = new AbortController();
  return overRest(rest, async () => discord.bot.id, never.signal, { pausesMs: [1, 1], ...times });
}
