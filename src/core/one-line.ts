/** Characters that break a line, move the cursor or turn the writing direction would make a text say something else. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\s]+/gu;

/** The beginning of a text in one line of at most `max` characters. What is left out is told by an ellipsis. */
export function oneLine(text: string, max: number): string {
  // A long row of spaces must not hide what comes behind it.
  const begin = text.trimStart().slice(0, 20 * max);
  const line = begin.replace(unprintable, ' ').trim();
  if (line.length <= max && begin.length < 20 * max) return line;
  return `${line.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
