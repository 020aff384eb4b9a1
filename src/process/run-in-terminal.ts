import { type ChildProcess, spawn } from 'node:child_process';
import { explainSpawnFailure } from './explain-spawn-failure.js';
import { groupBelow, hasJobControl, isStopped } from './job-control.js';
import { killAtExit } from './kill-at-exit.js';
import { asUser, type ProcessUser } from './process-user.js';
import type { ProcessExit } from './running-process.js';
import { unsupportedSystem } from './system.js';
import { saveTerminalModes } from './terminal-modes.js';

export interface TerminalProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing else is inherited. It carries no mark: what a person starts in a UI is theirs. */
  readonly env: Readonly<Record<string, string>>;
  /** The user that the program runs as, if it is another one than ours. */
  readonly user?: ProcessUser | undefined;
  /** If it is aborted, the program is ended. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a program that has this process's terminal until it ends. It is in our process group, so that the kernel itself
 * brings it the signals of keys (Ctrl-C, Ctrl-Z) and of the window's size; we sit still and let it decide. What is sent to
 * this process alone is passed on. Rejects with a `SpawnError` if it can't be started.
 */
export async function runInTerminal(program: TerminalProgram): Promise<ProcessExit> {
  program.signal?.throwIfAborted();
  const unsupported = unsupportedSystem();
  if (unsupported !== undefined) throw unsupported;
  const modes = saveTerminalModes();
  const job = new TerminalJob();
  try {
    const exit = await job.run(program);
    modes.restore(exit.signal !== null);
    return exit;
  } finally {
    job.close();
  }
}

/** A program that does not end by itself after it was told to gets this long. */
const graceMs = 5000;

/** The listeners for signals while a program runs. They are there before it starts: no key may end us in between. */
class TerminalJob {
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #listeners: readonly (readonly [NodeJS.Signals, () => void])[] = [
    // A key's signal has reached the program already.
    ['SIGINT', () => {}],
    ['SIGQUIT', () => {}],
    ['SIGTSTP', () => {}],
    // A launcher in between may ignore it (Gemini's does), so all below that share the terminal get it.
    ['SIGTERM', () => this.#end('SIGTERM')],
    ['SIGHUP', () => this.#end('SIGHUP')],
    ['SIGUSR1', () => void this.#child?.kill('SIGUSR1')],
    ['SIGUSR2', () => void this.#child?.kill('SIGUSR2')],
    ['SIGCONT', () => void this.#child?.kill('SIGCONT')],
    ['SIGCHLD', () => this.#followStop()],
  ];

  constructor() {
    for (const [signal, listener] of this.#listeners) process.on(signal, listener);
  }

  async run(program: TerminalProgram): Promise<ProcessExit> {
    const { cwd, env, user, signal } = program;
    const { command, args } = user === undefined ? program : asUser(user, program.command, program.args);
    const abort = () => this.#end('SIGTERM');
    let release = () => {};
    try {
      const child = spawn(command, args, { cwd, env, stdio: 'inherit' });
      this.#child = child;
      release = killAtExit(() => void child.kill('SIGTERM'));
      signal?.addEventListener('abort', abort, { once: true });
      return await exitOf(child);
    } catch (cause) {
      throw await explainSpawnFailure(program, cause);
    } finally {
      signal?.removeEventListener('abort', abort);
      release();
      this.#child = undefined;
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const [signal, listener] of this.#listeners) process.off(signal, listener);
  }

  #end(signal: 'SIGTERM' | 'SIGHUP'): void {
    this.#send(signal);
    this.#timer ??= setTimeout(() => this.#send('SIGKILL'), graceMs);
  }

  #send(signal: NodeJS.Signals): void {
    const { pid } = this.#child ?? {};
    for (const target of pid === undefined ? [] : groupBelow(pid)) {
      try {
        process.kill(target, signal);
      } catch {
        // It has ended meanwhile, or is another user's.
      }
    }
  }

  /**
   * A UI in raw mode gets Ctrl-Z as a character and may stop itself alone: our shell would wait for us, without a prompt. So
   * the whole group stops with it, as if the kernel had seen the key, and `fg` continues all of it.
   */
  #followStop(): void {
    const { pid } = this.#child ?? {};
    if (pid === undefined || !isStopped(pid)) return;
    if (!hasJobControl()) {
      this.#child?.kill('SIGCONT');
      return;
    }
    process.kill(0, 'SIGTSTP');
    process.kill(process.pid, 'SIGSTOP');
  }
}

function exitOf(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}
