/** A diff with the lines that are the same around a change: `  same`, `- old`, `+ new`. Empty: nothing differs. */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  context = 1,
): readonly string[] {
  const marked = mark(before, after);
  const isNear = (at: number) =>
    marked.slice(Math.max(0, at - context), at + context + 1).some((line) => !line.startsWith('  '));
  return marked.flatMap((line, at) => {
    if (isNear(at)) return [line];
    return at > 0 && isNear(at - 1) && marked.slice(at).some((later) => !later.startsWith('  '))
      ? ['  …']
      : [];
  });
}

/** Every line of both, by their longest common subsequence. */
function mark(before: readonly string[], after: readonly string[]): readonly string[] {
  // common[i][j]: the length of the longest common subsequence of what follows line i and line j.
  const common = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    const row = common[i] ?? [];
    for (let j = after.length - 1; j >= 0; j--)
      row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const lines: string[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push(`  ${before[i]}`);
      i += 1;
      j += 1;
    } else if (i < before.length && (j === after.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(`- ${before[i]}`);
      i += 1;
    } else {
      lines.push(`+ ${after[j]}`);
      j += 1;
    }
  }
  return lines;
}
