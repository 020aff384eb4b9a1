import type { ChildProcess } from 'node:child_process';
import { RunCgroup } from './cgroup.js';
import { defaultGraceMs, endFamily, sendTo } from './end-family.js';
import { ProcessFamily } from './find-family.js';
import { killAtExit } from './kill-at-exit.js';
import type { Mark } from './mark-child.js';
import { StderrReader } from './read-stderr.js';
import type { ProcessExit } from './running-process.js';
import type { ProcessSpec } from './start-process.js';

/**
 * A child that a library has started with our mark in its environment. The library reads its stdout; its exit, its stderr and
 * its end with all that it has started are ours. It is in our own session, which ties it to nobody.
 */
export class AdoptedChild {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  readonly #child: ChildProcess;
  readonly #family: ProcessFamily;
  readonly #cgroup: RunCgroup;
  readonly #stderr: StderrReader | undefined;
  /** It and what it has left are no longer killed when this program ends: they were ended. */
  #release = () => {};
  #settle: (exit: ProcessExit) => void = () => {};
  #ending: Promise<ProcessExit> | undefined;
  #deadline = Number.POSITIVE_INFINITY;

  constructor(
    child: ChildProcess,
    mark: Mark,
    { onStderrLine, onHostExit }: Pick<ProcessSpec, 'onStderrLine' | 'onHostExit'> = {},
  ) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.#cgroup = new RunCgroup(mark);
    this.#family = new ProcessFamily(this.pid, mark.run, this.#cgroup, 'founded sessions');
    this.#stderr = child.stderr ? new StderrReader(child.stderr, undefined, onStderrLine) : undefined;
    const stays = onHostExit === 'leave';
    const moving = setTimeout(() => {
      if (!stays) void this.#cgroup.take(this.pid, async () => (await this.#family.look()).found);
    }, beforeMoveMs).unref();
    if (!stays) this.#release = killAtExit(() => this.#killNow());
    this.exited = new Promise<ProcessExit>((resolve) => {
      this.#settle = resolve;
    }).then((exit) => {
      clearTimeout(moving);
      this.#family.rootExited();
      this.#stderr?.childExited();
      return exit;
    });
    this.watch();
  }

  /** Waits for the exit. The library may take all listeners away when it is done: then this has to be called again. */
  watch(): void {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) this.#settle({ code: exitCode, signal: signalCode });
    else this.#child.once('exit', (code, signal) => this.#settle({ code, signal }));
    this.#child.on('error', () => {});
  }

  stderr(): string {
    return this.#stderr?.text() ?? '';
  }

  /** Resolves when the last of stderr has come. */
  async settleStderr(): Promise<void> {
    await this.#stderr?.settle();
  }

  async isAlone(): Promise<boolean> {
    const { found, unsure } = await this.#family.look();
    return !unsure && found.every(({ pid }) => pid === this.pid);
  }

  /** Ends the child and all that it has started: SIGTERM, a grace, SIGKILL. Calls share one ending, the shortest grace counts. */
  end(graceMs = defaultGraceMs): Promise<ProcessExit> {
    this.#deadline = Math.min(this.#deadline, performance.now() + graceMs);
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<ProcessExit> {
    const release = killAtExit(() => this.#killNow());
    try {
      const survivors = await endFamily({
        look: () => this.#family.look(),
        send: (family, signal) => {
          if (signal === 'SIGKILL') this.#cgroup.kill();
          sendTo(
            family.map(({ pid }) => pid),
            signal,
          );
        },
        deadline: () => this.#deadline,
        change: this.exited,
        isCertain: () => this.#cgroup.holdsAll,
      });
      this.#cgroup.remove();
      this.watch();
      if (survivors.some(({ pid }) => pid === this.pid)) this.#settle({ code: null, signal: null });
      return await this.exited;
    } finally {
      release();
      this.#release();
    }
  }

  #killNow(): void {
    this.#cgroup.kill();
    sendTo(
      this.#family.lookNow().found.map(({ pid }) => pid),
      'SIGKILL',
    );
  }
}

/** Short programs are over by then; a CLI is still starting. */
const beforeMoveMs = 20;
