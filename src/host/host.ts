import { lstatSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { PoolLimits } from '../config/limits.js';
import { Frames } from './frames.js';
import { HostTurn } from './host-turn.js';
import { isAtPlace, leavePlace, listenAlone } from './listen.js';
import { type ClientMessage, type HostMessage, type HostStatus, hostProtocol } from './messages.js';
import { SocketPlace, socketName } from './socket-place.js';
import { surroundings } from './surroundings.js';
import { WarmKinds } from './warm-kinds.js';

export interface HostSetup {
  readonly home: string;
  readonly build: string;
  readonly limits: PoolLimits;
  /** The host ends when nobody has used it for so long. */
  readonly idleMs: number;
}

/** Beyond these a client runs its turn itself. */
const maxConnections = 64;
/** The time for a client to say what it wants. */
const requestMs = 10_000;

/**
 * The resident host: it runs turns for clients, and keeps their CLIs. `listening` → (stop, idle, another build's client, its
 * socket replaced) `ending`: it takes no more turns → (the last turn has ended) `ended`.
 */
export class Host {
  readonly ended: Promise<void>;
  readonly #setup: HostSetup;
  readonly #place: SocketPlace;
  readonly #server: Server;
  readonly #kinds: WarmKinds;
  readonly #connections = new Set<Frames<ClientMessage, HostMessage>>();
  readonly #turns = new Set<HostTurn>();
  readonly #surroundings = surroundings();
  readonly #beganAt = performance.now();
  #usedAt = performance.now();
  #ino = 0;
  #watch: NodeJS.Timeout | undefined;
  #state: 'listening' | 'ending' | 'ended' = 'listening';
  #end: () => void = () => {};

  /** Undefined if there is a host already. */
  static async start(setup: HostSetup): Promise<Host | undefined> {
    const host = new Host(setup);
    return (await host.#listen()) ? host : undefined;
  }

  private constructor(setup: HostSetup) {
    this.#setup = setup;
    this.#place = new SocketPlace(setup.home, true);
    this.#kinds = new WarmKinds(setup.limits);
    this.#server = createServer((socket) => void this.#serve(socket));
    this.#server.maxConnections = maxConnections;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Ends when the running turns have; with `now` they are interrupted. */
  stop({ now = false } = {}): void {
    if (this.#state === 'listening') {
      this.#state = 'ending';
      clearInterval(this.#watch);
      leavePlace(this.#place, this.#ino);
      this.#server.close();
    }
    if (now) for (const turn of this.#turns) turn.stop();
    void this.#endIfIdle();
  }

  async #listen(): Promise<boolean> {
    if (!(await listenAlone(this.#server, this.#place))) {
      this.#server.close();
      this.#place.close();
      return false;
    }
    this.#ino = lstatSync(join(this.#place.directory, socketName)).ino;
    const { idleMs } = this.#setup;
    this.#watch = setInterval(() => this.#look(), Math.max(10, Math.min(5000, idleMs / 4)));
    return true;
  }

  #look(): void {
    const isIdle = this.#turns.size === 0 && performance.now() - this.#usedAt >= this.#setup.idleMs;
    if (isIdle || !isAtPlace(this.#place, this.#ino)) this.stop();
    else this.#kinds.tidy();
  }

  async #serve(socket: Socket): Promise<void> {
    const connection = new Frames<ClientMessage, HostMessage>(socket);
    const late = setTimeout(() => connection.destroy(), requestMs);
    this.#connections.add(connection);
    let turn: HostTurn | undefined;
    try {
      for await (const message of connection.read()) {
        clearTimeout(late);
        if (turn === undefined) turn = await this.#answer(connection, message);
        else turn.take(message);
      }
    } catch {
      // What it says is no message: it is left.
      connection.destroy();
    } finally {
      clearTimeout(late);
      turn?.stop();
      this.#connections.delete(connection);
      void this.#endIfIdle();
    }
  }

  /** Answers the first message of a connection. Returns the turn that it has begun. */
  async #answer(
    connection: Frames<ClientMessage, HostMessage>,
    message: ClientMessage,
  ): Promise<HostTurn | undefined> {
    if (message.type === 'status' || message.type === 'stop') {
      if (message.type === 'stop') this.stop();
      await connection.send(this.#status());
      // Whoever stops an idle host waits until all that it kept has ended.
      if (message.type === 'status' || this.#turns.size > 0) connection.end();
      return undefined;
    }
    const refusal = this.#refusal(message);
    if (message.type !== 'turn' || refusal !== undefined) {
      await connection.send({ type: 'cold', reason: refusal ?? 'unexpected' });
      connection.end();
      return undefined;
    }
    const turn = new HostTurn(connection, message);
    this.#turns.add(turn);
    void turn.run(this.#kinds).finally(() => {
      this.#usedAt = performance.now();
      this.#turns.delete(turn);
      connection.end();
      void this.#endIfIdle();
    });
    return turn;
  }

  #refusal(message: ClientMessage): string | undefined {
    if (message.type !== 'turn') return 'unexpected';
    if (message.protocol !== hostProtocol || message.build !== this.#setup.build) {
      // The next client starts a host of its own build.
      this.stop();
      return 'another build';
    }
    if (this.#state !== 'listening') return 'ending';
    return message.surroundings === this.#surroundings ? undefined : 'other surroundings';
  }

  #status(): HostStatus {
    return {
      type: 'status',
      pid: process.pid,
      build: this.#setup.build,
      ending: this.#state !== 'listening',
      turns: this.#turns.size,
      uptimeMs: Math.round(performance.now() - this.#beganAt),
      idleMs: this.#setup.idleMs,
      warm: this.#kinds.status(),
    };
  }

  async #endIfIdle(): Promise<void> {
    if (this.#state !== 'ending' || this.#turns.size > 0) return;
    this.#state = 'ended';
    await this.#kinds.close();
    for (const connection of this.#connections) connection.end();
    this.#place.close();
    this.#end();
  }
}
