import { emptyLine, type Line, type Span } from '../text/styled-line.js';
import { lineWidth } from '../text/wrap.js';
import { inlineSpans } from './inline.js';

export function isTableRow(line: string): boolean {
  return /^\s{0,3}\|.*\|\s*$/.test(line);
}

/**
 * The rows of a table with aligned columns; undefined if it is none, or wider than the window: then its lines are shown as they
 * were written.
 */
export function tableLines(rows: readonly string[], width: number): readonly Line[] | undefined {
  const [head, ruler, ...body] = rows.map(cellsOf);
  if (head === undefined || ruler === undefined || !ruler.every((cell) => /^:?-+:?$/.test(cell)))
    return undefined;
  const columns = head.length;
  const cells = [head, ...body].map((row, index) =>
    Array.from({ length: columns }, (_, at) => inlineSpans(row[at] ?? '', index === 0 ? ['bold'] : [])),
  );
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(1, ...cells.map((row) => lineWidth(row[at] ?? emptyLine))),
  );
  if (widths.reduce((sum, one) => sum + one + 2, -2) > width) return undefined;
  const aligned = cells.map((row) => {
    const line = row.flatMap((cell, at) =>
      padded(cell, widths[at] ?? 0, ruler[at] ?? '', at === columns - 1),
    );
    return line;
  });
  const rule: Line = [{ text: widths.map((one) => '─'.repeat(one)).join('  '), style: ['dim'] }];
  return [aligned[0] ?? emptyLine, rule, ...aligned.slice(1)];
}

function cellsOf(row: string): readonly string[] {
  const inner = row.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function padded(cell: Line, width: number, ruler: string, isLast: boolean): Line {
  const room = width - lineWidth(cell);
  const right = ruler.endsWith(':');
  const before = right ? (ruler.startsWith(':') ? Math.floor(room / 2) : room) : 0;
  const blanks = (count: number): readonly Span[] =>
    count > 0 ? [{ text: ' '.repeat(count), style: [] }] : [];
  return [...blanks(before), ...cell, ...(isLast ? [] : blanks(room - before + 2))];
}
