import { fileURLToPath } from 'node:url';
import type { JournalPoint } from '../../../src/gateway/journal-points.js';
import type { Load, SentMessage, Work } from './load.js';
import type { Death } from './mortal-gateway.js';
import type { MessageView, PersistentClient } from './persistent-client.js';
import type { Scenario } from './run-scenario.js';
import { seeded } from './seeded.js';

export interface KillPoint extends Scenario {
  readonly point: Moment;
  /** The description in the table. */
  readonly means: string;
  readonly described: string;
  /** True if at each of the kills a tool had begun. */
  readonly tells: boolean;
}

/** A journal point, or any moment. */
export type Moment = JournalPoint | 'any';

export interface Size {
  readonly channels: number;
  readonly perChannel: number;
  readonly kills: number;
}

export const fullSize: Size = { channels: 50, perChannel: 10, kills: 3 };

const meanings: Readonly<Record<Moment, string>> = {
  accepting: 'a message came, nothing is on disk',
  accepted: 'the message is on disk, its sender does not know it yet',
  claimed: 'a turn was begun for it',
  joined: 'waiting messages have become part of the turn',
  began: 'noted what the turn is run with; the agent was not started',
  session: 'noted the agent’s session',
  tool_started: 'noted that a tool begins',
  tool_ended: 'noted that a tool has ended',
  permission_asked: 'a question for a person is on disk',
  finishing: 'the agent has answered, nothing of it is on disk',
  finished: 'answer, session and outbox are on disk',
  postponed: 'noted that a failed attempt is to be made again',
  delivering: 'an answer is about to be brought out',
  delivered: 'it was brought out, nothing of that is on disk',
  marked_delivered: 'noted that it was brought out',
  any: 'a signal comes from outside, wherever it is',
  took_over: 'the next gateway has taken over a turn of the one that was killed',
};

export function killPoint(point: Moment, size: Size = fullSize): KillPoint {
  const common = { point, means: meanings[point], tells: false };
  switch (point) {
    case 'joined':
      return {
        ...common,
        ...quickAgent(size, (index) => (index % 3 === 0 ? 'slow' : 'plain'), { pauseMs: 20 }),
        described: 'messages that wait are collected into one turn',
        settings: { ...quickSettings, QUEUE_MODE: 'collect', MAX_CONCURRENT_TURNS: '4' },
        deaths: deaths(point, size, 0.008, 0.02),
      };
    case 'postponed':
      return {
        ...common,
        // One kill less: a failed attempt counts as well, and the fourth is the last.
        ...quickAgent(size, (index) => (index % 5 === 0 ? 'flaky' : 'plain')),
        described: 'every fifth message fails the first time',
        deaths: deaths(point, { ...size, kills: size.kills - 1 }, 0.03, 0.06),
      };
    case 'tool_started':
    case 'tool_ended':
      return {
        ...common,
        ...quickAgent(size, (index) => (index % 5 === 0 ? 'tool' : 'plain')),
        described: 'every fifth message uses a tool',
        deaths: deaths(point, size, 0.02, 0.05),
        tells: true,
      };
    case 'took_over':
      return {
        ...common,
        ...mixed(size),
        // Each time the gateway first dies in the middle of the work, to have something to take over.
        deaths: Array.from({ length: size.kills }, (_, index) => [
          ...deaths('session', { ...size, kills: 1 }, 0.1 + 0.05 * index, 0.15 + 0.05 * index),
          { point, passing: 1 + (index % 3) },
        ])
          .flat()
          .slice(0, 4),
      };
    case 'any': {
      const random = seeded(7);
      const moments = Array.from({ length: size.kills }, () => Math.round(200 + 700 * random()));
      return { ...common, ...mixed(size), deaths: moments.map((afterMs) => ({ point, afterMs })) };
    }
    case 'permission_asked':
      return { ...common, ...withQuestions(size) };
    case 'marked_delivered':
      return { ...common, ...mixed(size), deaths: deaths(point, size, 0.05, 0.12) };
    default:
      return { ...common, ...mixed(size), deaths: deaths(point, size, 0.12, 0.28) };
  }
}

const quickSettings = {
  AGENT_BACKEND: 'claude',
  BACKEND_CLI_PATH: fileURLToPath(new URL('../../fixtures/programs/quick-agent.sh', import.meta.url)),
  MAX_CONCURRENT_TURNS: '8',
  RETRY_DELAY_MS: '20',
};

type OneScenario = Omit<KillPoint, 'point' | 'means' | 'tells'>;

function mixed(size: Size): OneScenario {
  const work = (index: number): Work => {
    if (index % 50 === 7) return 'long';
    return index % 10 === 3 ? 'tool' : index % 10 === 7 ? 'slow' : 'plain';
  };
  return { ...quickAgent(size, work), described: 'every tenth message uses a tool' };
}

/** A load for the quick agent, which logs what it really does. */
export function quickAgent(
  { channels, perChannel }: Pick<Size, 'channels' | 'perChannel'>,
  work: (index: number) => Work,
  { pauseMs = 200 }: { pauseMs?: number } = {},
): OneScenario {
  const load: Load = { channels, perChannel, work, text: (id, work) => `${id} ${work}`, pauseMs };
  return {
    load,
    described: '',
    settings: quickSettings,
    deaths: [],
    answers: ({ text }) => (text.startsWith('answer ') ? text.slice(7).split(' ') : []),
  };
}

/** The load is smaller: the demo agent of the live sessions starts as slowly as the real ones. */
function withQuestions(size: Size): OneScenario {
  const channels = Math.ceil(size.channels / 5);
  const perChannel = Math.ceil(size.perChannel / 3);
  return {
    load: { channels, perChannel, work: () => 'tool', text: (id) => `write a note: ${id}`, pauseMs: 20 },
    described: 'live sessions, every message needs a permission',
    settings: {
      AGENT_BACKEND: 'claude',
      BACKEND_CLI_PATH: fileURLToPath(new URL('../../../dist/demo-agent/main.js', import.meta.url)),
      BACKEND_LIVE: '1',
      PERMISSION_MODE: 'ask',
      MAX_CONCURRENT_TURNS: '4',
      TURNOUT_DEMO_SPEED: '0',
    },
    deaths: deaths('permission_asked', { ...size, channels, perChannel }, 0.1, 0.25),
    attend: allowEverything,
    answers: answersByEvent,
  };
}

async function allowEverything(client: PersistentClient, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const { id } of await client.permissions()) await client.allow(id);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function answersByEvent({ eventId }: MessageView, sent: readonly SentMessage[]): readonly string[] {
  return sent.flatMap((message) =>
    eventId !== null && [message.eventId, ...message.retries].includes(eventId) ? [message.id] : [],
  );
}

/** Chooses the deaths by a seed, each between these shares of all messages. */
function deaths(point: JournalPoint, size: Size, least: number, most: number): readonly Death[] {
  const random = seeded(1 + [...point].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 0));
  const messages = size.channels * size.perChannel;
  return Array.from({ length: size.kills }, () => ({
    point,
    passing: Math.max(1, Math.round(messages * (least + (most - least) * random()))),
  }));
}
