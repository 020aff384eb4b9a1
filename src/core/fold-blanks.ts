/** Blank space that is not shown, in words. */
export interface Fold {
  readonly fold: string;
}

/** So many empty lines in a row are shown as they are. */
export const mostEmptyLines = 3;

/**
 * Takes long stretches of blank space out of a text: three hundred empty lines would push what comes behind them out of sight,
 * and a text would look as if it had ended.
 */
export function foldBlanks(text: string): readonly (string | Fold)[] {
  const parts: (string | Fold)[] = [];
  let shown = '';
  const fold = (what: Fold) => {
    if (shown !== '') parts.push(shown);
    parts.push(what);
    shown = '';
  };
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const empty = emptyFrom(lines, at);
    if (at > 0) shown += '\n';
    if (empty > mostEmptyLines) {
      fold(emptyLines(empty));
      at += empty - 1;
      continue;
    }
    for (const piece of (lines[at] ?? '').split(longBlank)) {
      if (piece.length < mostSpaces || piece.trim() !== '') shown += piece;
      else fold({ fold: `${piece.length} spaces` });
    }
  }
  if (shown !== '') parts.push(shown);
  return parts;
}

export function isEmptyLine(line: string): boolean {
  return line.trim() === '';
}

export function emptyLines(count: number): Fold {
  return { fold: `${count} empty lines` };
}

const mostSpaces = 40;
const longBlank = new RegExp(`(\\s{${mostSpaces},})`);

/** The number of empty lines from this one on. */
function emptyFrom(lines: readonly string[], at: number): number {
  let end = at;
  while (end < lines.length && isEmptyLine(lines[end] ?? '')) end += 1;
  return end - at;
}
