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

type AtEnd = (end: () => Promise<void>) => void;

/** A loopback Discord that ends with the test. Tests that run at the same time pass the `onTestFinished` of their own. */
export async function startDiscord(
  options: LoopbackOptions = {},
  atEnd: AtEnd = onTestFinished,
): Promise<LoopbackDiscord> {
  const discord = await LoopbackDiscord.start(options);
  atEnd(() => discord.stop());
  return discord;
}

/** With a client that is connected. */
export async function setUpDiscord(
  options: LoopbackOptions = {},
  clientOptions: Partial<ClientOptions> = {},
  atEnd: AtEnd = onTestFinished,
): Promise<DiscordStage> {
  const discord = await startDiscord(options, atEnd);
  const client = await connectClient(discord, clientOptions);
  atEnd(() => client.destroy());
  const channel = client.channels.cache.get(discord.channel.id) as TextChannel;
  return { discord, client, channel };
}
