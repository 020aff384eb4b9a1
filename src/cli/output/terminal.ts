import { once } from 'node:events';
import { type Colour, coloured, hasColours } from '../../core/colours.js';
import { cutToColumns } from '../../core/width.js';
import { messageFor, type Output, shown } from './say.js';
import { Spinner } from './spinner.js';

/** The looks of a text on a terminal with colours. */
const tones = { quiet: '2', strong: '1', failed: '31', asked: '33' } as const;
export type Tone = keyof typeof tones | 'plain';

/** Writes the result to stdout and everything else to stderr. A slow reader slows the turn. */
export class Terminal {
  /** True when the reader has left (`| head`): it got what it wanted. */
  readerGone = false;
  /** The reason if stdout could not be written: a full disk, a closed stdout. */
  writeError: string | undefined;
  readonly #out: Output;
  readonly #err: Output;
  #onUnwritable: (() => void) | undefined;
  #spinner: Spinner | undefined;

  constructor(out: Output, err: Output) {
    this.#out = out;
    this.#err = err;
    out.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'ECONNRESET') this.readerGone = true;
      else this.writeError ??= error.message;
      this.#onUnwritable?.();
    });
    err.on('error', () => undefined);
  }

  get writable(): boolean {
    return !this.readerGone && this.writeError === undefined;
  }

  onUnwritable(act: () => void): void {
    this.#onUnwritable = act;
  }

  async write(text: string): Promise<void> {
    if (!this.writable || text === '') return;
    this.#spinner?.stop();
    if (this.#out.write(this.#out.isTTY ? shown(text) : text)) return;
    await once(this.#out, 'drain').catch(() => undefined);
  }

  /** Writes a text in its tone. The tone has an end of its own, so that a text can't go on in it. */
  async writeIn(tone: Tone, text: string, colours: boolean): Promise<void> {
    if (!colours || tone === 'plain' || text === '') return this.write(text);
    if (!this.writable) return;
    const [, words = '', breaks = ''] = /^([\s\S]*?)(\n*)$/.exec(shown(text)) ?? [];
    if (this.#out.write(`\u001b[${tones[tone]}m${words}\u001b[0m${breaks}`)) return;
    await once(this.#out, 'drain').catch(() => undefined);
  }

  /** Waits until all output has been written, or can't be. */
  async flush(): Promise<void> {
    if (this.writable) await new Promise<void>((resolve) => this.#out.write('', () => resolve()));
  }

  /** Prints a message to stderr. */
  say(text: string): void {
    this.#tell(messageFor(this.#err, text));
  }

  /** Prints a line of the log to stderr, which is JSON and nothing else. */
  log(line: string): void {
    this.#tell(shown(line));
  }

  /** True if stdout and stderr are seen in one place. */
  get isOneScreen(): boolean {
    return this.#out.isTTY === true && this.#err.isTTY === true;
  }

  /** The width of the terminal that stderr is; undefined if it is none. */
  get columns(): number | undefined {
    return this.#err.isTTY ? this.#err.columns || 80 : undefined;
  }

  /** Prints a message to stderr if that is a terminal. */
  hint(text: string): void {
    this.aside(text.length <= 160 ? text : `${text.slice(0, 159)}…`);
  }

  /** Prints a whole line to stderr if that is a terminal: in its colour, where there are colours. */
  aside(text: string, colour: Colour = 'dim'): void {
    if (!this.#err.isTTY) return;
    const line = shown(text.replaceAll(/\s/g, ' '));
    this.#tell(`${hasColours(this.#err) ? coloured(line, colour) : line}\n`);
  }

  /** Shows in a terminal that something is waited for, until the first output or `stopWaiting`. */
  waitFor(whom: string): void {
    this.#spinner?.stop();
    // Room for the sign before it and the seconds behind it: a longer row could not be written over.
    this.#spinner = Spinner.start(this.#err, cutToColumns(whom, (this.columns ?? 80) - 12));
  }

  stopWaiting(): void {
    this.#spinner?.stop();
  }

  #tell(text: string): void {
    this.#spinner?.stop();
    this.#err.write(text);
  }
}
