import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunRequest } from '../src/backends/types.js';
import type { ChatEvent } from '../src/core/chat-event.js';
import type { Gateway as RunningGateway } from '../src/gateway/gateway.js';
import { drive, type Measured, perSecond, quantile, withDirectory } from './load.js';
import { backendConfig, ClaudeCodeBackend, Gateway, loadConfig, noLog, openDatabase } from './product.js';
import { type Comparison, milliseconds } from './report.js';

const channelCount = 1000;
const floodEvents = 10_000;
const pacedRate = 500;
const pacedSeconds = 8;
const idleChannels = 5000;

/**
 * The whole gateway with a backend that answers at once: what is left is our own time, message to answer, with
 * everything on disk in between. Beside it the least that SQLite can be asked to do for a message: one row inserted when
 * it comes and updated when it is answered, a transaction each.
 */
export async function measureGateway(): Promise<readonly Comparison[]> {
  const floor = await withDirectory(bareLoop);
  const flood = await withGateway((gateway) => run(gateway, floodEvents, Number.POSITIVE_INFINITY));
  const paced = await withGateway((gateway) => run(gateway, pacedRate * pacedSeconds, pacedRate));
  const burst = await withGateway((gateway) => run(gateway, channelCount, Number.POSITIVE_INFINITY));
  const idle = await withGateway(measureIdle);
  const p50 = quantile(paced.latencies, 0.5);
  const p99 = quantile(paced.latencies, 0.99);
  const bare = quantile(floor.latencies, 0.5);
  return [
    {
      name: `gateway, ${channelCount} channels at once, synchronous=FULL, as fast as it goes`,
      ours: perSecond(flood.rate),
      other: 'a goal of 1000 events/s',
      ratio: flood.rate / 1000,
      goal: 'above 1',
      met: flood.rate > 1000,
    },
    {
      name: 'gateway, the same against a bare INSERT and UPDATE, a transaction each',
      ours: perSecond(flood.rate),
      other: perSecond(floor.rate),
      ratio: flood.rate / floor.rate,
      goal: 'above 0.3',
      met: flood.rate > floor.rate * 0.3,
    },
    {
      name: `gateway, message to answer at ${pacedRate} events/s, p99`,
      ours: milliseconds(p99),
      other: 'a limit of 50 ms',
      ratio: p99 / 50,
      goal: 'below 1',
      met: p99 < 50,
    },
    {
      name: `gateway, message to answer at ${pacedRate} events/s, p50, against a bare INSERT and UPDATE`,
      ours: milliseconds(p50),
      other: milliseconds(bare),
      ratio: p50 / bare,
      goal: 'told, not judged',
      met: true,
    },
    {
      name: `gateway, ${channelCount} messages at the same moment, the last answer`,
      ours: milliseconds(Math.max(...burst.latencies)),
      other: 'a second for a thousand',
      ratio: Math.max(...burst.latencies) / 1000,
      goal: 'below 1',
      met: Math.max(...burst.latencies) < 1000,
    },
    {
      name: `gateway, memory for an idle channel, of ${idleChannels}`,
      ours: `${(idle / 1024).toFixed(1)} KB`,
      other: 'a limit of 50 KB',
      ratio: idle / 1024 / 50,
      goal: 'below 1',
      met: idle / 1024 < 50,
    },
  ];
}

/** Claude's adapter in all but its CLI: it answers at once. */
class InstantBackend extends ClaudeCodeBackend {
  override async *run({ sessionId = randomUUID() }: RunRequest): AsyncGenerator<ChatEvent> {
    // A session of each channel's own: one that they all shared would take one turn at a time.
    yield { type: 'session', sessionId, backend: 'claude' };
    yield { type: 'text', text: 'hello yourself' };
    yield { type: 'complete', text: 'hello yourself', sessionId, stopReason: 'end_turn' };
  }
}

async function run(gateway: RunningGateway, events: number, rate: number): Promise<Measured> {
  const send = (channel: string): Promise<void> => ask(gateway, channel);
  // Once round all channels: what is measured is a gateway that has been at work, not the compiler.
  await drive({ channels: channelCount, events: channelCount, rate: Number.POSITIVE_INFINITY }, send);
  return drive({ channels: channelCount, events, rate }, send);
}

async function ask(gateway: RunningGateway, channel: string): Promise<void> {
  const { event } = await gateway.receive({ channel, source: 'http', text: 'hello' });
  await gateway.waitForEnd(event.id, new AbortController().signal);
}

/** Bytes of heap that stay for a channel that has been used once. */
async function measureIdle(gateway: RunningGateway): Promise<number> {
  const use = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n += 1) await ask(gateway, `idle-${n}`);
  };
  await use(0, 500);
  const before = await heap();
  await use(500, 500 + idleChannels);
  return Math.max(0, (await heap()) - before) / idleChannels;
}

async function heap(): Promise<number> {
  // The archive's pages are written behind the turns.
  await sleep(3000);
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function bareLoop(directory: string): Promise<Measured> {
  const db = await openDatabase(join(directory, 'bare.db'));
  db.exec('CREATE TABLE bare (id INTEGER PRIMARY KEY, channel TEXT, text TEXT, answer TEXT)');
  const latencies: number[] = [];
  const start = performance.now();
  for (let n = 1; n <= 3000; n += 1) {
    const began = performance.now();
    db.run('INSERT INTO bare (channel, text) VALUES (?, ?)', `channel-${n % channelCount}`, 'hello');
    db.run('UPDATE bare SET answer = ? WHERE id = ?', 'hello yourself', n);
    latencies.push(performance.now() - began);
  }
  const rate = 3000 / ((performance.now() - start) / 1000);
  db.close();
  return { rate, latencies };
}

async function withGateway<T>(measure: (gateway: RunningGateway) => Promise<T>): Promise<T> {
  return withDirectory(async (directory) => {
    const env = {
      PATH: process.env['PATH'],
      TURNOUT_HOME: join(directory, 'home'),
      CONFIG_DIR: join(directory, 'config'),
      // Apart from the home, so that snapshots are taken of it.
      WORKING_DIR: join(directory, 'work'),
      HTTP_PORT: '0',
      MAX_CONCURRENT_TURNS: '256',
      MAX_QUEUE_DEPTH: '100000',
    };
    mkdirSync(env.WORKING_DIR);
    const config = loadConfig(env);
    const backend = new InstantBackend(backendConfig(config, env));
    const gateway = await Gateway.start({ config, env, log: noLog, backend });
    try {
      return await measure(gateway);
    } finally {
      await gateway.stop('measured');
    }
  });
}
