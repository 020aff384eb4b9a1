/** One row of a unified diff: a line of the file, or the heading of the next part of it. */
export type DiffRow = PartRow | LineRow;

export interface PartRow {
  readonly kind: 'part';
  /** The words behind the second `@@`: mostly the function around the lines. */
  readonly text: string;
  readonly oldLine: number;
  readonly newLine: number;
}

export interface LineRow {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
  readonly oldLine?: number;
  readonly newLine?: number;
  /** True if the file ends here, without a line break. */
  readonly endsWithoutBreak?: true;
}

/**
 * Reads the unified diff of one file. The counts of a part's heading say where it ends, so a removed line `-- x` is not taken
 * for a file's heading. What is no diff gives no rows.
 */
export function readDiffRows(diff: string): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let oldLine = 0;
  let newLine = 0;
  let oldLeft = 0;
  let newLeft = 0;
  for (const line of diff.split('\n')) {
    const sign = line[0];
    if (oldLeft > 0 || newLeft > 0) {
      const text = line.slice(1);
      if (sign === '+' && newLeft > 0) {
        rows.push({ kind: 'added', text, newLine: newLine++ });
        newLeft--;
        continue;
      }
      if (sign === '-' && oldLeft > 0) {
        rows.push({ kind: 'removed', text, oldLine: oldLine++ });
        oldLeft--;
        continue;
      }
      // Some programs write an empty line as nothing, without the space in front.
      if ((sign === ' ' || line === '') && oldLeft > 0 && newLeft > 0) {
        rows.push({ kind: 'same', text, oldLine: oldLine++, newLine: newLine++ });
        oldLeft--;
        newLeft--;
        continue;
      }
    }
    if (sign === '\\') {
      const last = rows.at(-1);
      if (last !== undefined && last.kind !== 'part')
        rows[rows.length - 1] = { ...last, endsWithoutBreak: true };
      continue;
    }
    const heading = partHeading.exec(line);
    if (heading === null) continue;
    oldLine = Number(heading[1]);
    oldLeft = heading[2] === undefined ? 1 : Number(heading[2]);
    newLine = Number(heading[3]);
    newLeft = heading[4] === undefined ? 1 : Number(heading[4]);
    rows.push({ kind: 'part', text: heading[5] ?? '', oldLine, newLine });
  }
  return rows;
}

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

// With `s`: the words may hold what JavaScript takes for the end of a line (\r, U+2028), and the part must not be lost by it.
const partHeading = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)$/s;
