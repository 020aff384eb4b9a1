/**
 * A text of somebody else without anything that could steer a terminal: escape sequences go as a whole, so that no `[31m` is
 * left of them; other control characters, and those that turn the writing direction, go alone. Line breaks stay.
 */
export function harmless(text: string): string {
  return text
    .replaceAll(escapeSequences, '')
    .replaceAll('\t', '    ')
    .replaceAll(lineSeparators, ' ')
    .replaceAll(unwanted, '');
}

/** The same in one line: line breaks and rows of blanks become one blank. */
export function harmlessLine(text: string): string {
  return harmless(text).replaceAll(/\s+/g, ' ').trim();
}

const [esc, bell] = ['\u001b', '\u0007'];
/** Commands for the terminal, and texts for it (its title, a link), with what ends them. */
const escapeSequences = new RegExp(
  `(?:${esc}\\[|\u009b)[0-?]*[ -/]*[@-~]|${esc}[\\]PX^_][^${bell}${esc}\n]*(?:${bell}|${esc}\\\\)?`,
  'g',
);
const lineSeparators = /[\u2028\u2029]/g;
/** Control characters, those that can't be seen or turn the direction, and halves of surrogate pairs. */
const unwanted = /(?!\n)[\p{Cc}\p{Cs}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu;
