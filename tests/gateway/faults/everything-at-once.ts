import { setTimeout as sleep } from 'node:timers/promises';
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

/** What can go wrong at the same time: one thing of each lane. */
const lanes: readonly (readonly Step[])[] = [
  [
    (harm, _gateway, _client, random) => harm.ioErrors(1000 + 24_000 * random()),
    (harm, _gateway, _client, random) => harm.fullDisk(1000 + 9000 * random()),
    (harm, gateway, _client, random) => harm.lockedDatabase(gateway, 1000 + 19_000 * random()),
    (harm, _gateway, _client, random) => harm.clock(Math.round(4 * random() - 2)),
  ],
  [
    (harm, gateway) => harm.kill(gateway),
    (harm, gateway, _client, random) => harm.stopped(gateway, 500 + 6000 * random()),
    (harm, gateway, _client, random) => harm.noFiles(gateway, 500 + 4000 * random()),
  ],
  [
    (harm, gateway, _client, random) => harm.silentConnections(gateway, 400, 1000 + 5000 * random()),
    (harm, gateway) => harm.hostileRequests(gateway),
    (harm, _gateway, client, random) => harm.hostileMessage(client, random() < 0.5 ? 'flood' : 'wide'),
  ],
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
    lanes.map(async (steps) => {
      while (performance.now() < until) {
        await sleep(1000 + 9000 * random());
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
