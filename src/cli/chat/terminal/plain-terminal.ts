import { createInterface, type Interface } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import { type LiveRegion, promptMark } from '../state/live-region.js';
import type { Line } from '../text/styled-line.js';
import { renderLine } from '../text/styled-line.js';
import type { ChatScreen, ScreenEvents } from './chat-screen.js';

/** A terminal that can't move its cursor (TERM=dumb): whole lines in, finished lines out. */
export class PlainTerminal implements ChatScreen {
  readonly movesCursor = false;
  readonly isReady = true;
  readonly #in: ReadStream;
  readonly #out: WriteStream;
  #lines: Interface | undefined;
  #interrupt: (() => void) | undefined;
  /** True if the prompt stands in the last row. */
  #isPrompted = false;

  constructor(input: ReadStream, output: WriteStream) {
    this.#in = input;
    this.#out = output;
  }

  get columns(): number {
    return this.#out.columns || 80;
  }

  get rows(): number {
    return this.#out.rows || 24;
  }

  open(events: ScreenEvents): void {
    this.#lines = createInterface({ input: this.#in, terminal: false });
    this.#lines.on('close', () => events.onClosed());
    this.#lines.on('line', (line) => {
      this.#isPrompted = false;
      events.onLine(line);
    });
    this.#out.on('error', events.onClosed);
    this.#out.on('resize', () => events.onResize(this.columns, this.rows));
    this.#interrupt = () => events.onKey({ type: 'key', name: 'letter-c', ctrl: true });
    process.on('SIGINT', this.#interrupt);
  }

  /** Prints finished lines, and the prompt if a line is waited for. */
  draw(print: readonly Line[], _live: LiveRegion, awaitsInput: boolean): void {
    if (print.length > 0) {
      this.#endPrompt();
      this.#out.write(print.map((line) => `${renderLine(line, false)}\n`).join(''));
    }
    if (!awaitsInput || this.#isPrompted) return;
    this.#out.write(promptMark);
    this.#isPrompted = true;
  }

  #endPrompt(): void {
    if (this.#isPrompted) this.#out.write('\n');
    this.#isPrompted = false;
  }

  clearScreen(): void {}

  suspend(): void {}

  close(): void {
    this.#endPrompt();
    if (this.#interrupt !== undefined) process.off('SIGINT', this.#interrupt);
    this.#lines?.close();
    this.#in.pause();
    this.#in.unref();
  }
}
