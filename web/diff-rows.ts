/** One row of a unified diff: a line of the file, or the heading of the next part of it. */
export type DiffRow = PartRow | LineRow;

export interface PartRow {
  readonly kind: 'part';
  /** The words behind the second `@@`: mostly the function around the lines. */
  readonly text: string;
  /** Absent where the diff does not tell. */
  readonly oldLine?: number;
  readonly newLine?: number;
}

export interface LineRow {
  /** A note is about the file: it is none of its lines. */
  readonly kind: 'same' | 'added' | 'removed' | 'note';
  /** Without the sign in front. */
  readonly text: string;
  readonly oldLine?: number;
  readonly newLine?: number;
  /** True if the file ends here, without a line break. */
  readonly endsWithoutBreak?: true;
}

/**
 * Reads the unified diff of one file. The names in front of its first part are left out: whoever shows it knows them. Nothing
 * else is left out: a line beyond the counts of a part's heading, or in no part at all, is one without a number.
 */
export function readDiffRows(diff: string): readonly DiffRow[] {
  const lines = diff.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const hasParts = lines.some((line) => line.startsWith('@@'));
  const rows: DiffRow[] = [];
  // The gateway's previews have notes in front of the names.
  const hasBegun = () => rows.some(({ kind }) => kind !== 'note');
  let [oldLine, oldLeft, newLine, newLeft] = [0, 0, 0, 0];
  for (const line of lines) {
    const row = readLine(line);
    const [inOld, inNew] = [row.kind !== 'added', row.kind !== 'removed'];
    if (isSigned(line) && (!inOld || oldLeft > 0) && (!inNew || newLeft > 0)) {
      rows.push({
        ...row,
        ...(inOld ? { oldLine: oldLine++ } : {}),
        ...(inNew ? { newLine: newLine++ } : {}),
      });
      if (inOld) oldLeft--;
      if (inNew) newLeft--;
      continue;
    }
    const last = rows.at(-1);
    if (line.startsWith('\\ No newline') && last !== undefined && last.kind !== 'part') {
      rows[rows.length - 1] = { ...last, endsWithoutBreak: true };
      continue;
    }
    const heading = partHeading.exec(line);
    if (heading !== null) {
      oldLine = Number(heading[1]);
      oldLeft = Number(heading[2] ?? 1);
      newLine = Number(heading[3]);
      newLeft = Number(heading[4] ?? 1);
      rows.push({ kind: 'part', text: heading[5] ?? '', oldLine, newLine });
    } else if (line.startsWith('@@')) {
      // The heading of a patch that is found by its words, not by numbers.
      [oldLeft, newLeft] = [0, 0];
      rows.push({ kind: 'part', text: line.slice(2).trim() });
    } else if (hasBegun() || !fileHeading.test(line) || (isSigned(line) && !hasParts)) rows.push(row);
  }
  return rows;
}

/** The words for a part's heading: `Line 12 · function first()`. */
export function partInWords({ text, oldLine, newLine }: PartRow): string {
  const line = newLine || oldLine;
  return [...(line === undefined ? [] : [`Line ${line}`]), ...(text === '' ? [] : [text])].join(' · ');
}

/** The change from one text to another, as one block of lines with a little around it. */
export function compareTexts(before: string, after: string): readonly LineRow[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) same += 1;
  let sameAtEnd = 0;
  const longest = Math.min(old.length, now.length) - same;
  while (sameAtEnd < longest && old.at(-1 - sameAtEnd) === now.at(-1 - sameAtEnd)) sameAtEnd += 1;
  return [
    ...old.slice(Math.max(0, same - around), same).map(as('same')),
    ...old.slice(same, old.length - sameAtEnd).map(as('removed')),
    ...now.slice(same, now.length - sameAtEnd).map(as('added')),
    ...now
      .slice(now.length - sameAtEnd)
      .slice(0, around)
      .map(as('same')),
  ];
}

const around = 3;
// With `s`: the words may hold what JavaScript takes for the end of a line (\r, U+2028).
const partHeading = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)$/s;
const fileHeading =
  /^(?:diff |index |--- |\+\+\+ |old mode|new mode|new file|deleted file|similarity|dissimilarity|rename |copy |Index: |=====)/;

/** Some programs write an empty line as nothing, without the space in front. */
function isSigned(line: string): boolean {
  return line === '' || /^[ +-]/.test(line);
}

function readLine(line: string): LineRow {
  if (line.startsWith('+')) return { kind: 'added', text: line.slice(1) };
  if (line.startsWith('-')) return { kind: 'removed', text: line.slice(1) };
  if (line.startsWith('\\ ')) return { kind: 'note', text: line.slice(2) };
  return { kind: 'same', text: line.startsWith(' ') ? line.slice(1) : line };
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function as(kind: LineRow['kind']) {
  return (text: string): LineRow => ({ kind, text });
}
