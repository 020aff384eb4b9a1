import type { Writable } from 'node:stream';
import { canRedraw, hasColours } from '../../core/colours.js';
import { visible } from '../../core/text.js';
import type { ProgressLine } from '../chain/chain-progress.js';

export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface ScreenOptions {
  readonly live: boolean;
  readonly colours: boolean;
}

/** How a stream is written to: a live line needs a terminal that can move its cursor (TERM=dumb can't). */
export function screenOptions(
  stream: Screen,
  env: Readonly<Record<string, string | undefined>>,
): ScreenOptions {
  return { live: canRedraw(stream, env), colours: hasColours(stream, env) };
}

/** Lines that stay and, in a terminal, one below them that is written anew again and again. */
export class ProgressScreen {
  readonly live: boolean;
  readonly #out: Screen;
  readonly #colours: boolean;
  #shown = '';

  constructor(out: Screen, { live, colours }: ScreenOptions) {
    this.#out = out;
    this.live = live;
    this.#colours = colours;
    out.on('error', () => undefined);
  }

  /** The columns of a live line: one is left free, since some terminals go on to the next row as soon as one is full. */
  get columns(): number {
    return Math.max(1, (this.#out.columns || 80) - 1);
  }

  /** Prints a line that stays. */
  print(text: string, tone: ProgressLine['tone'] = 'plain'): void {
    const mark = this.live ? marks[tone] : '';
    const line = `${this.#coloured(`${mark}${visible(text)}`, tone)}\n`;
    this.#out.write(this.live ? `${eraseRow}${line}${this.#row(this.#shown)}` : line);
  }

  /** Replaces the live line. */
  show(text: string): void {
    const row = visible(text);
    if (!this.live || row === this.#shown) return;
    this.#shown = row;
    this.#out.write(`${eraseRow}${this.#row(row)}`);
  }

  /** Draws over what was typed into the live line, such as the ^C of the terminal. */
  redraw(): void {
    if (this.live) this.#out.write(`${eraseRow}${this.#row(this.#shown)}`);
  }

  clear(): void {
    if (this.#shown !== '') this.#out.write(eraseRow);
    this.#shown = '';
  }

  /** Without its wrap, the terminal can't break a row whose width it counts in another way than we do. */
  #row(text: string): string {
    return text === '' ? '' : `\u001b[?7l${this.#coloured(text, 'quiet')}\u001b[?7h`;
  }

  #coloured(text: string, tone: ProgressLine['tone']): string {
    const colour = colours[tone];
    return !this.#colours || colour === undefined ? text : `\u001b[${colour}m${text}\u001b[0m`;
  }
}

const eraseRow = '\r\u001b[2K';
const marks = { plain: '  ', good: '✓ ', bad: '✗ ', warning: '! ', quiet: '  ' } as const;
const colours: Readonly<Record<ProgressLine['tone'], string | undefined>> = {
  ...{ plain: undefined, good: '32', bad: '31', warning: '33', quiet: '2' },
};
