export interface DiffNames {
  /** Undefined if there is no file yet. */
  readonly before?: string | undefined;
  /** Undefined if there is no file any more. */
  readonly after?: string | undefined;
}

/**
 * A unified diff of two texts with three lines around each change; empty if they are the same. Texts that differ in very many
 * lines are shown as one replaced block: the search for the shortest diff is bounded.
 */
export function unifiedDiff(before: string, after: string, names: DiffNames): string {
  const old = splitLines(before);
  const young = splitLines(after);
  const hunks = hunksOf(diffLines(old, young));
  if (hunks.length === 0) return '';
  const parts = [diffHeading(names)];
  for (const hunk of hunks) {
    parts.push(headerOf(hunk));
    for (const { type, at } of hunk.lines) {
      const line = (type === '+' ? young : old)[at] ?? '';
      parts.push(type, line, line.endsWith('\n') ? '' : `\n${noNewline}\n`);
    }
  }
  return parts.join('');
}

export function diffHeading({ before, after }: DiffNames): string {
  return `--- ${named('a', before)}\n+++ ${named('b', after)}\n`;
}

/**
 * The beginning of a diff, with how many characters are left out. It may end within a line: of a file that is one long line
 * there would be nothing to see. Readers of diffs pass over lines that begin with a backslash.
 */
export function cutDiff(
  diff: string,
  maxCharacters: number,
): { readonly diff: string; readonly left: number } {
  if (diff.length <= maxCharacters) return { diff, left: 0 };
  // Half of a surrogate pair is no character.
  const kept = diff.slice(0, Math.max(0, maxCharacters)).replace(/[\uD800-\uDBFF]$/, '');
  const left = diff.length - kept.length;
  const begun = kept === '' || kept.endsWith('\n') ? kept : `${kept}\n`;
  return { diff: `${begun}\\ The diff goes on: ${left} more characters are not shown\n`, left };
}

const noNewline = '\\ No newline at end of file';
const around = 3;

/** A line break in a name would be a line of the diff. */
function named(side: 'a' | 'b', name: string | undefined): string {
  return name === undefined ? '/dev/null' : `${side}/${name.replaceAll(/[\r\n\t]/g, '?')}`;
}

