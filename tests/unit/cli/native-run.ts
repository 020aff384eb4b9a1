import { type IPty, spawn } from '@lydell/node-pty';
import { Screen } from './terminal-screen.js';
import { type Place, program } from './turnout.js';

/** A program in a real terminal whose screen can be read: `turnout chat --native`, or a shell that starts it. */
export class NativeRun {
  readonly screen: Screen;
  /** As the program that was started ends: 128 and the number for a signal. */
  readonly exitCode: Promise<number>;
  readonly #pty: IPty;
  #changed: () => void = () => {};
  #ended: number | undefined;

  constructor(place: Place, command: readonly [string, ...string[]], columns = 100, rows = 40) {
    const [file, ...args] = command;
    this.screen = new Screen(columns, rows);
    const env = { ...place.env, TERM: 'xterm-256color', COLORTERM: 'truecolor', PWD: place.workingDir };
    this.#pty = spawn(file, args, { cols: columns, rows, cwd: place.workingDir, env });
    this.#pty.onData((data) => {
      const answer = this.screen.write(data);
      if (answer !== '') this.#pty.write(answer);
      this.#changed();
    });
    this.exitCode = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        this.#ended = signal ? 128 + signal : exitCode;
        this.#changed();
        resolve(this.#ended);
      });
    });
  }

  static chat(place: Place, args: readonly string[] = []): NativeRun {
    return new NativeRun(place, [process.execPath, program, 'chat', '--native', ...args]);
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** Types the keys one after the other: a UI may take what comes at once for a paste. */
  async type(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.#pty.write(key);
      await pause(100);
    }
  }

  resize(columns: number, rows: number): void {
    this.screen.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** Takes the terminal away, as closing its window does. */
  hangUp(): void {
    (this.#pty as unknown as { destroy(): void }).destroy();
  }

  /** Waits until the screen shows this; the error shows the screen. */
  async until(text: string | RegExp, patienceMs = 25_000): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (this.screen.text.search(typeof text === 'string' ? literal(text) : text) < 0) {
      const left = deadline - performance.now();
      if (this.#ended !== undefined || left <= 0) {
        const why = this.#ended === undefined ? 'time is up' : `it ended with ${this.#ended}`;
        throw new Error(`${why} without ${text}:\n${this.screen.text}`);
      }
      const changed = new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
      await Promise.race([changed, pause(left)]);
    }
  }
}

function literal(text: string): RegExp {
  return new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
