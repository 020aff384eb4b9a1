/** The columns that a text takes in a terminal. Where terminals differ, the most that one of them takes. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  return graphemes(text).reduce((sum, piece) => sum + graphemeWidth(piece), 0);
}

/** The characters as a person sees them: an emoji of several code points is one. */
export function graphemes(text: string): readonly string[] {
  if (isPlain(text)) return text.split('');
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * The columns of one grapheme. An emoji that is joined of several is drawn as one by some terminals and as all its parts by
 * others: the sum is counted, since a line that is wider than it was thought to be would break in two.
 */
export function graphemeWidth(piece: string): number {
  if (piece.length === 1 && piece >= ' ' && piece <= '~') return 1;
  let width = 0;
  for (const character of piece) width += characterWidth(character);
  return piece.includes(emojiStyle) ? Math.max(2, width) : width;
}

/**
 * Cuts a text to so many columns, and keeps its beginning or its end. What belongs together, such as a letter and its accents,
 * stays together.
 */
export function cutToColumns(text: string, columns: number, keep: 'beginning' | 'end' = 'beginning'): string {
  if (widthOf(text) <= columns) return text;
  if (columns < 1) return '';
  const pieces = keep === 'end' ? graphemes(text).toReversed() : graphemes(text);
  const kept: string[] = [];
  let used = 1;
  for (const piece of pieces) {
    used += graphemeWidth(piece);
    if (used > columns) break;
    kept.push(piece);
  }
  return keep === 'end' ? `…${kept.reverse().join('').trimStart()}` : `${kept.join('').trimEnd()}…`;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const emojiStyle = '\ufe0f';

function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

function characterWidth(character: string): number {
  if (takesNoRoom.test(character)) return 0;
  const code = character.codePointAt(0) ?? 0;
  return isWide(code) || emoji.test(character) ? 2 : 1;
}

const takesNoRoom = /^(?:[\p{Mn}\p{Me}\p{Cf}\p{Cc}]|[\u1160-\u11ff])$/u;
const emoji = /^\p{Emoji_Presentation}$/u;

/** First and last code points of what Unicode calls wide or full-width, beside emoji. */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
];

export function isWide(code: number): boolean {
  return code >= 0x1100 && wide.some(([first, last]) => code >= first && code <= last);
}
