/** From the first changed character to the one behind the last. */
export type Range = readonly [from: number, to: number];

/**
 * What differs between a removed line and the added one in its place, word by word. Undefined if the lines have so little in
 * common that to mark the parts would only be noise.
 */
export function changedParts(
  before: string,
  after: string,
): { readonly before: readonly Range[]; readonly after: readonly Range[] } | undefined {
  if (before === after) return undefined;
  const old = wordsOf(before);
  const young = wordsOf(after);
  let head = 0;
  while (head < old.length && head < young.length && old[head] === young[head]) head++;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < young.length - head &&
    old[old.length - 1 - tail] === young[young.length - 1 - tail]
  )
    tail++;
  const kept = keptWords(old.slice(head, old.length - tail), young.slice(head, young.length - tail));
  const keptOld = new Set(kept.map(([index]) => index + head));
  const keptYoung = new Set(kept.map(([, index]) => index + head));
  const isKeptOld = (index: number) => index < head || index >= old.length - tail || keptOld.has(index);
  const isKeptYoung = (index: number) => index < head || index >= young.length - tail || keptYoung.has(index);
  const common = old.reduce((sum, word, index) => sum + (isKeptOld(index) ? word.trim().length : 0), 0);
  const longer = Math.max(lengthWithoutSpace(old), lengthWithoutSpace(young));
  if (longer > 0 && common / longer < leastInCommon) return undefined;
  return { before: rangesOf(old, isKeptOld), after: rangesOf(young, isKeptYoung) };
}

/** Below this share of common characters two lines count as different ones. */
const leastInCommon = 0.35;

/** Beyond this number of comparisons the middle of the lines counts as changed as a whole. */
const mostComparisons = 40_000;

/** Beyond this length a line is one word: to take it apart is slow, and nobody reads it. */
const longestLine = 4_000;

function wordsOf(line: string): readonly string[] {
  if (line.length > longestLine) return [line];
  return line.match(/[\p{L}\p{N}_$]+|\s+|./gsu) ?? [];
}

/** The longest common subsequence, as pairs of indexes. */
function keptWords(old: readonly string[], young: readonly string[]): readonly (readonly [number, number])[] {
  if (old.length * young.length > mostComparisons) return [];
  const width = young.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = young.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        old[row] === young[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const kept: (readonly [number, number])[] = [];
  let row = 0;
  let column = 0;
  while (row < old.length && column < young.length) {
    if (old[row] === young[column]) kept.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return kept;
}

/** Changed words with only white space between them are one range. */
function rangesOf(words: readonly string[], isKept: (index: number) => boolean): readonly Range[] {
  const ranges: [number, number][] = [];
  let position = 0;
  let onlySpaceSince = false;
  for (const [index, word] of words.entries()) {
    const end = position + word.length;
    const last = ranges.at(-1);
    if (!isKept(index)) {
      if (last !== undefined && onlySpaceSince) last[1] = end;
      else ranges.push([position, end]);
      onlySpaceSince = true;
    } else if (word.trim() !== '') onlySpaceSince = false;
    position = end;
  }
  return ranges;
}

function lengthWithoutSpace(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + word.trim().length, 0);
}
