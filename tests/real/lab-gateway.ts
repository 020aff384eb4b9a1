import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { backendEntry, type VendorName, vendorNames } from '../../src/backends/registry.js';
import { type ArchiveReader, openArchive, type StoredTurn } from '../../src/gateway/archive/open-archive.js';
import { type LabHome, makeHome } from '../../src/lab/home.js';
import { openDatabase } from '../../src/store/sqlite/open-database.js';
import { installedCli } from './installed-cli.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/**
 * The built program, which `npm run test:real` keeps up to date. With tsx there would be a second process
 * beside the gateway.
 */
const turnout = [join(root, 'dist/cli/main.js')];

/** The secrets that no CLI may see. */
export const secrets = {
  HTTP_TOKEN: 'secret-http-token-of-the-gateway',
  DISCORD_BOT_TOKEN: 'secret.discord-token.of-the-gateway',
  DATABASE_URL: 'postgres://secret-database-url-of-the-gateway',
} as const;

/** Nobody listens there: a gateway with a token asks nobody outside of this machine. */
export const nowhere = 'http://127.0.0.1:9/api';

/** An event as the API shows it. */
export interface SeenEvent {
  readonly eventId: string;
  readonly state: string;
  readonly attempts: number;
  readonly responseText?: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly lastError?: { readonly code: string; readonly message: string };
}

export interface SeenMessage {
  readonly id: string;
  readonly eventId: string | null;
  readonly role: 'user' | 'assistant' | 'system';
  readonly text: string;
  readonly backend?: string;
}

export interface SeenPermission {
  readonly id: string;
  readonly channel: string;
  readonly tool: string;
  readonly options: readonly string[];
}

/**
 * Runs `turnout gateway` as a program of its own, so that it can be killed, in a home where all four CLIs can
 * live: settings of each, dummy keys, the one model on loopback, and the CLIs on a PATH of its own.
 */
export class LabGateway {
  readonly home: LabHome;
  readonly configDir: string;
  readonly dataDir: string;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #others: readonly LabHome[];
  #child: ChildProcess | undefined;
  #url = '';
  #log = '';

  /** Makes a gateway with the installed CLI of one vendor, and the model that its home in the lab has. */
  static async with(backend: VendorName, modelUrl: string, live?: boolean): Promise<LabGateway> {
    const { model, remove } = await makeHome(backend, modelUrl);
    await remove();
    return await LabGateway.make(modelUrl, {
      AGENT_BACKEND: backend,
      BACKEND_CLI_PATH: installedCli(backend),
      ...(live === undefined ? {} : { BACKEND_LIVE: live ? '1' : '0' }),
      ...(model === undefined ? {} : { BACKEND_MODEL: model }),
    });
  }

  static async make(modelUrl: string, settings: Readonly<Record<string, string>>): Promise<LabGateway> {
    const homes = await Promise.all(vendorNames.map((name) => makeHome(name, modelUrl)));
    const [home, ...others] = homes as [LabHome, ...LabHome[]];
    for (const other of others) {
      await cp(other.directory, home.directory, {
        recursive: true,
        filter: (path) => !path.endsWith('/work'),
      });
    }
    // BACKEND_MODEL is for AGENT_BACKEND only: these two get the model from their own settings.
    await amend(join(home.directory, '.gemini/settings.json'), { model: { name: 'gemini-2.5-flash' } });
    await amend(join(home.directory, '.config/opencode/opencode.json'), { model: 'lab/lab-model' });
    const bin = join(home.directory, 'bin');
    await mkdir(bin);
    for (const name of vendorNames) await symlink(installedCli(name), join(bin, backendEntry(name).command));
    await mkdir(join(home.directory, 'config'));
    const env = Object.assign({}, ...others.map((other) => other.env), home.env, {
      PATH: `${bin}:${home.env['PATH']}`,
    });
    return new LabGateway({ ...home, env }, others, settings);
  }

  private constructor(home: LabHome, others: readonly LabHome[], settings: Readonly<Record<string, string>>) {
    this.home = home;
    this.#others = others;
    this.#settings = settings;
    this.configDir = join(home.directory, 'config');
    this.dataDir = join(home.directory, '.turnout');
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get url(): string {
    return this.#url;
  }

  /** The gateway's log, to find the cause of a failure. */
  get log(): string {
    return this.#log;
  }

  async start(more: Readonly<Record<string, string>> = {}): Promise<void> {
    const child = spawn(process.execPath, [...turnout, 'gateway'], {
      cwd: this.home.directory,
      env: this.#env(more),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-8_000_000);
    });
    let said = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      said += chunk;
      const url = /http:\/\/[\d.]+:\d+/.exec(said)?.[0];
      if (url === undefined) continue;
      this.#url = url;
      return;
    }
    throw new Error(`The gateway did not start:\n${this.#log}`);
  }

