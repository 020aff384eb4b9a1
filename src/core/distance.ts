/** The number of letters to put in, take out or replace to make one word of the other. */
export function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const [left = 0, above = 0, diagonal = 0] = [next[column], row[column + 1], row[column]];
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/**
 * The word that a misspelt one may be meant as: the nearest of those with two wrong letters at most, one if it is short. Upper and
 * lower case, `-`, `_` and blanks don't matter.
 */
export function nearest<T extends string>(written: string, known: readonly T[]): T | undefined {
  const word = plain(written);
  const [near] = known
    .map((name) => ({ name, far: distance(word, plain(name)) }))
    .filter(({ name, far }) => far <= (plain(name).length > 4 ? 2 : 1))
    .sort((one, other) => one.far - other.far);
  return near?.name;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[\s_-]/g, '');
}
