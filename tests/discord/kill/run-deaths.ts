import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoopbackDiscord } from '../loopback/loopback-discord.js';
import type { Channel } from '../loopback/state/world.js';
import { type DeathPoint, notAnswered } from './death-points.js';
import { judgeAnswers } from './judge-answers.js';
import { MortalBot } from './mortal-bot.js';

const tenMinutes = 10 * 60_000;

export interface Deaths {
  /** All points in one life: in a channel of its own each, what would be the last step is not made, and then the kill comes. */
  readonly together?: boolean;
  /** The next life begins ten minutes later, when Discord has forgotten the nonces. */
  readonly later?: boolean;
}

/**
 * Kills a gateway at each of the points, one life after the other: somebody has asked something when the life ends, asks once more
 * while nobody is there, and the next life answers both. The outcomes are what is to be seen when all lives are over.
 */
export async function runDeaths(
  points: readonly DeathPoint[],
  { together = false, later = false }: Deaths = {},
): Promise<readonly string[]> {
  const discord = await LoopbackDiscord.start();
  const root = await mkdtemp(join(tmpdir(), 'turnout-bot-'));
  const anna = discord.people.join('anna');
  const bot = new MortalBot(discord, root, { DISCORD_ALLOWED_USERS: anna.id, MAX_CONCURRENT_TURNS: '20' });
  const asked = new Map<Channel, string[]>();
  const ask = (channel: Channel, work = 'plain') => {
    const ids = asked.get(channel) ?? [];
    asked.set(channel, ids);
    const id = `${channel.name}-${ids.length + 1}`;
    ids.push(id);
    const files = [{ name: 'notes.txt', content: id }];
    discord.people.write(anna, channel, `${discord.mention} ${id} ${work}`, { files });
    return id;
  };
  /** Whether it was answered rightly is judged at the end. */
  const untilAnswered = async (channels: readonly Channel[]) => {
    for (const channel of channels) {
      const ids = asked.get(channel) ?? [];
      const judge = () => judgeAnswers(discord, channel, ids);
      await bot
        .until(() => judge() === 'once', `the answers to ${ids}`)
        .catch((error: Error) => {
          throw new Error(`${judge()}\n${error.message}`);
        });
    }
    await bot.untilQuiet();
  };
  const group = async (chosen: readonly DeathPoint[], number: number) => {
    const places = chosen.map(({ isNewChannel }, index) =>
      together || isNewChannel ? discord.addChannel(`c${number}-${index}`) : discord.channel,
    );
    const known = places.filter((channel, index) => !asked.has(channel) && !chosen[index]?.isNewChannel);
    for (const channel of known) ask(channel);
    await untilAnswered(known);
    const first: string[] = [];
    const reached: (() => boolean)[] = [];
    const orders = [];
    for (const [index, { when, step, request, isSlow }] of chosen.entries()) {
      const channel = places[index] ?? discord.channel;
      const of = isSlow ? channel.id : undefined;
      if (step) reached.push(await bot.stopBefore({ ...step, of, dies: !together }));
      if (request) {
        const { route, fault, skip = 0 } = request;
        const order = discord.faults.order(route, fault, { skip, of: channel.id });
        orders.push(order);
        reached.push(() => order.met > 0);
      }
      first.push(ask(channel, isSlow ? 'slow' : 'plain'));
      if (!isSlow) await bot.until(() => reached.at(-1)?.(), when);
    }
    await bot.until(() => reached.every((isReached) => isReached()), 'all points');
    await bot.kill();
    for (const order of orders) order.release();
    const questions = places.map((channel, index) => [first[index] ?? '', ask(channel)]);
    if (later) {
      bot.aheadMs += tenMinutes;
      discord.clock.advance(tenMinutes);
    }
    await bot.start();
    await untilAnswered(places.filter((_, index) => chosen[index]?.expected !== notAnswered));
    return places.map((channel, index) => ({ channel, ids: questions[index] ?? [] }));
  };
  try {
    await bot.start();
    const runs = [];
    for (const [number, chosen] of (together ? [points] : points.map((point) => [point])).entries())
      runs.push(...(await group(chosen, number)));
    await bot.stop();
    const oddities = discord.violations.map(({ rule, detail }) => `${rule}: ${detail}`);
    if (oddities.length > 0) throw new Error(oddities.join('\n'));
    return runs.map(({ channel, ids }) => judgeAnswers(discord, channel, ids, asked.get(channel)));
  } finally {
    await bot.kill();
    await discord.stop();
    await rm(root, { recursive: true, force: true });
  }
}
