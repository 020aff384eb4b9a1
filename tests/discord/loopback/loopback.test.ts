import type { Client, Message } from 'discord.js';
import { Events } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { connectClient } from './connect-client.js';
import { LoopbackDiscord, type LoopbackOptions } from './loopback-discord.js';
import { until } from './until.js';

async function setUp(
  options: LoopbackOptions = {},
): Promise<{ discord: LoopbackDiscord; client: Client<true> }> {
  const discord = await LoopbackDiscord.start(options);
  onTestFinished(() => discord.stop());
  const client = await connectClient(discord);
  onTestFinished(() => client.destroy());
  return { discord, client };
}

it('the real client connects, hears a message and answers it (17)', async () => {
  const { discord, client } = await setUp();
  client.on(Events.MessageCreate, async (message: Message) => {
    if (!message.author.bot) await message.reply('Hello!');
  });
  const anna = discord.people.join('anna');
  const question = discord.people.write(anna, discord.channel, `${discord.mention} hi`);
  await until(() => discord.visible(discord.channel).length === 2, 'an answer');
  expect(discord.visible(discord.channel)[1]).toMatchObject({
    author: 'turnout-bot',
    content: 'Hello!',
    replyTo: question.id,
    pinged: [anna.id],
  });
  expect(discord.violations).toEqual([]);
});
