import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoopbackDiscord } from '../loopback/loopback-discord.js';
import { until } from '../loopback/until.js';
import { isQuiet } from './is-quiet.js';

/** The nth time that this is done: a change of the store, or a request to Discord. */
export interface Step {
  readonly name: string;
  readonly nth: number;
}

export interface Stop extends Step {
  /** Only what is done with this argument counts. */
  readonly of?: string | undefined;
  /** It is killed right before the step. Otherwise the step is not made, and all that does not wait for it goes on. */
  readonly dies: boolean;
}

const programs = new URL('../../fixtures/programs/', import.meta.url);
const program = fileURLToPath(new URL('mortal-bot.mjs', programs));
const agent = fileURLToPath(new URL('long-answers.sh', programs));
const token = 'a-token-for-the-tests';
const patienceMs = 30_000;

/** A gateway on the loopback Discord, in a process that may be killed and started again on the same data. */
export class MortalBot {
  readonly #discord: LoopbackDiscord;
  readonly #root: string;
  readonly #settings: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #address = '';
  #err = '';
  #stops = 0;
  readonly #armed = new Set<number>();
  readonly #reached = new Set<number>();
  /** The steps of the present life. */
  steps: string[] = [];
  /** How far the clocks are ahead. */
  aheadMs = 0;

  constructor(discord: LoopbackDiscord, root: string, settings: Readonly<Record<string, string>>) {
    this.#discord = discord;
    this.#root = root;
    this.#settings = settings;
    for (const name of ['work', 'agents']) mkdirSync(join(root, name), { recursive: true });
  }

  get log(): string {
    return this.#err.slice(-3000);
  }

  /** Starts a life, which is connected to Discord then. */
  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const suite = process.env['TURNOUT_SUITE'];
    const root = this.#root;
    const child = fork(program, {
      cwd: root,
      env: {
        ...{ PATH: process.env['PATH'], HOME: root, TURNOUT_HOME: join(root, 'home') },
        ...{ WORKING_DIR: join(root, 'work'), AGENT_DIR: join(root, 'agents') },
        ...{ HTTP_PORT: '0', HTTP_TOKEN: token, HTTP_MAX_REQUESTS_PER_MINUTE: '0', LOG_LEVEL: 'warn' },
        ...{ AGENT_BACKEND: 'claude', BACKEND_CLI_PATH: agent, RETRY_DELAY_MS: '20', WORK_TREE_CHANGES: '0' },
        ...{ DISCORD_BOT_TOKEN: this.#discord.token, DISCORD_API_URL: this.#discord.apiUrl },
        ...{ SHUTDOWN_GRACE_MS: '0', AHEAD_MS: String(this.aheadMs) },
        ...this.#settings,
        ...settings,
        ...(suite === undefined ? {} : { TURNOUT_SUITE: suite }),
      },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    this.#address = '';
    this.steps = [];
    child.stderr?.on('data', (chunk) => {
      this.#err += chunk;
    });
    child.on('message', (message) => this.#told(message as Told));
    const sessions = this.#discord.gateway.identifies;
    await this.until(() => this.#address !== '', 'its start');
    await this.until(() => this.#discord.gateway.identifies > sessions, 'its connection');
  }

  /** Gives back a function that tells whether it has come to the step, counted from now on. */
  async stopBefore(stop: Stop): Promise<() => boolean> {
    const id = ++this.#stops;
    this.#child?.send({ ...stop, id });
    await this.until(() => this.#armed.has(id), 'the order to be understood');
    return () => (stop.dies ? this.isDead : this.#reached.has(id));
  }

  get isDead(): boolean {
    const child = this.#child;
    return child === undefined || child.exitCode !== null || child.signalCode !== null;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.isDead) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** As `systemctl stop` does. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.isDead) return;
    const gone = once(child, 'exit');
    child.send('stop');
    const impatient = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await gone;
    clearTimeout(impatient);
  }

  /** Resolves when nothing waits, runs, or is left to deliver. */
  async untilQuiet(): Promise<void> {
    await this.until(async () => isQuiet(await this.#metrics().catch(() => '')), 'quiet');
  }

  async until<T>(condition: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
    try {
      return await until(condition, what, patienceMs);
    } catch (error) {
      throw new Error(`${(error as Error).message}\nsteps: ${this.steps.join(', ')}\n${this.log}`);
    }
  }

  async #metrics(): Promise<string> {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${this.#address}/metrics`, { headers })).text();
  }

  #told({ step, armed, reached, address }: Told): void {
    if (step !== undefined) this.steps.push(step);
    if (armed !== undefined) this.#armed.add(armed);
    if (reached !== undefined) this.#reached.add(reached);
    if (address !== undefined) this.#address = `http://${address.host}:${address.port}`;
  }
}

interface Told {
  readonly step?: string;
  readonly armed?: number;
  readonly reached?: number;
  readonly address?: { readonly host: string; readonly port: number };
}
