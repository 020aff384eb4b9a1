import type { Client, ClientOptions, TextChannel } from 'discord.js';
import { onTestFinished } from 'vitest';
import { connectClient } from './connect-client.js';
import { LoopbackDiscord, type LoopbackOptions } from './loopback-discord.js';

export interface DiscordStage {
  readonly discord: LoopbackDiscord;
  readonly client: Client<true>;
  /** `discord.channel`, as the client knows it. */
  readonly channel: TextChannel;
}

/** A loopback Discord that ends with the test. */
export async function startDiscord(options: LoopbackOptions = {}): Promise<LoopbackDiscord> {
  const discord = await LoopbackDiscord.start(options);
  onTestFinished(() => discord.stop());
  return discord;
}

/** With a client that is connected. */
export async function setUpDiscord(
  options: LoopbackOptions = {},
  clientOptions: Partial<ClientOptions> = {},
): Promise<DiscordStage> {
  const discord = await startDiscord(options);
  const client = await connectClient(discord, clientOptions);
  onTestFinished(() => client.destroy());
  const channel = client.channels.cache.get(discord.channel.id) as TextChannel;
  return { discord, client, channel };
}
