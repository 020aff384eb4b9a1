import { setTimeout as sleep } from 'node:timers/promises';
import { databaseFile } from '../../../src/gateway/gateway.js';
import type { Work } from '../kill/load.js';
import type { MortalGateway } from '../kill/mortal-gateway.js';
import type { PersistentClient } from '../kill/persistent-client.js';
import type { Harm } from './harm.js';

type Step = (
  harm: Harm,
  gateway: MortalGateway,
  client: PersistentClient,
  random: () => number,
) => Promise<void>;

interface Lane {
  /** The shortest and the longest pause before a step. */
  readonly pauseMs: readonly [number, number];
  readonly steps: readonly Step[];
}

/** What can go wrong at the same time: one thing of each lane. */
const lanes: readonly Lane[] = [
  {
    pauseMs: [1000, 10_000],
    steps: [
      (harm, _gateway, _client, random) => harm.ioErrors(1000 + 24_000 * random()),
      (harm, _gateway, _client, random) => harm.fullDisk(1000 + 9000 * random()),
      (harm, gateway, _client, random) => harm.lockedDatabase(gateway, 1000 + 19_000 * random()),
      (harm, _gateway, _client, random) => harm.clock(Math.round(4 * random() - 2)),
    ],
  },
  {
    pauseMs: [1000, 6000],
    steps: [
      // Some follow so fast that the gateway dies again while it starts.
      async (harm, gateway, _client, random) => {
        for (let left = 12; left > 0; left--) {
          await harm.kill(gateway);
          await sleep(1000 * random());
        }
      },
    ],
  },
  {
    pauseMs: [1000, 10_000],
    steps: [
      (harm, gateway, _client, random) => harm.stopped(gateway, 500 + 6000 * random()),
      (harm, gateway, _client, random) => harm.noFiles(gateway, 500 + 4000 * random()),
      (harm, gateway) => harm.secondGateway(gateway),
      (harm, gateway, _client, random) =>
        harm.movedAway(gateway, random() < 0.5 ? databaseFile : `${databaseFile}-wal`, 500 + 4000 * random()),
      (harm, gateway) => harm.secondGateway(gateway, ['gateway.lock', 'gateway.pid', 'gateway.address']),
    ],
  },
  {
    pauseMs: [1000, 10_000],
    steps: [
      (harm, gateway, _client, random) => harm.silentConnections(gateway, 400, 1000 + 5000 * random()),
      (harm, gateway) => harm.hostileRequests(gateway),
      (harm, _gateway, client, random) => harm.hostileMessage(client, random() < 0.5 ? 'flood' : 'wide'),
    ],
  },
];

/** Lets everything go wrong for a while, in lanes side by side. */
export async function everythingAtOnce(
  harm: Harm,
  gateway: MortalGateway,
  client: PersistentClient,
  { seconds, random }: { readonly seconds: number; readonly random: () => number },
): Promise<void> {
  const until = performance.now() + seconds * 1000;
  await Promise.all(
    lanes.map(async ({ pauseMs: [shortest, longest], steps }) => {
      while (performance.now() < until) {
        await sleep(shortest + (longest - shortest) * random());
        await steps[Math.floor(random() * steps.length)]?.(harm, gateway, client, random);
      }
    }),
  );
  await harm.clock(0);
}

const works: readonly Work[] = [
  'plain',
  'plain',
  'plain',
  'tool',
  'tool',
  'slow',
  'flaky',
  'deep',
  'leave',
  'long',
];

export function anyWork(random: () => number): Work {
  return works[Math.floor(random() * works.length)] ?? 'plain';
}
