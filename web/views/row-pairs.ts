import type { DiffRow } from '../diff-rows.js';

/**
 * The removed and added lines that stand for each other, by their indexes in both directions: in a block of removed lines with
 * added ones behind it, the first belongs to the first, and so on.
 */
export function pairRows(rows: readonly DiffRow[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  for (let at = 0; at < rows.length; at++) {
    if (rows[at]?.kind !== 'removed') continue;
    const removed = at;
    while (rows[at]?.kind === 'removed') at++;
    const added = at;
    while (rows[at]?.kind === 'added') at++;
    const count = Math.min(added - removed, at - added);
    for (let nth = 0; nth < count; nth++) {
      pairs.set(removed + nth, added + nth);
      pairs.set(added + nth, removed + nth);
    }
    at--;
  }
  return pairs;
}

/** The number of digits of the largest line number. */
export function lineNumberDigits(rows: readonly DiffRow[]): number {
  return String(rows.reduce((most, { oldLine = 0, newLine = 0 }) => Math.max(most, oldLine, newLine), 0))
    .length;
}

/** A longer line is no reading matter: it is shown piece by piece, wrapped. */
export const longestLine = 2_000;

/** The width of the longest line in characters, near enough for a scroll bar: tabs and wide characters count more. */
export function longestRow(rows: readonly DiffRow[]): number {
  let longest = 0;
  for (const { text } of rows) {
    if (text.length > longestLine || text.length * 4 <= longest) continue;
    const wide = text.match(/[\u1100-\u{10ffff}]/gu)?.length ?? 0;
    longest = Math.max(longest, text.length + wide + 3 * (text.split('\t').length - 1));
  }
  return longest;
}
