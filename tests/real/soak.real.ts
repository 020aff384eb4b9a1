import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../src/backends/registry.js';
import type { ChatEvent } from '../../src/core/chat-event.js';
import { type LabHome, makeHome } from '../../src/lab/home.js';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';
import { Sessions } from '../../src/sessions/sessions.js';
import type { BackendSession } from '../../src/sessions/types.js';
import { installedCli } from './installed-cli.js';

// How many sessions of each CLI: the slower one starts, the fewer. A kill ends every session of a shared process.
const plan: Readonly<Record<VendorName, number>> = { claude: 50, codex: 100, gemini: 45, opencode: 25 };
const atOnce = 6;
const killsPerStep = 0.02;

it('220 sessions with all four CLIs in random order, processes killed at random: nothing is left, memory is flat', async () => {
  const seed = Number(process.env['SOAK_SEED'] ?? Date.now() % 2 ** 31);
  const soak = await Soak.begin(seed);
  try {
    await soak.run();
    process.stdout.write(`${soak.report()}\n`);
    expect(soak.left()).toEqual([]);
    expect(soak.opened).toBe(220);
    expect(soak.kills).toBeGreaterThan(3);
    // Kills hit some turns and must not hit most of them; what they hit is told as a crash and nothing else.
    expect(soak.answers).toBeGreaterThan(200);
    const others = soak.failures.filter(({ code }) => code !== 'crashed');
    expect(others.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
    expect(soak.growthMb()).toBeLessThan(10);
  } finally {
    await soak.end();
  }
}, 300_000);

interface Failure {
  readonly code: string;
  readonly message: string;
}

class Soak {
  opened = 0;
  answers = 0;
  kills = 0;
  readonly failures: Failure[] = [];
  readonly #began = performance.now();
  readonly #sessions = new Sessions();
  readonly #open: BackendSession[] = [];
  readonly #heaps: number[] = [];
  readonly #waits: { readonly what: string; readonly ms: number }[] = [];
  readonly #toOpen: VendorName[];
  readonly #total: number;

  static async begin(seed: number): Promise<Soak> {
    const model = await startScriptedModel({ script: (request) => `answer to ${request.prompt}` });
    const homes = new Map<VendorName, LabHome>();
    for (const backend of vendorNames) homes.set(backend, await makeHome(backend, model.url));
    return new Soak(seed, seeded(seed), model, homes);
  }

  private constructor(
    readonly seed: number,
    readonly random: () => number,
    readonly model: ScriptedModel,
    readonly homes: ReadonlyMap<VendorName, LabHome>,
  ) {
    const all = vendorNames.flatMap((backend) => Array<VendorName>(plan[backend]).fill(backend));
    this.#toOpen = shuffled(all, random);
    this.#total = all.length;
  }

  async run(): Promise<void> {
    const workers = Array.from({ length: atOnce }, async () => {
      while (this.#toOpen.length > 0 || this.#open.length > 0) await this.#step();
    });
    await Promise.all(workers);
    this.#measure();
    await this.#sessions.close();
  }

  /** Opens, uses or closes a session. Each is opened once and closed in the end, by whoever takes it out of the list. */
  async #step(): Promise<void> {
    if (this.random() < killsPerStep) this.#killOne();
    const dice = this.random();
    if (this.#toOpen.length > 0 && (this.#open.length < atOnce || dice < 0.3)) return this.#openOne();
    const [session] = this.#open.splice(Math.floor(this.random() * this.#open.length), 1);
    if (session === undefined) return;
    if (dice > 0.65) return this.#timed(`close ${session.backend}`, session.close());
    await this.#timed(`turn ${session.backend}`, this.#use(session));
    this.#open.push(session);
  }

  async #openOne(): Promise<void> {
    const backend = this.#toOpen.pop();
    if (backend === undefined) return;
    if (this.opened > 0 && this.opened % Math.floor(this.#total / 4) === 0) this.#measure();
    this.opened += 1;
    const { workingDir, model, env } = this.#home(backend);
    const config = {
      cliPath: installedCli(backend),
      workingDir,
      queryTimeoutMs: 60_000,
      allowedTools: [],
      maxTurns: 25,
      model,
      env,
    };
    try {
      const session = await this.#timed(`open ${backend}`, this.#sessions.open({ backend, config }));
      await this.#timed(`turn ${backend}`, this.#use(session));
      this.#open.push(session);
    } catch (error) {
      // The process was killed while the session was being opened.
      this.failures.push(error as Error & Failure);
    }
  }

  async #use(session: BackendSession): Promise<void> {
    const prompt = `question ${Math.floor(this.random() * 1e9)}`;
    let last: ChatEvent | undefined;
    for await (const event of session.send(prompt)) last = event;
    if (last?.type === 'error') this.failures.push(last);
    else {
      expect(last).toMatchObject({ type: 'complete', text: `answer to ${prompt}` });
      this.answers += 1;
    }
  }

  #killOne(): void {
    const pids = this.left();
    const pid = pids[Math.floor(this.random() * pids.length)];
    try {
      if (pid === undefined) return;
      process.kill(pid, 'SIGKILL');
      this.kills += 1;
    } catch {
      // Gone meanwhile.
    }
  }

  async #timed<T>(what: string, work: Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work;
    } finally {
      this.#waits.push({ what, ms: performance.now() - began });
    }
  }

  #measure(): void {
    // The scripted model keeps what it was asked: that is not what is measured.
    this.model.forget();
    collectGarbage();
    this.#heaps.push(process.memoryUsage().heapUsed / 1024 / 1024);
  }

  /** From the end of the first quarter to the end of all. */
  growthMb(): number {
    return (this.#heaps.at(-1) ?? 0) - (this.#heaps[0] ?? 0);
  }

  report(): string {
    const seconds = Math.round((performance.now() - this.#began) / 1000);
    const heaps = this.#heaps.map((mb) => mb.toFixed(1)).join(', ');
    const slowest = this.#waits
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, 5)
      .map(({ what, ms }) => `${what} ${(ms / 1000).toFixed(1)} s`);
    return [
      `SOAK_SEED=${this.seed}: ${this.opened} sessions, ${this.answers} answers, ${this.kills} kills`,
      `${this.failures.length} failures, ${seconds} s, heap MB ${heaps}, slowest: ${slowest.join(', ')}`,
    ].join(', ');
  }

  /** The processes of all homes. */
  left(): number[] {
    const marks = [...this.homes.values()].map(({ mark }) => `TURNOUT_LAB=${mark}\0`);
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          if (/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return false;
          const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
          return marks.some((mark) => environment.includes(mark));
        } catch {
          return false;
        }
      });
  }

  async end(): Promise<void> {
    await this.#sessions.close();
    await this.model.close();
    for (const home of this.homes.values()) await home.remove();
  }

  #home(backend: VendorName): LabHome {
    const home = this.homes.get(backend);
    if (home === undefined) throw new Error(`no home for ${backend}`);
    return home;
  }
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
