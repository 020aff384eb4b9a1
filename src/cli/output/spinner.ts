import type { Writable } from 'node:stream';
import { canRedraw, coloured, hasColours } from '../../core/colours.js';
import { wholeLine } from '../../core/text.js';

type Screen = Writable & { readonly isTTY?: boolean };

/** Who has an answer sooner has not waited. */
const delayMs = 300;
const frameMs = 100;
export const spinnerFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** To the beginning of the row, and everything behind it away. */
const eraseRow = '\r\u001b[K';

/** A sign in a terminal that something is waited for: `⠹ claude 3 s`. It disappears without a trace. */
export class Spinner {
  readonly #screen: Screen;
  readonly #whom: string;
  readonly #begun = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;

  /** Undefined where a row can't be written over. */
  static start(screen: Screen, whom: string): Spinner | undefined {
    return canRedraw(screen) ? new Spinner(screen, whom) : undefined;
  }

  private constructor(screen: Screen, whom: string) {
    this.#screen = screen;
    this.#whom = wholeLine(whom);
    this.#timer = setTimeout(() => {
      this.#draw();
      this.#timer = setInterval(() => this.#draw(), frameMs).unref();
    }, delayMs).unref();
  }

  /** Takes it from the screen, for good. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#frame > 0) this.#screen.write(eraseRow);
    this.#frame = 0;
  }

  #draw(): void {
    const sign = spinnerFrames[this.#frame % spinnerFrames.length] ?? '';
    const text = `${sign} ${this.#whom} ${Math.floor((performance.now() - this.#begun) / 1000)} s`;
    this.#frame += 1;
    this.#screen.write(`${eraseRow}${hasColours(this.#screen) ? coloured(text, 'dim') : text}`);
  }
}
