import type { LiveRegion } from '../state/live-region.js';
import { type Line, renderLine } from '../text/styled-line.js';
import { lineWidth } from '../text/wrap.js';

const csi = '\u001b[';

/**
 * Draws the live region below what was printed, and knows where it stands. It never reads the terminal: the cursor is where the
 * last frame has put it.
 */
export class Frame {
  readonly #colours: boolean;
  #drawn: readonly string[] = [];
  #widths: readonly number[] = [];
  #cursor = { row: 0, column: 0 };
  /** The rows on the screen above that of the cursor: more than drawn if the window has become narrower since. */
  #rowsAbove = 0;

  constructor(colours: boolean) {
    this.#colours = colours;
  }

  /**
   * One write: lines for the scrollback, then the live region. Empty if nothing has changed. A line that is wider than the window
   * is broken by the terminal, which copies it as one; the rows of the live region must fit.
   */
  next(print: readonly Line[], live: LiveRegion): string {
    const rows = live.rows.map((row) => renderLine(row, this.#colours));
    const same =
      print.length === 0 &&
      rows.length === this.#drawn.length &&
      rows.every((row, at) => row === this.#drawn[at]);
    if (same && live.cursor.row === this.#cursor.row && live.cursor.column === this.#cursor.column) return '';
    const begin = this.#toTop();
    this.#drawn = rows;
    this.#widths = live.rows.map(lineWidth);
    this.#rowsAbove = live.cursor.row;
    if (same) {
      this.#cursor = live.cursor;
      return begin + down(live.cursor.row) + toColumn(live.cursor.column);
    }
    // Each row is cleared before it is written: behind a full one the cursor may still stand on its last column. What is
    // printed may take more rows than it has lines: everything goes before it.
    const clear = print.length > 0 ? `${csi}J` : '';
    const text = [...print.map((row) => renderLine(row, this.#colours)), ...rows]
      .map((row) => `${csi}K${row}`)
      .join('\r\n');
    const back = up(rows.length - 1 - live.cursor.row);
    this.#cursor = live.cursor;
    // Terminals that know it (mode 2026) show the frame at once; the cursor does not jump about meanwhile in the others.
    return `${csi}?2026h${csi}?25l${begin}${clear}${text}${csi}J${back}${toColumn(live.cursor.column)}${csi}?25h${csi}?2026l`;
  }

  /** Takes the live region away; the cursor stands where it began. */
  clear(): string {
    const begin = this.#drawn.length === 0 ? '' : `${this.#toTop()}${csi}J`;
    this.#forget();
    return begin;
  }

  /** An empty screen, with the scrollback left as it is. */
  clearScreen(): string {
    this.#forget();
    return `${csi}H${csi}2J`;
  }

  /**
   * The window has another width. Terminals break rows that have become too long, so that the region is higher than it was; the
   * row with the cursor is left alone by some, and counted once.
   */
  resized(columns: number): void {
    const room = Math.max(1, columns);
    const above = this.#widths.slice(0, this.#cursor.row);
    this.#rowsAbove = above.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / room)), 0);
    // Whatever is there is drawn anew.
    this.#drawn = this.#drawn.map(() => '\u0000');
  }

  #toTop(): string {
    return `\r${up(this.#rowsAbove)}`;
  }

  #forget(): void {
    this.#drawn = [];
    this.#widths = [];
    this.#cursor = { row: 0, column: 0 };
    this.#rowsAbove = 0;
  }
}

function up(rows: number): string {
  return rows > 0 ? `${csi}${rows}A` : '';
}

function down(rows: number): string {
  return rows > 0 ? `${csi}${rows}B` : '';
}

function toColumn(column: number): string {
  return column > 0 ? `\r${csi}${column}C` : '\r';
}