/** Each line with its end, so that a missing end of the last one is a difference. */
function splitLines(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/** One line of a diff: where it is in the old text (` `, `-`) or in the new one (`+`). */
interface DiffLine {
  readonly type: ' ' | '-' | '+';
  readonly at: number;
}

interface Hunk {
  oldStart: number;
  newStart: number;
  readonly lines: DiffLine[];
}

function headerOf({ oldStart, newStart, lines }: Hunk): string {
  const olds = lines.filter(({ type }) => type !== '+').length;
  const news = lines.filter(({ type }) => type !== '-').length;
  // A side without lines is counted from the line in front of it.
  return `@@ -${olds === 0 ? oldStart : oldStart + 1},${olds} +${news === 0 ? newStart : newStart + 1},${news} @@\n`;
}

/** A stretch of lines that are the same, or that are replaced. */
interface Run {
  readonly same: boolean;
  readonly old: number;
  readonly young: number;
  readonly olds: number;
  readonly youngs: number;
}

function hunksOf(runs: readonly Run[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  for (const [index, run] of runs.entries()) {
    if (!run.same) {
      hunk ??= { oldStart: run.old, newStart: run.young, lines: [] };
      for (let i = 0; i < run.olds; i += 1) hunk.lines.push({ type: '-', at: run.old + i });
      for (let i = 0; i < run.youngs; i += 1) hunk.lines.push({ type: '+', at: run.young + i });
      continue;
    }
    const isLast = index === runs.length - 1;
    const tail = hunk === undefined ? 0 : Math.min(run.olds, around);
    const head = isLast ? 0 : Math.min(run.olds, around);
    const joins = hunk !== undefined && !isLast && run.olds <= 2 * around;
    for (let i = 0; i < (joins ? run.olds : tail); i += 1) hunk?.lines.push({ type: ' ', at: run.old + i });
    if (joins) continue;
    if (hunk !== undefined) hunks.push(hunk);
    hunk = undefined;
    if (isLast) break;
    const from = run.olds - head;
    hunk = { oldStart: run.old + from, newStart: run.young + from, lines: [] };
    for (let i = from; i < run.olds; i += 1) hunk.lines.push({ type: ' ', at: run.old + i });
  }
  if (hunk !== undefined) hunks.push(hunk);
  return hunks;
}

function diffLines(old: readonly string[], young: readonly string[]): readonly Run[] {
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < young.length - start &&
    old[old.length - 1 - end] === young[young.length - 1 - end]
  )
    end += 1;
  const [a, b] = interned(old.slice(start, old.length - end), young.slice(start, young.length - end));
  const kept = [
    ...(start > 0 ? [{ old: 0, young: 0, count: start }] : []),
    ...commonRuns(a, b).map(({ old: x, young: y, count }) => ({ old: x + start, young: y + start, count })),
    ...(end > 0 ? [{ old: old.length - end, young: young.length - end, count: end }] : []),
  ];
  return withGaps(kept, old.length, young.length);
}

interface Common {
  readonly old: number;
  readonly young: number;
  readonly count: number;
}

/** What lies between two stretches that are the same was replaced. */
function withGaps(kept: readonly Common[], olds: number, youngs: number): readonly Run[] {
  const runs: Run[] = [];
  let x = 0;
  let y = 0;
  for (const { old, young, count } of [...kept, { old: olds, young: youngs, count: 0 }]) {
    if (old > x || young > y) runs.push({ same: false, old: x, young: y, olds: old - x, youngs: young - y });
    if (count > 0) runs.push({ same: true, old, young, olds: count, youngs: count });
    x = old + count;
    y = young + count;
  }
  return runs;
}

/** Numbers are compared faster than lines. */
function interned(...texts: readonly (readonly string[])[]): readonly [Int32Array, Int32Array] {
  const known = new Map<string, number>();
  const [a, b] = texts.map((lines) =>
    Int32Array.from(lines, (line) => {
      const number = known.get(line) ?? known.size;
      known.set(line, number);
      return number;
    }),
  );
  return [a ?? new Int32Array(), b ?? new Int32Array()];
}

const mostDifferences = 1500;
/** So many comparisons take some ten milliseconds. */
const mostSteps = 4_000_000;

/** The stretches that both have in common, by Myers' algorithm; none if they differ in too much. */
function commonRuns(a: Int32Array, b: Int32Array): readonly Common[] {
  if (a.length === 0 || b.length === 0) return [];
  const trace: Int32Array[] = [];
  const most = Math.min(mostDifferences, a.length + b.length);
  /** The furthest place in `a` on each diagonal; diagonal k is at k + most + 1. */
  const furthest = new Int32Array(2 * most + 3);
  const middle = most + 1;
  let steps = 0;
  for (let d = 0; d <= most && steps < mostSteps; d += 1) {
    trace.push(furthest.slice(middle - d, middle + d + 1));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && at(furthest, middle + k - 1) < at(furthest, middle + k + 1));
      let x = down ? at(furthest, middle + k + 1) : at(furthest, middle + k - 1) + 1;
      const from = x;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      steps += x - from + 1;
      furthest[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return backtrack(trace, a.length, b.length);
    }
  }
  return [];
}

/** `trace[d]` holds what was known before step d, for the diagonals -d to d. */
function backtrack(trace: readonly Int32Array[], olds: number, youngs: number): readonly Common[] {
  const runs: Common[] = [];
  let x = olds;
  let y = youngs;
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const known = trace[d] ?? new Int32Array();
    const k = x - y;
    const down = k === -d || (k !== d && at(known, d + k - 1) < at(known, d + k + 1));
    const before = down ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : at(known, d + before);
    const fromY = d === 0 ? 0 : fromX - before;
    const beginX = d === 0 ? 0 : down ? fromX : fromX + 1;
    if (x > beginX) runs.push({ old: beginX, young: beginX - k, count: x - beginX });
    x = fromX;
    y = fromY;
  }
  return runs.reverse();
}

function at(values: Int32Array, index: number): number {
  return values[index] ?? 0;
}
