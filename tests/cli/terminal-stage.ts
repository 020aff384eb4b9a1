import { fileURLToPath } from 'node:url';
import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import type { Place } from '../unit/cli/turnout.js';

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface StageOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The program and its arguments, in place of `turnout` with `args`. */
  readonly command?: readonly [string, ...string[]];
}

/** `turnout` in a real pseudo-terminal, with a terminal emulator behind it: what a person sees, and what they scroll back to. */
export class TerminalStage {
  /** 128 and the number for a signal. */
  readonly exitCode: Promise<number>;
  /** Everything that was written, as it came. */
  raw = '';
  readonly #pty: IPty;
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  #changed: () => void = () => undefined;
  #ended: number | undefined;

  constructor(place: Place, args: readonly string[], options: StageOptions = {}) {
    const { columns = 80, rows = 24, env = {} } = options;
    const [file, ...words] = options.command ?? [process.execPath, program, ...args];
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
    this.#pty = spawn(file, words, {
      cols: columns,
      rows,
      cwd: place.workingDir,
      env: { ...place.env, TERM: 'xterm-256color', PWD: place.workingDir, ...env },
    });
    this.#terminal.onData((answer) => this.#pty.write(answer));
    this.#pty.onData((data) => {
      this.raw += data;
      this.#terminal.write(data, () => this.#changed());
    });
    this.exitCode = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        this.#ended = signal ? 128 + signal : exitCode;
        // What was written last may still be on its way through the emulator.
        this.#terminal.write('', () => {
          this.#changed();
          resolve(this.#ended ?? 0);
        });
      });
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** The rows of the window. */
  get screen(): string {
    const { viewportY, length } = this.#terminal.buffer.active;
    return this.#rows(viewportY, length);
  }

  /** The scrollback and the window, without the empty rows at the end. */
  get scrollback(): string {
    return this.#rows(0, this.#terminal.buffer.active.length);
  }

  /** The same, with the lines whole that were too long for a row. */
  get transcript(): string {
    const { active } = this.#terminal.buffer;
    let text = '';
    for (let row = 0; row < active.length; row += 1) {
      const line = active.getLine(row);
      const next = active.getLine(row + 1);
      if (row > 0 && !line?.isWrapped) text += '\n';
      // What goes on in the next row has its blanks at the end, too.
      text += line?.translateToString(!next?.isWrapped) ?? '';
    }
    return text.trimEnd();
  }

  get cursor(): { readonly row: number; readonly column: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { row: cursorY, column: cursorX };
  }

  /** True if pastes are marked: a program that has ended must not leave it so. */
  get marksPastes(): boolean {
    return this.#terminal.modes.bracketedPasteMode;
  }

  /** True if a cell of the row that has this text is drawn in this way. */
  isStyled(text: string, style: 'bold' | 'dim' | 'italic' | number): boolean {
    const { active } = this.#terminal.buffer;
    for (let row = active.length - 1; row >= 0; row -= 1) {
      const line = active.getLine(row);
      const at = line?.translateToString(true).indexOf(text) ?? -1;
      const cell = at < 0 ? undefined : line?.getCell(at);
      if (cell === undefined) continue;
      if (typeof style === 'number') return cell.getFgColor() === style;
      return { bold: cell.isBold(), dim: cell.isDim(), italic: cell.isItalic() }[style] !== 0;
    }
    return false;
  }

  /** Types all of it at once, as a terminal sends it. */
  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Types a message and Enter. */
  say(text: string): void {
    this.#pty.write(`${text}\r`);
  }

  paste(text: string): void {
    this.#pty.write(`\u001b[200~${text}\u001b[201~`);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** Takes the terminal away, as closing its window does. */
  hangUp(): void {
    (this.#pty as unknown as { destroy(): void }).destroy();
  }

  /** Waits until the scrollback or the window shows this so many times; the error shows what there is. */
  async until(text: string | RegExp, times = 1, patienceMs = 25_000): Promise<void> {
    const pattern =
      typeof text === 'string' ? new RegExp(escaped(text), 'g') : new RegExp(text.source, `g${text.flags}`);
    await this.untilTrue(() => [...this.scrollback.matchAll(pattern)].length >= times, `${text}`, patienceMs);
  }

  /** Waits until the chat takes letters as choices for its question. */
  async untilAsked(): Promise<void> {
    await this.untilTrue(
      () => /Allow it\?.*(?:Enter confirms|\+ Enter)/.test(this.screen),
      'a question that takes an answer',
    );
  }

  async untilGone(text: string): Promise<void> {
    await this.untilTrue(() => !this.screen.includes(text), `the end of ${text}`);
  }

  async untilTrue(isThere: () => boolean, what: string, patienceMs = 25_000): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (!isThere()) {
      const left = deadline - performance.now();
      if (this.#ended !== undefined || left <= 0) {
        const why = this.#ended === undefined ? 'time is up' : `it ended with ${this.#ended}`;
        throw new Error(`${why} without ${what}:\n${this.scrollback}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, 200));
        this.#changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  #rows(from: number, end: number): string {
    const { active } = this.#terminal.buffer;
    const rows = Array.from(
      { length: end - from },
      (_, at) => active.getLine(from + at)?.translateToString(true) ?? '',
    );
    return rows.join('\n').trimEnd();
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
