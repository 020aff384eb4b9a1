import { widthOf } from '../../core/width.js';

/** Breaks a text at blanks, or at another separator. A word that is longer than a line has one of its own. */
export function wrapWords(text: string, width: number, separator = ' '): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(separator)) {
    const last = lines.at(-1);
    const joined = `${last}${separator}${word}`;
    // What separates stays at the end of the line, where it says that more follows.
    if (last !== undefined && widthOf(joined) + separator.trimEnd().length <= width)
      lines[lines.length - 1] = joined;
    else {
      if (last !== undefined) lines[lines.length - 1] = `${last}${separator.trimEnd()}`;
      lines.push(word);
    }
  }
  return lines;
}
