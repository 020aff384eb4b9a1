/**
 * Prose of somebody else without anything that could steer a terminal: whole escape sequences go, so that no `[31m` is left of
 * them; other control characters, and those that turn the writing direction, go alone. Line breaks stay. What somebody is to
 * decide on is not prose: `wholeLines` leaves nothing of it out.
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
/**
 * Commands for the terminal, and texts for it (its title, a link) that have their end in the same line: one that has none
 * would take the rest of the line with it.
 */
const escapeSequences = new RegExp(
  `(?:${esc}\\[|\u009b)[0-?]{0,32}[ -/]{0,4}[@-~]|${esc}[\\]PX^_][^${bell}${esc}\n]{0,2000}(?:${bell}|${esc}\\\\)`,
  'g',
);
const lineSeparators = /[\u2028\u2029]/g;
/** Control characters, those that can't be seen or turn the direction, and halves of surrogate pairs. */
const unwanted = /(?!\n)[\p{Cc}\p{Cs}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu;
