import { type IPty, spawn } from '@lydell/node-pty';
import { type Place, program } from './turnout.js';

/** A run of `turnout` in a real terminal. */
export class TerminalRun {
  screen = '';
  readonly exitCode: Promise<number>;
  readonly #pty: IPty;
  #changed: () => void = () => {};

  constructor(place: Place, args: readonly string[], columns = 200) {
    this.#pty = spawn(process.execPath, [program, ...args], {
      cols: columns,
      rows: 50,
      cwd: place.workingDir,
      env: place.env,
    });
    this.#pty.onData((data) => {
      this.screen += data;
      this.#changed();
    });
    this.exitCode = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => resolve(exitCode));
    });
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Waits until the screen has shown this text so many times. */
  async until(text: string, times = 1): Promise<void> {
    const over = this.exitCode.then((code) => `it ended with ${code}`);
    while (this.screen.split(text).length <= times) {
      const changed = new Promise<undefined>((resolve) => {
        this.#changed = () => resolve(undefined);
      });
      const ended = await Promise.race([changed, over]);
      if (ended !== undefined && this.screen.split(text).length <= times)
        throw new Error(`${ended} without ${JSON.stringify(text)}:\n${this.screen}`);
    }
  }
}
