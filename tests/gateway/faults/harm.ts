import { spawnSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseFile } from '../../../src/gateway/gateway.js';
import { loadSqlite } from '../../../src/sqlite/load-sqlite.js';
import { type MortalGateway, type Surroundings, token } from '../kill/mortal-gateway.js';
import type { PersistentClient } from '../kill/persistent-client.js';
import { fillDisk, mountDisk } from '../small-disk.js';
import { FaultyLibc } from './faulty-libc.js';
import { ReadinessWatch } from './readiness.js';

const day = 86_400_000;

/** Everything that can be done to a running gateway from outside. Each but the clock does its harm for a while, and undoes it. */
export class Harm {
  readonly #libc = new FaultyLibc();
  #home = '';
  #unmount: () => void = () => undefined;
  #readiness: ReadinessWatch | undefined;
  /** Pending while a file of the store is away: nothing else may open the store then, or begin a new life on what is left. */
  #away: Promise<void> = Promise.resolve();
  #usesOfStore = 0;
  /** The second gateways that began to listen although the first one had not ended. */
  readonly secondOwners: string[] = [];
  /** The events of hostile messages, which only have to come to an end. */
  readonly hostileEvents: string[] = [];

  prepare(around: Surroundings): Readonly<Record<string, string>> {
    this.#home = around.home;
    this.#unmount = mountDisk(around.home, 384);
    return this.#libc.environment(around.home);
  }

  cleanUp(): void {
    this.#unmount();
    this.#libc.remove();
  }

  /** The untrue answers of `/readyz` so far. */
  get untrueReadiness(): readonly string[] {
    return this.#readiness?.wrong ?? [];
  }

  /** Watches `/readyz` while something is done. */
  async watched(gateway: MortalGateway, work: () => Promise<void>): Promise<void> {
    this.#readiness = new ReadinessWatch(gateway);
    try {
      await work();
    } finally {
      await this.#readiness.stop();
    }
  }

  async ioErrors(ms: number): Promise<void> {
    const end = this.#readiness?.begin('not ready');
    await this.#libc.failWrites(constants.errno.EIO);
    await sleep(ms);
    await this.#libc.failWrites(0);
    end?.();
  }

  async fullDisk(ms: number, meanwhile: () => Promise<void> = async () => undefined): Promise<void> {
    // With its ballast the gateway may go on for a while, or not.
    const end = this.#readiness?.begin('either');
    const until = performance.now() + ms;
    let makeRoom = fillDisk(this.#home);
    await meanwhile();
    while (performance.now() < until) {
      await sleep(250);
      makeRoom = fillDisk(this.#home);
    }
    makeRoom();
    end?.();
  }

  async lockedDatabase(gateway: MortalGateway, ms: number): Promise<void> {
    await this.#usingStore(() => this.#lockDatabase(gateway, ms));
  }

  async #lockDatabase({ around }: MortalGateway, ms: number): Promise<void> {
    const Sqlite = await loadSqlite();
    const db = new Sqlite(join(around.home, databaseFile));
    try {
      db.exec('PRAGMA busy_timeout = 5000; BEGIN EXCLUSIVE');
    } catch {
      // A gateway that is suspended in the middle of a transaction has the lock.
      return db.close();
    }
    const end = this.#readiness?.begin('not ready');
    await sleep(ms);
    db.exec('ROLLBACK');
    db.close();
    end?.();
  }

  /** From now on the gateway's clock is wrong by so many days. */
  async clock(days: number): Promise<void> {
    await this.#libc.setClock(days * day);
  }

  async noFiles({ pid }: MortalGateway, ms: number): Promise<void> {
    const end = this.#readiness?.begin('either');
    limitFiles(pid, 24);
    await sleep(ms);
    limitFiles(pid, 4096);
    end?.();
  }

  async stopped({ pid }: MortalGateway, ms: number): Promise<void> {
    const end = this.#readiness?.begin('either');
    signal(pid, 'SIGSTOP');
    await sleep(ms);
    signal(pid, 'SIGCONT');
    end?.();
  }

  /** Connections that say nothing, or only half of a request. */
  async silentConnections(gateway: MortalGateway, count: number, ms: number): Promise<void> {
    const { hostname, port } = new URL(await gateway.address());
    const sockets = Array.from({ length: count }, (_, index): Socket => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      if (index % 2 === 0)
        socket.write('POST /v1/channels/c01/messages HTTP/1.1\r\nHost: localhost\r\nContent-Le');
      return socket;
    });
    await sleep(ms);
    for (const socket of sockets) socket.destroy();
  }

