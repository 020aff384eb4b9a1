import { writeSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { ReadStream, WriteStream } from 'node:tty';
import { endOfKeys, type Key, noKeys, readKeys } from '../input/keys.js';
import type { LiveRegion } from '../state/live-region.js';
import type { Line } from '../text/styled-line.js';
import type { ChatScreen, ScreenEvents } from './chat-screen.js';
import { Frame } from './frame.js';

const pasteOn = '\u001b[?2004h';
/** Pastes are plain again, the cursor is seen, a frame that was cut off is shown. */
const restored = '\u001b[?2004l\u001b[?25h\u001b[?2026l\u001b[0m';
/** What comes so soon was typed before: the terminal has made a line feed of each Enter in it. */
const typedAheadMs = 200;
/** The rest of a key's sequence comes within this time, else it was Escape. */
const escapeMs = 50;

/** A terminal with a cursor that can be moved: raw keys in, frames out. `close` leaves it as it was, on every way out. */
export class ChatTerminal implements ChatScreen {
  readonly movesCursor = true;
  readonly #in: ReadStream;
  readonly #out: WriteStream;
  readonly #frame: Frame;
  readonly #decoder = new StringDecoder('utf8');
  #keys = noKeys;
  #escape: NodeJS.Timeout | undefined;
  #events: ScreenEvents | undefined;
  #suspended: NodeJS.Timeout | undefined;
  #isRaw = false;
  #enteredAt = 0;
  #blocked = false;
  readonly #atExit = () => this.#leaveNow();

  constructor(input: ReadStream, output: WriteStream, colours: boolean) {
    this.#in = input;
    this.#out = output;
    this.#frame = new Frame(colours);
  }

  get columns(): number {
    return this.#out.columns || 80;
  }

  get rows(): number {
    return this.#out.rows || 24;
  }

  open(events: ScreenEvents): void {
    this.#events = events;
    process.on('exit', this.#atExit);
    this.#in.on('data', this.#onData).on('end', events.onClosed).on('error', events.onClosed);
    this.#out.on('resize', this.#onResize).on('error', events.onClosed).on('drain', this.#onDrain);
    process.on('SIGCONT', this.#onStopped);
    this.#enter();
  }

  draw(print: readonly Line[], live: LiveRegion): void {
    this.#write(this.#frame.next(print, live));
  }

  /**
   * False while the terminal has not taken what was written, and while it is the shell's: frames in between are left out. After
   * `fg` a timer may come before the signal that says so, and what it had drawn would stay there.
   */
  get isReady(): boolean {
    return this.#isRaw && !this.#blocked;
  }

  clearScreen(): void {
    this.#write(this.#frame.clearScreen());
  }

  /** Ctrl-Z: the shell gets its terminal back; `fg` draws everything anew. */
  suspend(): void {
    this.#leave();
    // To the whole group, as the terminal does it: a shell waits for the first process of it.
    process.kill(0, 'SIGTSTP');
    // Where no shell could continue it, the kernel does not stop it, and nothing tells of it.
    this.#suspended = setTimeout(this.#onContinue, 100);
  }

  close(): void {
    // Nothing may take the terminal again.
    this.#events = undefined;
    clearTimeout(this.#suspended);
    this.#leave();
    clearTimeout(this.#escape);
    this.#in.off('data', this.#onData).pause();
    this.#in.unref();
    this.#out.off('resize', this.#onResize).off('drain', this.#onDrain);
    process.off('SIGCONT', this.#onStopped);
    process.off('exit', this.#atExit);
  }

  #enter(): void {
    if (this.#isRaw) return;
    this.#isRaw = true;
    this.#enteredAt = performance.now();
    this.#in.setRawMode(true);
    this.#in.resume();
    this.#write(pasteOn);
  }

  #leave(): void {
    if (!this.#isRaw) return;
    this.#isRaw = false;
    this.#write(this.#frame.clear() + restored);
    try {
      this.#in.setRawMode(false);
    } catch {
      // The terminal is gone.
    }
  }

  /** The process ends at once: a stream would not be written any more. */
  #leaveNow(): void {
    if (!this.#isRaw) return;
    this.#isRaw = false;
    try {
      writeSync(1, `${this.#frame.clear()}${restored}`);
    } catch {
      // The terminal is gone, or takes nothing.
    }
    try {
      this.#in.setRawMode(false);
    } catch {
      // The terminal is gone.
    }
  }

  #write(text: string): void {
    if (text !== '' && !this.#out.write(text)) this.#blocked = true;
  }

  readonly #onDrain = (): void => {
    this.#blocked = false;
    this.#events?.onReady();
  };

  /** Somebody else has stopped this process: the shell has set the terminal as it likes it, and written to it. */
  readonly #onStopped = (): void => {
    clearTimeout(this.#suspended);
    this.#isRaw = false;
    this.#frame.clear();
    this.#onContinue();
  };

  readonly #onContinue = (): void => {
    if (this.#isRaw || this.#events === undefined) return;
    this.#enter();
    this.#events.onResize(this.columns, this.rows);
  };

  readonly #onResize = (): void => {
    this.#frame.resized(this.columns);
    this.#events?.onResize(this.columns, this.rows);
  };

  readonly #onData = (data: Buffer): void => {
    clearTimeout(this.#escape);
    const text = this.#decoder.write(data);
    const typedAhead = performance.now() - this.#enteredAt < typedAheadMs;
    this.#enteredAt = Number.NEGATIVE_INFINITY;
    const { buffer, keys } = readKeys(this.#keys, typedAhead ? text.replaceAll('\n', '\r') : text);
    this.#keys = buffer;
    this.#tell(keys);
    if (buffer.rest.startsWith('\u001b') && buffer.paste === undefined)
      this.#escape = setTimeout(() => {
        const ended = endOfKeys(this.#keys);
        this.#keys = ended.buffer;
        this.#tell(ended.keys);
      }, escapeMs);
  };

  #tell(keys: readonly Key[]): void {
    for (const key of keys) this.#events?.onKey(key);
  }
}
