import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { compiledProgram } from './compile-programs.js';
import type { Hosted } from './fixtures/process/host.js';

export type { Hosted };

/** A program that uses the library. */
export interface Host {
  readonly child: ChildProcess;
  /** What it has printed. */
  readonly lines: readonly string[];
  /** Resolves at its end: the exit code, or the signal that has ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Ends it in one of the ways that a program ends, and resolves to how it ended. */
  end(how: Ending): Promise<number | NodeJS.Signals>;
  /** Makes it print how many listeners it has. */
  tellListeners(): void;
}

/** The ways a program ends, and what whoever started it sees then. */
export const endings = {
  SIGINT: 'SIGINT',
  SIGTERM: 'SIGTERM',
  SIGHUP: 'SIGHUP',
  'an uncaught exception': 1,
  'process.exit': 7,
  'kill -9': 'SIGKILL',
} as const;

export type Ending = keyof typeof endings;

/** Starts `tests/fixtures/process/host.ts`. If it still runs after the test, it is killed. */
export function startHost(hosted: Hosted): Host {
  const program = compiledProgram(new URL('./fixtures/process/host.ts', import.meta.url).pathname);
  const child = spawn(process.execPath, [program, JSON.stringify(hosted)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on('line', (line) => void lines.push(line));
  const ended = once(child, 'close').then(([code, signal]) => signal ?? code);
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    child,
    lines,
    ended,
    tellListeners: () => void child.stdin.write('listeners\n'),
    end(how) {
      if (how === 'an uncaught exception') child.stdin.write('throw\n');
      else if (how === 'process.exit') child.stdin.write('exit\n');
      else child.kill(how === 'kill -9' ? 'SIGKILL' : how);
      return ended;
    },
  };
}
