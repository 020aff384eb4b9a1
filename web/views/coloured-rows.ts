import type { DiffRow } from '../diff-rows.js';
import { changedParts, type Range } from './changed-parts.js';
import { languageOf } from './languages.js';
import { pairRows } from './row-pairs.js';
import { type OpenToken, type Token, type TokenKind, tokenize } from './tokenize.js';

/** A piece of a line that looks the same all over. */
export interface Piece {
  readonly kind: TokenKind;
  readonly text: string;
  /** True if this is what differs from the line that it replaces. */
  readonly changed: boolean;
}

/**
 * The pieces of each row of a file's diff. Rows are coloured when they are asked for, from the first to that one, because a
 * comment may have begun before; so a huge diff costs only what is shown of it.
 */
export function createColouredRows(
  path: string,
  rows: readonly DiffRow[],
): (index: number) => readonly Piece[] {
  const language = languageOf(path);
  const pairs = pairRows(rows);
  const tokens: (readonly Token[])[] = [];
  let openInOld: OpenToken | undefined;
  let openInNew: OpenToken | undefined;

  const tokensOfNext = (row: DiffRow): readonly Token[] => {
    if (row.kind === 'part') {
      openInOld = undefined;
      openInNew = undefined;
      return [];
    }
    if (language === undefined) return [{ kind: 'plain', text: row.text }];
    const line = tokenize(row.text, language, row.kind === 'removed' ? openInOld : openInNew);
    if (row.kind !== 'added') openInOld = line.open;
    if (row.kind !== 'removed') openInNew = line.open;
    return line.tokens;
  };

  return (index) => {
    for (let at = tokens.length; at <= index; at++) {
      const row = rows[at];
      if (row === undefined) return [];
      tokens.push(tokensOfNext(row));
    }
    return splitAt(tokens[index] ?? [], changedIn(rows, index, pairs));
  };
}

function changedIn(rows: readonly DiffRow[], index: number, pairs: ReadonlyMap<number, number>) {
  const partner = pairs.get(index);
  const row = rows[index];
  const other = partner === undefined ? undefined : rows[partner];
  if (row === undefined || other === undefined) return [];
  return row.kind === 'removed'
    ? (changedParts(row.text, other.text)?.before ?? [])
    : (changedParts(other.text, row.text)?.after ?? []);
}

/** Cuts tokens at the borders of the changed ranges. */
export function splitAt(tokens: readonly Token[], ranges: readonly Range[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let position = 0;
  let nth = 0;
  for (const { kind, text } of tokens) {
    const end = position + text.length;
    while (position < end) {
      while (nth < ranges.length && (ranges[nth]?.[1] ?? 0) <= position) nth++;
      const [from, to] = ranges[nth] ?? [end, end];
      const changed = from <= position;
      const stop = Math.min(end, changed ? to : from);
      pieces.push({
        kind,
        text: text.slice(text.length - (end - position), text.length - (end - stop)),
        changed,
      });
      position = stop;
    }
  }
  return pieces;
}
