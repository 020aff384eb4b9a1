import { createInterface, type Interface } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Line } from '../text/styled-line.js';
import { textOf } from '../text/styled-line.js';
import type { ChatScreen, ScreenEvents } from './chat-screen.js';

/** A terminal that can't move its cursor (TERM=dumb): whole lines in, finished lines out. */
export class PlainTerminal implements ChatScreen {
  readonly movesCursor = false;
  readonly isReady = true;
  readonly #in: ReadStream;
  readonly #out: WriteStream;
  #lines: Interface | undefined;
  #interrupt: (() => void) | undefined;

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
    this.#lines.on('line', (line) => events.onLine(line)).on('close', () => events.onClosed());
    this.#out.on('error', events.onClosed);
    this.#out.on('resize', () => events.onResize(this.columns, this.rows));
    this.#interrupt = () => events.onKey({ type: 'key', name: 'letter-c', ctrl: true });
    process.on('SIGINT', this.#interrupt);
  }

  draw(print: readonly Line[]): void {
    if (print.length > 0) this.#out.write(print.map((line) => `${textOf(line)}\n`).join(''));
  }

  clearScreen(): void {}

  suspend(): void {}

  close(): void {
    if (this.#interrupt !== undefined) process.off('SIGINT', this.#interrupt);
    this.#lines?.close();
    this.#in.pause();
    this.#in.unref();
  }
}