  /** Sends SIGTERM, as an operator would. */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child === undefined) return null;
    const closed = child.exitCode !== null || child.signalCode !== null ? undefined : once(child, 'exit');
    child.kill(signal);
    await closed;
    this.#child = undefined;
    return child.exitCode;
  }

  async remove(): Promise<void> {
    await this.#end('SIGTERM');
    for (const home of [this.home, ...this.#others]) await home.remove();
  }

  async persona(file: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.configDir, file)), { recursive: true });
    await writeFile(join(this.configDir, file), text);
  }

  /** Posts a message; resolves to the event's id when it is accepted. */
  async post(channel: string, text: string): Promise<string> {
    const { eventId } = await this.#ask<SeenEvent>('POST', `/v1/channels/${channel}/messages`, { text });
    return eventId;
  }

  event(eventId: string): Promise<SeenEvent> {
    return this.#ask('GET', `/v1/events/${eventId}`);
  }

  /** Waits for the end of the event. */
  async ended(eventId: string): Promise<SeenEvent> {
    for (;;) {
      const event = await this.#ask<SeenEvent>('GET', `/v1/events/${eventId}?wait=60`);
      if (event.state !== 'queued' && event.state !== 'running') return event;
    }
  }

  async say(channel: string, text: string): Promise<SeenEvent> {
    return this.ended(await this.post(channel, text));
  }

  async messages(channel: string): Promise<readonly SeenMessage[]> {
    const page = await this.#ask<{ messages: SeenMessage[] }>(
      'GET',
      `/v1/channels/${channel}/messages?limit=500`,
    );
    return page.messages;
  }

  async interrupt(channel: string): Promise<boolean> {
    return (await this.#ask<{ interrupted: boolean }>('POST', `/v1/channels/${channel}/interrupt`))
      .interrupted;
  }

  async permissions(channel: string): Promise<readonly SeenPermission[]> {
    const { permissions } = await this.#ask<{ permissions: SeenPermission[] }>('GET', '/v1/permissions');
    return permissions.filter((permission) => permission.channel === channel);
  }

  async decide(id: string, decision: string): Promise<void> {
    await this.#ask('POST', `/v1/permissions/${id}`, { decision });
  }

  /** The attempts to answer an event, as the archive has them. */
  async turns(eventId: string): Promise<readonly StoredTurn[]> {
    return this.read((archive) => archive.turns(eventId));
  }

  async lastTurn(eventId: string): Promise<StoredTurn> {
    const turn = (await this.turns(eventId)).at(-1);
    if (turn === undefined) throw new Error(`The archive has no turn of ${eventId}.`);
    return turn;
  }

  async read<T>(look: (archive: ArchiveReader) => Promise<T>): Promise<T> {
    const archive = await openArchive(this.dataDir);
    try {
      return await look(archive);
    } finally {
      await archive.close();
    }
  }

  /** Returns the id of the session that the channel goes on with. */
  async storedSession(channel: string, backend: VendorName): Promise<string | undefined> {
    const db = await openDatabase(join(this.dataDir, 'turnout.db'), { readOnly: true });
    try {
      return db.get<{ id: string }>(
        'SELECT session_id AS id FROM sessions WHERE channel = ? AND backend = ?',
        channel,
        backend,
      )?.id;
    } finally {
      db.close();
    }
  }

  /** Replaces the channel's session in the database by one that does not exist; the gateway is not told. */
  async loseSession(channel: string, backend: VendorName): Promise<void> {
    const bogus =
      backend === 'opencode' ? 'ses_111111111111111111111111111' : '11111111-1111-4111-8111-111111111111';
    const db = await openDatabase(join(this.dataDir, 'turnout.db'));
    try {
      db.run('UPDATE sessions SET session_id = ? WHERE channel = ? AND backend = ?', bogus, channel, backend);
    } finally {
      db.close();
    }
  }

  /** Runs `turnout <command>` beside the running gateway. */
  async command(...args: readonly string[]): Promise<string> {
    const options = { cwd: this.home.directory, env: this.#env({}) };
    return (await promisify(execFile)(process.execPath, [...turnout, ...args], options)).stdout;
  }

  /** All processes of this home but the gateway itself, with their environments. */
  processes(): readonly { readonly pid: number; readonly env: string; readonly command: string }[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== this.pid)
      .flatMap((pid) => {
        try {
          const env = readFileSync(`/proc/${pid}/environ`, 'utf8');
          if (!env.includes(`TURNOUT_LAB=${this.home.mark}\0`)) return [];
          return [{ pid: Number(pid), env, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }];
        } catch {
          return []; // The process has ended meanwhile, or belongs to another user.
        }
      });
  }

  #env(more: Readonly<Record<string, string>>): Record<string, string> {
    return {
      ...this.home.env,
      ...secrets,
      DISCORD_API_URL: nowhere,
      HTTP_PORT: '0',
      WORKING_DIR: this.home.workingDir,
      CONFIG_DIR: this.configDir,
      RETRY_DELAY_MS: '500',
      QUERY_TIMEOUT_MS: '90000',
      ...this.#settings,
      ...more,
    };
  }

  async #ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { authorization: `Bearer ${secrets.HTTP_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }
}

async function amend(file: string, more: object): Promise<void> {
  await writeFile(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...more }));
}
