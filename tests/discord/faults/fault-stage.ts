import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '../../gateway/stage.js';
import { type BotStage, setUpBot } from '../channel/stage.js';
import { isQuiet } from '../kill/is-quiet.js';
import { judgeAnswers } from '../kill/judge-answers.js';
import type { LoopbackOptions } from '../loopback/loopback-discord.js';
import type { Channel } from '../loopback/state/world.js';
import { until } from '../loopback/until.js';

const agent = fileURLToPath(new URL('../../fixtures/programs/long-answers.sh', import.meta.url));
const patienceMs = 40_000;

export interface FaultStage extends BotStage {
  /** A channel in which the bot has been asked something before. */
  channel(name: string): Promise<Talk>;
  /** Resolves when nothing waits, runs, or is left to deliver. */
  untilQuiet(): Promise<void>;
}

/** What is asked in a channel, and what becomes of it. */
export interface Talk {
  readonly channel: Channel;
  ask(work?: 'plain' | 'attach'): void;
  /** Resolves when every question is answered once and in order, or after a while. */
  answered(): Promise<void>;
  /** `once`, or what else is to be seen. */
  outcome(): string;
}

/** A gateway on the loopback Discord whose agent answers with two messages. */
export async function setUpFaults(
  options: LoopbackOptions & { readonly restTimeoutMs?: number } = {},
): Promise<FaultStage> {
  const bot = await setUpBot(options);
  const { discord, anna, stage } = bot;
  writeFileSync(join(stage.work, 'notes.txt'), 'a file');
  const talkIn = (channel: Channel): Talk => {
    const ids: string[] = [];
    return {
      channel,
      ask(work = 'plain') {
        const id = `q${ids.length + 1}`;
        ids.push(id);
        discord.people.write(anna, channel, `${discord.mention} ${id} ${work}`);
      },
      async answered() {
        await until(() => this.outcome() === 'once', 'the answers', patienceMs).catch(() => undefined);
      },
      outcome: () => judgeAnswers(discord, channel, ids),
    };
  };
  let client: Client | undefined;
  return {
    ...bot,
    async start(settings = {}) {
      client = await bot.start({
        ...{ AGENT_BACKEND: 'claude', BACKEND_CLI_PATH: agent, AGENT_DIR: stage.root },
        MAX_CONCURRENT_TURNS: '20',
        ...settings,
      });
      return client;
    },
    untilQuiet: async () => {
      await until(async () => isQuiet((await client?.gateway.metrics()) ?? ''), 'quiet', patienceMs);
    },
    async channel(name) {
      const talk = talkIn(discord.addChannel(name));
      talk.ask();
      await talk.answered();
      return talk;
    },
  };
}
