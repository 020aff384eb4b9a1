import { alignTable, cellsOf } from './align-table.js';
import { rewriteCell } from './rewrite-line.js';

/** A table for Discord, which knows none: in a fence with aligned columns, or as a list if it is too wide for a window. */
export function renderTable(given: readonly string[]): string {
  const rows = given.map((row) => (row.includes('<') || row.includes('![') ? rewriteRow(row) : row));
  const aligned = alignTable(rows);
  if (aligned !== undefined) return fenced(aligned);
  const [head = [], , ...body] = rows.map((row) => cellsOf(row).map((cell) => cell.trim()));
  // Without rows, or with cells that have no column, nothing but the text itself says what is meant.
  if (body.length === 0 || body.some((cells) => cells.length > head.length)) return fenced(rows);
  return body.map((cells) => listItem(head, cells)).join('\n');
}

function listItem(head: readonly string[], cells: readonly string[]): string {
  const lines = cells
    .map((cell, column) => (head[column] ? `${head[column]}: ${cell}`.trimEnd() : cell))
    .filter((line, column) => line !== '' && (cells[column] !== '' || column === 0));
  return `- ${lines.join('\n  ')}`.trimEnd();
}

function rewriteRow(row: string): string {
  return `| ${cellsOf(row)
    .map((cell) => rewriteCell(cell.trim()))
    .join(' | ')} |`;
}

function fenced(rows: readonly string[]): string {
  return `\`\`\`\n${rows.join('\n')}\n\`\`\``;
}
