import { widthOf } from '../../../../core/width.js';

/** Wider tables are wrapped by Discord, and blanks only make that worse. */
const widestTable = 80;

/** Writes the columns of a Markdown table below each other. Undefined if it is too wide to be read like that. */
export function alignTable(rows: readonly string[]): readonly string[] | undefined {
  const cells = rows.map((row) => cellsOf(row).map((cell) => cell.trim()));
  const widths: number[] = [];
  for (const [row, found] of cells.entries())
    for (const [column, cell] of found.entries())
      widths[column] = Math.max(widths[column] ?? 3, row === delimiterRow ? 3 : widthOf(cell));
  const width = widths.reduce((sum, one) => sum + one + 3, 1);
  if (width > widestTable) return undefined;
  return cells.map((found, row) => {
    const fill = row === delimiterRow ? fillDashes : fillBlanks;
    return `| ${found.map((cell, column) => fill(cell, widths[column] ?? 3)).join(' | ')} |`;
  });
}

const delimiterRow = 1;

export function cellsOf(row: string): readonly string[] {
  return row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/);
}

function fillBlanks(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)));
}

/** `:-:` says how a column is aligned: the colons stay at the ends. */
function fillDashes(cell: string, width: number): string {
  const [left, right] = [cell.startsWith(':') ? ':' : '', cell.endsWith(':') ? ':' : ''];
  return left + '-'.repeat(width - left.length - right.length) + right;
}
