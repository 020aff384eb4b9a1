import { stripVTControlCharacters } from 'node:util';

/** The text as one line that can't steer a terminal: model output is anybody's. */
export function plainLine(text: string): string {
  // A long text is cut first: only as much of it is shown as fits into a row.
  const line = stripVTControlCharacters(text.slice(0, longest)).replaceAll(whiteSpace, ' ');
  return line.replaceAll(steering, '').trim();
}

/** The number of columns that a text takes in a terminal; rather one too many than one too few. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += columnsOfCharacter(character);
  return columns;
}

/**
 * Cuts a text to so many columns, and keeps its beginning or its end. What belongs together, such as a letter and its accents,
 * stays together.
 */
export function cutToColumns(text: string, columns: number, keep: 'beginning' | 'end' = 'beginning'): string {
  if (columnsOf(text) <= columns) return text;
  if (columns < 1) return '';
  const segments = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  if (keep === 'end') segments.reverse();
  const kept: string[] = [];
  let used = 1;
  for (const segment of segments) {
    used += columnsOf(segment);
    if (used > columns) break;
    kept.push(segment);
  }
  return keep === 'end' ? `…${kept.reverse().join('').trimStart()}` : `${kept.join('').trimEnd()}…`;
}

function columnsOfCharacter(character: string): number {
  if (character < '\u0300') return 1;
  if (noColumn.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

const longest = 20_000;
const whiteSpace = /[\s\u0085]+/g;
/** Control characters, and marks that turn the direction of the text behind them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const steering = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
const noColumn = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** The scripts of East Asia, full-width forms, and pictures. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1b000}-\u{1b2ff}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
