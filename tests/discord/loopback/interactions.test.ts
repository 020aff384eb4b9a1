import { Events, type Interaction, MessageFlags } from 'discord.js';
import { expect, it } from 'vitest';
import { setUpDiscord } from './stage.js';
import { until } from './until.js';

const stop = { name: 'stop', description: 'Stops the turn.' };
const model = {
  name: 'model',
  description: 'Chooses a model.',
  options: [{ name: 'name', type: 3, description: 'Which one.', required: true }],
};
const row = (label: string, id: string) => ({
  type: 1,
  components: [{ type: 2, style: 1, label, custom_id: id }],
});

it('a slash command is registered, run, deferred and answered; the answer takes the place of the deferral', async () => {
  const { discord, client, channel } = await setUpDiscord();
  await client.application.commands.set([stop, model]);
  client.on(Events.InteractionCreate, async (interaction: Interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.deferReply();
    await channel.send('meanwhile');
    await interaction.editReply(
      `It is ${interaction.options.getString('name')} for ${interaction.user.username}`,
    );
    await interaction.followUp({ content: 'psst', flags: MessageFlags.Ephemeral });
  });
  const anna = discord.people.join('anna');
  const { channel: place } = discord;
  expect(() => discord.people.command(anna, place, 'unknown')).toThrow('no slash command /unknown');
  expect(() => discord.people.command(anna, place, 'model')).toThrow('needs name');
  const interaction = discord.people.command(anna, place, 'model', { name: 'opus' });
  await until(() => discord.visible(place).length === 3);
  expect(discord.visible(place)).toMatchObject([
    { content: 'It is opus for anna', earlier: [] },
    { content: 'meanwhile' },
    { content: 'psst', onlyFor: 'anna' },
  ]);
  expect(interaction.state).toBe('answered');
  expect(discord.violations).toEqual([]);
});

it('every interaction has rate limits of its own', async () => {
  const { discord, client } = await setUpDiscord({ rateLimitScale: 1 });
  await client.application.commands.set([stop]);
  client.on(Events.InteractionCreate, async (interaction: Interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.deferReply();
    await interaction.editReply('Stopped.');
  });
  const anna = discord.people.join('anna');
  const all = Array.from({ length: 8 }, () => discord.people.command(anna, discord.channel, 'stop'));
  await until(() => all.every(({ state }) => state === 'answered'));
  expect(discord.violations).toEqual([]);
});

it('a button is clicked: the message is updated, or the click is answered', async () => {
  const { discord, client, channel } = await setUpDiscord();
  client.on(Events.InteractionCreate, async (interaction: Interaction) => {
    if (!interaction.isButton()) return;
    if (interaction.customId === 'allow:7') await interaction.update({ content: 'Allowed.', components: [] });
    else await interaction.reply({ content: 'No.', flags: MessageFlags.Ephemeral });
  });
  const anna = discord.people.join('anna');
  await channel.send({ content: 'May I?', components: [row('Allow', 'allow:7'), row('Deny', 'deny:7')] });
  const question = discord.world.messagesOf(channel.id)[0];
  if (!question) throw new Error('no question');
  expect(discord.visible(discord.channel)[0]?.buttons).toEqual(['Allow', 'Deny']);
  const denied = discord.people.click(anna, question, 'Deny');
  await until(() => denied.state === 'answered');
  const allowed = discord.people.click(anna, question, 'Allow');
  await until(() => allowed.state === 'answered');
  expect(discord.visible(discord.channel)).toMatchObject([
    { content: 'Allowed.', earlier: ['May I?'], buttons: [] },
    { content: 'No.', onlyFor: 'anna' },
  ]);
  expect(() => discord.people.click(anna, question, 'Allow')).toThrow('Nobody sees a button "Allow"');
});

it('after 3 seconds an interaction is unknown, and after 15 minutes its token is invalid', async () => {
  const { discord, client } = await setUpDiscord();
  await client.application.commands.set([stop]);
  const got: Interaction[] = [];
  client.on(Events.InteractionCreate, (interaction) => got.push(interaction));
  const anna = discord.people.join('anna');
  const run = async () => {
    discord.people.command(anna, discord.channel, 'stop');
    const interaction = await until(() => got.shift());
    if (!interaction.isChatInputCommand()) throw new Error('no command');
    return interaction;
  };
  const late = await run();
  discord.clock.advance(3001);
  await expect(late.reply('late')).rejects.toMatchObject({ code: 10062 });
  expect(discord.interactions.unanswered()).toHaveLength(1);
  const slow = await run();
  await slow.deferReply();
  expect(discord.visible(discord.channel)).toMatchObject([{ content: '', thinking: true }]);
  await expect(client.rest.post(`/interactions/${slow.id}/${slow.token}/callback`, { body: { type: 5 } }))
    .rejects //
    .toMatchObject({ code: 40060 });
  discord.clock.advance(15 * 60_000);
  await expect(slow.editReply('too late')).rejects.toMatchObject({ code: 50027 });
  expect(discord.violations.map(({ rule }) => rule)).toEqual(['interaction', 'interaction', 'interaction']);
});

it('slash commands that Discord refuses are refused', async () => {
  const { discord, client } = await setUpDiscord();
  const set = (commands: object[]) => client.application.commands.set(commands as (typeof stop)[]);
  await expect(set([{ ...stop, name: 'Stop' }])).rejects.toMatchObject({ code: 50035 });
  await expect(set([{ ...stop, description: 'x'.repeat(101) }])).rejects.toMatchObject({ code: 50035 });
  await expect(set([stop, stop])).rejects.toMatchObject({ code: 50035 });
  expect(discord.violations.map(({ rule }) => rule)).toEqual(['command', 'command', 'command']);
});
