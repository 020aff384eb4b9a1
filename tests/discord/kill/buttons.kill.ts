import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { demoAgent } from '../../gateway/stage.js';
import { startDiscord } from '../loopback/stage.js';
import { MortalBot } from './mortal-bot.js';

const tenMinutes = 10 * 60_000;

describe.runIf(process.platform === 'linux')('buttons of a gateway that was killed', () => {
  it('still work: a question is asked once and can be allowed, a message that waits can be cancelled (17.3)', async () => {
    const { discord, anna, bot, root, find } = await setUp();
    const { channel, people, mention } = discord;
    await bot.start();
    people.write(anna, channel, `${mention} write a note: one`);
    const question = await bot.until(() => find('May I use'), 'the question');
    people.write(anna, channel, `${mention} say exactly: nothing`);
    const note = await bot.until(() => find('Queued, 1 ahead'), 'the note');
    await bot.kill();
    await bot.start();
    people.click(anna, note, 'Cancel');
    await bot.until(() => note.content.startsWith('-# Cancelled by'), 'the end of the note');
    people.click(anna, question, 'Allow');
    await bot.until(() => question.content.startsWith(`**Allowed** by <@${anna.id}>`), 'the decision');
    await bot.untilQuiet();
    expect(existsSync(join(root, 'work', 'demo-note.txt'))).toBe(true);
    const said = discord.answers(channel).filter((text) => !text.startsWith('⏳'));
    expect(said.filter((text) => /May I use|\*\*Allowed/.test(text))).toHaveLength(1);
    expect(said.some((text) => text.includes('nothing'))).toBe(false);
    expect(discord.violations).toEqual([]);
    await bot.stop();
  });

  it('are there once, also if it was killed before it noted them and Discord has forgotten the nonce (17.3)', async () => {
    const { discord, anna, bot, find } = await setUp();
    const { channel, people, mention } = discord;
    await bot.start();
    await bot.until(() => discord.interactions.commandsOf(undefined).length > 0, 'the slash commands');
    const isThere = await bot.stopBefore({
      ...{ name: 'store.saveDiscordPost', nth: 1, dies: true },
      of: `discord:${channel.id}`,
    });
    people.write(anna, channel, `${mention} write a note: one`);
    await bot.until(isThere, 'the question');
    const question = await bot.until(() => find('May I use'), 'the question');
    bot.aheadMs += tenMinutes;
    discord.clock.advance(tenMinutes);
    await bot.start();
    await bot.until(() => bot.steps.includes('store.saveDiscordPost'), 'the note of the question');
    people.click(anna, question, 'Deny');
    await bot.until(() => question.content.startsWith(`**Denied** by <@${anna.id}>`), 'the decision');
    await bot.untilQuiet();
    expect(discord.answers(channel).filter((text) => /May I use|\*\*Denied/.test(text))).toHaveLength(1);
    await bot.stop();
  });
});

async function setUp() {
  const discord = await startDiscord();
  const anna = discord.people.join('anna');
  const root = mkdtempSync(join(tmpdir(), 'turnout-bot-'));
  const bot = new MortalBot(discord, root, {
    ...{ DISCORD_ALLOWED_USERS: anna.id, PERMISSION_MODE: 'ask' },
    ...{ BACKEND_CLI_PATH: demoAgent, TURNOUT_DEMO_SPEED: '10' },
  });
  onTestFinished(async () => {
    await bot.kill();
    rmSync(root, { recursive: true, force: true });
  });
  const find = (text: string) =>
    discord.world
      .messagesOf(discord.channel.id)
      .find(({ content, deleted }) => content.includes(text) && !deleted);
  return { discord, anna, bot, root, find };
}
