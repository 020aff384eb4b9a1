import { Client, type ClientOptions, Events, GatewayIntentBits, Partials } from 'discord.js';
import type { LoopbackDiscord } from './loopback-discord.js';

export const ordinaryIntents = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
];

/** The options with which the real client speaks to the loopback Discord, and with no waits that only the real one needs. */
export function loopbackOptions(discord: LoopbackDiscord): ClientOptions {
  return {
    intents: ordinaryIntents,
    // Without it, discord.js drops what is said in DMs that it doesn't know yet.
    partials: [Partials.Channel, Partials.Message],
    rest: {
      api: discord.apiUrl,
      version: '10',
      // The client adds 50 ms to every wait for a rate limit.
      offset: 0,
      // Its sweepers are timers.
      hashSweepInterval: 0,
      handlerSweepInterval: 0,
    },
    // The client waits 5 seconds between two IDENTIFYs.
    ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) },
  };
}

/** A client that is ready. Whoever asks for it destroys it. */
export async function connectClient(
  discord: LoopbackDiscord,
  options: Partial<ClientOptions> = {},
  token = discord.token,
): Promise<Client<true>> {
  const client = new Client({ ...loopbackOptions(discord), ...options });
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  try {
    await client.login(token);
  } catch (error) {
    await client.destroy();
    throw error;
  }
  return ready;
}
