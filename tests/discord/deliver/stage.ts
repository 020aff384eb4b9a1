import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type DeliverParts, deliver } from '../../../src/gateway/channels/discord/deliver/deliver.js';
import { WorkTreeFiles } from '../../../src/process/work-tree-files.js';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../../src/store/store.js';
import type { LoopbackDiscord, LoopbackOptions } from '../loopback/loopback-discord.js';
import { startDiscord } from '../loopback/stage.js';
import type { Channel } from '../loopback/state/world.js';
import { restApi } from './rest-api.js';

export interface DeliverStage {
  readonly discord: LoopbackDiscord;
  readonly store: Store;
  readonly parts: DeliverParts;
  /** The agent's work tree. */
  readonly workTree: string;
  /** The gateway says something in a channel: the delivery's id. */
  say(text: string, channel?: Channel, eventId?: string): Promise<number>;
  /** What the outbox does: the channel's oldest message, until it is recorded. */
  deliverNext(parts?: DeliverParts, channel?: Channel): Promise<void>;
}

export async function setUpDeliver(options: LoopbackOptions = {}): Promise<DeliverStage> {
  const discord = await startDiscord(options);
  const directory = await mkdtemp(join(tmpdir(), 'turnout-deliver-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const store = await openSqliteStore(join(directory, 'turnout.sqlite'));
  onTestFinished(() => store.close());
  const now = () => discord.clock.now();
  const parts: DeliverParts = {
    api: restApi(discord),
    store,
    botId: () => discord.bot.id,
    attachPlace: async () => ({ workTree: directory, closed: [] }),
    workTrees: new WorkTreeFiles({ home: directory }),
    now,
  };
  return {
    discord,
    store,
    parts,
    workTree: directory,
    say: async (text, channel = discord.channel, eventId) =>
      (await store.post({ channel: `discord:${channel.id}`, role: 'assistant', text, eventId }, now())).id,
    deliverNext: async (used = parts, channel = discord.channel) => {
      const due = await store.undelivered({ now: now(), limit: 10_000 });
      const head = due.find(({ message }) => message.channel === `discord:${channel.id}`);
      if (head === undefined) return;
      await deliver(used, head);
      await store.delivered([head.id], now());
    },
  };
}