  /** Requests that no honest client sends. */
  async hostileRequests(gateway: MortalGateway): Promise<void> {
    const address = await gateway.address();
    const { hostname, port } = new URL(address);
    const raw = [
      '\0\0\0\r\n\r\n',
      'GET /v1/channels/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(200_000)}\r\n\r\n`,
      'POST /v1/channels/c01/messages HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nzz\r\n',
    ];
    for (const bytes of raw) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.end(bytes);
      await sleep(20);
      socket.destroy();
    }
    const bodies = [
      '{',
      '[]',
      '"x"',
      `{"text":"${'x'.repeat(3_000_000)}"}`,
      `${'{"a":'.repeat(50_000)}1`,
      '{"text":1}',
    ];
    for (const body of bodies) {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const request = { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) };
      await fetch(`${address}/v1/channels/c01/messages`, request).catch(() => undefined);
    }
  }

  /** A message whose agent does its worst. It only has to come to an end. */
  async hostileMessage(client: PersistentClient, work: 'flood' | 'wide'): Promise<void> {
    const id = `c99-${String(this.hostileEvents.length + 1).padStart(3, '0')}`;
    // Its output may fill the disk for a while.
    const end = this.#readiness?.begin('either');
    const event = await client.post('c99', `${id} ${work}`, `hostile-${id}`);
    this.hostileEvents.push(event);
    void client.ended(event).then(end, end);
  }

  async kill(gateway: MortalGateway): Promise<void> {
    const end = this.#readiness?.begin('either');
    await this.#usingStore(() => gateway.kill());
    end?.();
  }

  /** A file of the home is not where it was for a while. The gateway is not to serve without it. */
  async movedAway(gateway: MortalGateway, name: string, ms: number): Promise<void> {
    while (this.#usesOfStore > 0) await sleep(50);
    let back = (): void => undefined;
    this.#away = new Promise((resolve) => {
      back = resolve;
    });
    await gateway.address();
    const path = join(this.#home, name);
    const end = this.#readiness?.begin('not ready');
    renameSync(path, `${path}.aside`);
    await sleep(ms);
    renameSync(`${path}.aside`, path);
    end?.();
    back();
  }

  async #usingStore(use: () => Promise<void>): Promise<void> {
    await this.#away;
    this.#usesOfStore++;
    await use().finally(() => this.#usesOfStore--);
  }

  /** Starts a second gateway on the same data, perhaps without the files that would keep it from that. */
  async secondGateway(gateway: MortalGateway, without: readonly string[] = []): Promise<void> {
    const end = this.#readiness?.begin('either');
    await this.#usingStore(() => this.#secondGateway(gateway, without));
    // One without its lock takes nothing new until it is started again.
    if (without.length > 0) await this.kill(gateway);
    end?.();
  }

  async #secondGateway(gateway: MortalGateway, without: readonly string[]): Promise<void> {
    await gateway.address();
    const first = gateway.pid;
    for (const name of without) rmSync(join(this.#home, name), { force: true });
    const listens = await gateway.startSecond();
    if (listens && gateway.lives && gateway.pid === first)
      this.secondOwners.push(`beside ${first}, without ${without.join(', ') || 'nothing'}`);
  }
}

/** A gateway that is between two lives has no process. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function limitFiles(pid: number, files: number): void {
  spawnSync('prlimit', ['--pid', String(pid), `--nofile=${files}:4096`]);
}
