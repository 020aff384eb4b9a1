import { emptyLine, type Line, type Span, span } from '../text/styled-line.js';
import { lineWidth, wrapLine } from '../text/wrap.js';
import { inlineSpans } from './inline.js';

export function isTableRow(line: string): boolean {
  return /^\s{0,3}\|.*\|\s*$/.test(line);
}

const gap = 2;
/** Columns that are narrower than this can't be read: then each cell gets a line of its own. */
const narrowest = 8;

/**
 * The rows of a table with aligned columns; undefined if it is none. Where the window is too narrow, the cells of the widest columns
 * are broken; where even that is too wide, each row becomes a list of its cells.
 */
export function tableLines(rows: readonly string[], width: number): readonly Line[] | undefined {
  const [head, ruler, ...body] = rows.map(cellsOf);
  if (head === undefined || ruler === undefined || !ruler.every((cell) => /^:?-+:?$/.test(cell)))
    return undefined;
  const [names = [], ...cells] = [head, ...body].map((row, index) =>
    head.map((_, at) => inlineSpans(row[at] ?? '', index === 0 ? ['bold'] : [])),
  );
  const wanted = names.map((name, at) =>
    Math.max(1, lineWidth(name), ...cells.map((row) => lineWidth(row[at] ?? emptyLine))),
  );
  const widths = fittingWidths(wanted, width - gap * (wanted.length - 1));
  if (widths === undefined) return listOfCells(names, cells, width);
  const rule: Line = [span(widths.map((one) => '─'.repeat(one)).join(' '.repeat(gap)), 'dim')];
  const lines = (row: readonly Line[]) => rowLines(row, widths, ruler);
  return [...lines(names), rule, ...cells.flatMap(lines)];
}

function cellsOf(row: string): readonly string[] {
  const inner = row.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** The widest columns give way until all fit; undefined if one would become too narrow. */
function fittingWidths(wanted: readonly number[], room: number): readonly number[] | undefined {
  let most = Math.max(...wanted);
  const cut = () => wanted.map((one) => Math.min(one, most));
  while (most >= narrowest && sum(cut()) > room) most -= 1;
  return sum(cut()) <= room ? cut() : undefined;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function rowLines(
  row: readonly Line[],
  widths: readonly number[],
  ruler: readonly string[],
): readonly Line[] {
  const cells = row.map((cell, at) => wrapLine(cell, widths[at] ?? 0));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells.flatMap((lines, at) =>
      padded(lines[line] ?? emptyLine, widths[at] ?? 0, ruler[at] ?? '', at === cells.length - 1),
    ),
  );
}

function padded(cell: Line, width: number, ruler: string, isLast: boolean): Line {
  const room = width - lineWidth(cell);
  const right = ruler.endsWith(':');
  const before = right ? (ruler.startsWith(':') ? Math.floor(room / 2) : room) : 0;
  const blanks = (count: number): readonly Span[] => (count > 0 ? [span(' '.repeat(count))] : []);
  return [...blanks(before), ...cell, ...(isLast ? [] : blanks(room - before + gap))];
}

function listOfCells(
  names: readonly Line[],
  rows: readonly (readonly Line[])[],
  width: number,
): readonly Line[] {
  const hanging = [span('  ')];
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [emptyLine]),
    ...row.flatMap((cell, at) =>
      lineWidth(cell) === 0
        ? []
        : wrapLine([...(names[at] ?? emptyLine), span(': ', 'bold'), ...cell], width, { hanging }),
    ),
  ]);
}
