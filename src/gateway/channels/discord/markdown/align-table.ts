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

/** The columns that a text takes in a font of fixed width, about. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += invisible.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

const invisible = /[\p{M}\p{Cf}]/u;
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u;
