import { wholeLine } from '../../core/text.js';
import { cutToColumns } from '../../core/width.js';

// A line on a terminal that says what takes so long, and goes when that is done. Elsewhere nothing is written.

let shown = false;

export function showProgress(text: string): void {
  if (!process.stderr.isTTY || process.env['TERM'] === 'dumb') return;
  const columns = process.stderr.columns || 80;
  process.stderr.write(`\r\u001b[K${cutToColumns(wholeLine(text), columns - 1)}`);
  shown = true;
}

export function clearProgress(): void {
  if (shown) process.stderr.write('\r\u001b[K');
  shown = false;
}
