import type { FrontMatterProblem } from './front-matter.js';

/**
 * True for problems that forbid a turn: a mistake in tools, permissions or directory would allow more than was meant, or
 * work in another place. A wrong backend, model or queue mode does no such harm.
 */
export function concernsRestriction({ key }: FrontMatterProblem): boolean {
  if (key === undefined || key === 'cwd') return true;
  const letters = key.toLowerCase().replaceAll(/[^a-z]/g, '');
  // A misspelt key is an unknown one: a key that is close to a restriction was meant for it.
  if (/tool|perm/.test(letters)) return true;
  return distance(letters, 'tools') <= 1 || distance(letters, 'permissionmode') <= 3;
}

/** The number of letters to put in, take out or replace to make one word of the other. */
function distance(from: string, to: string): number {
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
