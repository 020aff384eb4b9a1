import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { compiledProgram } from '../../compile-programs.js';

export interface Program {
  readonly pid: number;
  /** The lines that the program has printed so far. */
  readonly lines: readonly string[];
  /** Resolves with the first line that fits, or `undefined` if the program ends without it. */
  line(fits: (line: string, count: number) => boolean): Promise<string | undefined>;
  /** Sends `kill -9`; resolves when the program is dead and all of its output is read. */
  kill(): Promise<void>;
}

/** Starts a TypeScript program from `programs/` as a process of its own. */
export function startProgram(name: string, ...args: string[]): Program {
  const path = compiledProgram(fileURLToPath(new URL(`programs/${name}`, import.meta.url)));
  const child: ChildProcess = spawn(process.execPath, [path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout === null || child.pid === undefined) throw new Error(`${name} did not start`);
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  let ended = false;
  const closed = once(reader, 'close').then(() => {
    ended = true;
    for (const look of waiting) look();
  });
  return {
    pid: child.pid,
    lines,
    line(fits) {
      return new Promise((resolve) => {
        const look = () => {
          const found = lines.find((line) => fits(line, lines.length));
          if (found === undefined && !ended) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      });
    },
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
