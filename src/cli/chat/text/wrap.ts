import { graphemes, graphemeWidth, isWide, widthOf } from '../../../core/width.js';
import type { Line, Span, Style } from './styled-line.js';

export interface WrapOptions {
  /** Stands in front of every row but the first. */
  readonly hanging?: Line;
  /** False breaks anywhere: for what must not be wider, whatever it is. */
  readonly atWords?: boolean;
  /** A word that is wider than the window (an address) stays whole: the terminal breaks it, so that it is copied in one piece. */
  readonly wholeWords?: boolean;
}

/** Breaks a line into rows of at most `width` columns, at words where that can be. An empty line is one row. */
export function wrapLine(line: Line, width: number, options: WrapOptions = {}): readonly Line[] {
  const { hanging = [], atWords = true, wholeWords = false } = options;
  const room = Math.max(2, width);
  if (lineWidth(line) <= room) return [line];
  // In a very narrow window there is no room for an indentation.
  const lead = lineWidth(hanging) <= room / 2 ? hanging : [];
  const cells = cellsOf(line);
  const rows: Line[] = [];
  let from = 0;
  while (from < cells.length) {
    const most = rows.length === 0 ? room : room - lineWidth(lead);
    const end = wholeWords ? wordsEnd(cells, from, most) : rowEnd(cells, from, most, atWords);
    const row = spansOf(cells.slice(from, end));
    rows.push(rows.length === 0 ? withoutBlankEnd(row) : [...lead, ...withoutBlankEnd(row)]);
    from = end;
    if (atWords) while (cells[from]?.text === ' ') from += 1;
  }
  return rows;
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** The beginning of a line, as far as it fits; what is left out is told by an ellipsis. */
export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const kept: Cell[] = [];
  let room = width - 1;
  for (const cell of cellsOf(line)) {
    if (cell.width > room) break;
    room -= cell.width;
    kept.push(cell);
  }
  const last = kept.at(-1)?.style ?? [];
  return width < 1 ? [] : spansOf([...kept, { text: '…', width: 1, style: last }]);
}

interface Cell {
  readonly text: string;
  readonly width: number;
  readonly style: Style;
}

function cellsOf(line: Line): readonly Cell[] {
  return line.flatMap(({ text, style }) =>
    graphemes(text).map((piece) => ({ text: piece, width: graphemeWidth(piece), style })),
  );
}

/** The place behind the last cell of a row. A row has one cell at least, so that this comes to an end. */
function rowEnd(cells: readonly Cell[], from: number, most: number, atWords: boolean): number {
  let used = 0;
  let breakable: number | undefined;
  for (let at = from; at < cells.length; at += 1) {
    const cell = cells[at];
    if (cell === undefined) break;
    used += cell.width;
    if (used > most) {
      // A blank at the edge needs no room.
      if (atWords && cell.text === ' ' && at > from) return at;
      return (atWords ? breakable : undefined) ?? Math.max(at, from + 1);
    }
    if (
      cell.text === ' ' ? !isIndentation(cells, from, at) : breaksBehind(cell, cells[at - 1], cells[at + 1])
    )
      breakable = at + 1;
  }
  return cells.length;
}

/** The same, but a word that is wider than a row is not broken: it has one for itself. */
function wordsEnd(cells: readonly Cell[], from: number, most: number): number {
  const end = rowEnd(cells, from, most, true);
  const [last, next] = [cells[end - 1], cells[end]];
  if (last === undefined || next === undefined || last.text === ' ' || next.text === ' ') return end;
  if (isWideCell(last) || isWideCell(next)) return end;
  let begin = end;
  while (begin > from && cells[begin - 1]?.text !== ' ') begin -= 1;
  const blank = cells.findIndex(({ text }, at) => at >= end && text === ' ');
  const behind = blank < 0 ? cells.length : blank;
  // A word of usual length is broken behind its dash.
  if (cells.slice(begin, behind).reduce((sum, cell) => sum + cell.width, 0) <= most) return end;
  return begin > from && !isIndentation(cells, from, begin) ? begin : behind;
}

function isIndentation(cells: readonly Cell[], from: number, at: number): boolean {
  for (let before = from; before < at; before += 1) if (cells[before]?.text !== ' ') return false;
  return true;
}

/** Between characters of Chinese, Japanese and Korean a line may break anywhere; behind a hyphen, too, but not in `--backend`. */
function breaksBehind(cell: Cell, before: Cell | undefined, next: Cell | undefined): boolean {
  if (next === undefined) return false;
  if (isWideCell(cell) || isWideCell(next)) return true;
  return cell.text === '-' && isLetter.test(before?.text ?? '') && isLetter.test(next.text);
}

function isWideCell({ text }: Cell): boolean {
  return isWide(text.codePointAt(0) ?? 0);
}

const isLetter = /^[\p{L}\p{N}]/u;

function spansOf(cells: readonly Cell[]): Line {
  const spans: Span[] = [];
  let text = '';
  let style: Style | undefined;
  for (const cell of cells) {
    if (style !== undefined && cell.style !== style) {
      spans.push({ text, style });
      text = '';
    }
    style = cell.style;
    text += cell.text;
  }
  if (style !== undefined) spans.push({ text, style });
  return spans;
}

function withoutBlankEnd(line: Line): Line {
  const last = line.at(-1);
  if (last === undefined || !last.text.endsWith(' ')) return line;
  return [...line.slice(0, -1), { ...last, text: last.text.trimEnd() }];
}
