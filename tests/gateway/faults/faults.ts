import { setTimeout as sleep } from 'node:timers/promises';
import type { Work } from '../kill/load.js';
import type { MortalGateway } from '../kill/mortal-gateway.js';
import type { PersistentClient } from '../kill/persistent-client.js';
import type { Harm } from './harm.js';

/** Something that goes wrong around a gateway while it works. */
export interface Fault {
  readonly name: string;
  /** The description in the table. */
  readonly means: string;
  /** The work of the messages meanwhile. */
  readonly work?: readonly Work[];
  readonly settings?: Readonly<Record<string, string>>;
  happen(harm: Harm, gateway: MortalGateway, client: PersistentClient): Promise<void>;
}

const usual: readonly Work[] = ['plain', 'tool', 'plain', 'slow'];

export const usualWork = (fault: Fault): readonly Work[] => fault.work ?? usual;

export const faults: readonly Fault[] = [
  {
    name: 'disk errors',
    means: 'every write and sync below the home gives EIO for 20 s',
    happen: async (harm) => harm.ioErrors(20_000),
  },
  {
    name: 'full disk',
    means: 'not a byte is free for 6 s',
    happen: async (harm) => harm.fullDisk(6000),
  },
  {
    name: 'full disk, then `kill -9`',
    means: 'not a byte is free; the gateway is killed and started again on the full disk',
    happen: async (harm, gateway) => harm.fullDisk(6000, () => sleep(1000).then(() => harm.kill(gateway))),
  },
  {
    name: 'locked database',
    means: 'another program has the database to itself for 12 s',
    happen: async (harm, gateway) => harm.lockedDatabase(gateway, 12_000),
  },
  {
    name: 'lost database',
    means: '`turnout.db` is moved away for 20 s',
    happen: async (harm, gateway) => harm.movedAway(gateway, 'turnout.db', 20_000),
  },
  {
    name: 'lost log',
    means: '`turnout.db-wal` is moved away for 20 s',
    happen: async (harm, gateway) => harm.movedAway(gateway, 'turnout.db-wal', 20_000),
  },
  {
    name: 'lost lock',
    means: '`gateway.lock` is removed, a second gateway is started, and the first one is killed',
    happen: async (harm, gateway) => harm.secondGateway(gateway, ['gateway.lock']),
  },
  {
    name: 'no file descriptors',
    means: 'the limit of open files is reached (EMFILE) for 4 s',
    happen: async (harm, gateway) => harm.noFiles(gateway, 4000),
  },
  {
    name: 'silent connections',
    means: '600 connections that say nothing, or half of a request, for 6 s',
    happen: async (harm, gateway) => harm.silentConnections(gateway, 600, 6000),
  },
  {
    name: 'clock set back',
    means: 'by a day, while failed attempts wait for their retry',
    work: ['flaky', 'plain', 'tool'],
    settings: { RETRY_DELAY_MS: '1500' },
    happen: async (harm) => sleep(2000).then(() => harm.clock(-1)),
  },
  {
    name: 'clock set forward',
    means: 'by a day for 4 s, then back',
    work: ['plain', 'flaky', 'tool', 'slow'],
    happen: async (harm) => {
      await harm.clock(1);
      await sleep(4000);
      await harm.clock(0);
    },
  },
  {
    name: 'suspended',
    means: 'SIGSTOP for 5 s, as when a laptop sleeps',
    happen: async (harm, gateway) => harm.stopped(gateway, 5000),
  },
  {
    name: 'hostile agent: deep input',
    means: 'tool inputs nested 4,200 deep, and `kill -9` twice',
    work: ['plain', 'deep', 'plain'],
    happen: async (harm, gateway) => {
      for (let kills = 0; kills < 2; kills++) await sleep(1200).then(() => harm.kill(gateway));
    },
  },
  {
    name: 'hostile agent: long lines',
    means: 'lines of 32 MB, and `kill -9`',
    work: ['plain', 'wide', 'plain', 'plain', 'plain', 'plain', 'plain'],
    happen: async (harm, gateway) => sleep(2000).then(() => harm.kill(gateway)),
  },
  {
    name: 'hostile agent: output without end',
    means: 'more than MAX_OUTPUT_MB, and `kill -9` while it goes on',
    settings: { MAX_OUTPUT_MB: '16' },
    happen: async (harm, gateway, client) => {
      await harm.hostileMessage(client, 'flood');
      await sleep(300).then(() => harm.kill(gateway));
      await harm.hostileMessage(client, 'flood');
    },
  },
  {
    name: 'hostile agent: processes that cut every tie',
    means: '`env -i setsid -f` in every second turn, and `kill -9`',
    work: ['plain', 'leave'],
    happen: async (harm, gateway) => sleep(1500).then(() => harm.kill(gateway)),
  },
  {
    name: 'hostile client',
    means: 'broken requests, bodies of all kinds, 50,000 deep',
    happen: async (harm, gateway) => {
      for (let round = 0; round < 3; round++) await harm.hostileRequests(gateway);
    },
  },
];
