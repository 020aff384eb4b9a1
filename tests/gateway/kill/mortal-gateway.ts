import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { JournalPoint } from '../../../src/gateway/journal-points.js';

/**
 * The end of one life of the gateway: when the point is passed for the given time in that life, or by a
 * signal from outside, a given time after the gateway has begun to listen.
 */
export type Death =
  | { readonly point: JournalPoint; readonly passing: number }
  | { readonly point: 'any'; readonly afterMs: number };

export interface Surroundings {
  readonly home: string;
  /** The directory in which the quick agent logs its actions. */
  readonly agentDirectory: string;
  readonly workingDirectory: string;
  readonly log: string;
}

const program = fileURLToPath(new URL('../../fixtures/programs/mortal-gateway.mjs', import.meta.url));
export const token = 'a-token-for-the-tests';

/** A gateway that is restarted each time it has died, on the same data, as a service manager would do. */
export class MortalGateway {
  readonly around: Surroundings;
  #settings: Readonly<Record<string, string>>;
  readonly #deaths: Death[];
  readonly #root: string;
  /** The mark in the environment of every process that is started here, directly or not. */
  readonly #mark: string;
  #life: { readonly child: ChildProcess; readonly address: Promise<string> };
  #stopping = false;
  #killed: ChildProcess | undefined;
  kills = 0;
  /** If true, a gateway that could not start is started again, as a service manager does. */
  restartsAfterFailure = false;
  restarts = 0;
  /** Set if the gateway has ended in a way that was not planned. */
  fault: Error | undefined;

  static async start(
    deaths: readonly Death[],
    settings: Readonly<Record<string, string>>,
    prepare: (around: Surroundings) => Readonly<Record<string, string>> = () => ({}),
  ) {
    const root = await mkdtemp(join(tmpdir(), 'turnout-kill-'));
    return new MortalGateway(root, deaths, settings).#prepared(prepare);
  }

  private constructor(root: string, deaths: readonly Death[], settings: Readonly<Record<string, string>>) {
    this.#root = root;
    this.#mark = `KILL_RUN=${root}`;
    this.#settings = settings;
    this.#deaths = [...deaths];
    this.around = {
      home: join(root, 'home'),
      agentDirectory: join(root, 'agents'),
      workingDirectory: join(root, 'work'),
      log: join(root, 'gateway.log'),
    };
    this.#life = { child: undefined as never, address: undefined as never };
  }

  async #prepared(prepare: (around: Surroundings) => Readonly<Record<string, string>>): Promise<this> {
    await mkdir(this.around.agentDirectory);
    await mkdir(this.around.workingDirectory);
    this.#settings = { ...this.#settings, ...prepare(this.around) };
    this.#begin();
    return this;
  }

  get mark(): string {
    return this.#mark;
  }

  /** The process of the present life. */
  get pid(): number {
    return this.#life.child.pid ?? 0;
  }

  /** Ends the present life with `kill -9`; the next one follows, in which nothing is planned. */
  async kill(): Promise<void> {
    const { child } = this.#life;
    if (child.exitCode !== null || child.signalCode !== null) return;
    this.#killed = child;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Resolves to the address of the present life, or of the next one. */
  async address(): Promise<string> {
    for (;;) {
      if (this.fault !== undefined) throw this.fault;
      const life = this.#life;
      const address = await life.address.catch(() => undefined);
      if (address !== undefined && life === this.#life) return address;
      if (life === this.#life) await sleep(20);
    }
  }

  /** True while a process of the present life runs, listening or not. */
  get lives(): boolean {
    const { child } = this.#life;
    return child.exitCode === null && child.signalCode === null;
  }

  /**
   * Starts a second gateway on the same data beside the present one. Resolves to true if it begins to listen, which it
   * does only where nobody owns the data; it is killed then.
   */
  async startSecond(): Promise<boolean> {
    const child = this.#spawn({});
    const ended = once(child, 'close');
    const listening = once(createInterface({ input: child.stdout }), 'line');
    const listens = await Promise.race([listening.then(() => true), ended.then(() => false)]);
    child.kill('SIGKILL');
    await ended;
    return listens;
  }

  /** Stops the gateway as `systemctl stop` does. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const { child } = this.#life;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const impatient = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await once(child, 'close');
    clearTimeout(impatient);
    if (child.exitCode !== 0) this.fault ??= new Error(`the gateway stopped with ${child.exitCode}`);
  }

  async remove(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
  }

  #begin(): void {
    const death = this.#deaths.shift();
    const child = this.#spawn(
      death === undefined || death.point === 'any'
        ? {}
        : { DIE_AT: death.point, DIE_PASSING: String(death.passing) },
    );
    const address = once(createInterface({ input: child.stdout }), 'line').then(([line]) => {
      const { host, port } = JSON.parse(String(line)) as { host: string; port: number };
      return `http://${host}:${port}`;
    });
    const gone = once(child, 'close').then(() => Promise.reject(new Error('gone before it had an address')));
    gone.catch(() => undefined);
    this.#life = { child, address: Promise.race([address, gone]) };
    this.#life.address.then(
      () => death?.point === 'any' && setTimeout(() => child.kill('SIGKILL'), death.afterMs),
      () => undefined,
    );
    child.once('exit', (code, signal) => {
      if (this.#stopping) return;
      if (signal === 'SIGKILL' && (death !== undefined || this.#killed === child)) {
        this.kills++;
        this.#begin();
        return;
      }
      if (this.restartsAfterFailure) {
        this.restarts++;
        setTimeout(() => this.#stopping || this.#begin(), 500);
        return;
      }
      const said = readFileSync(this.around.log, { encoding: 'utf8', flag: 'a+' }).slice(-2000);
      this.fault = new Error(`the gateway ended by itself: ${signal ?? `exit ${code}`}\n${said}`);
    });
  }

  #spawn(more: Readonly<Record<string, string>>) {
    const { home, agentDirectory, workingDirectory } = this.around;
    const [markName = '', markValue = ''] = this.#mark.split('=');
    const suite = process.env['TURNOUT_SUITE'];
    const child = spawn(process.execPath, [program], {
      cwd: workingDirectory,
      // Nothing is inherited, neither here nor by the agents.
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        TURNOUT_HOME: home,
        WORKING_DIR: workingDirectory,
        AGENT_DIR: agentDirectory,
        HTTP_PORT: '0',
        HTTP_MAX_REQUESTS_PER_MINUTE: '0',
        HTTP_TOKEN: token,
        LOG_LEVEL: 'warn',
        ...this.#settings,
        [markName]: markValue,
        ...(suite === undefined ? {} : { TURNOUT_SUITE: suite }),
        ...more,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr.pipe(createWriteStream(this.around.log, { flags: 'a' }));
    return child;
  }
}
