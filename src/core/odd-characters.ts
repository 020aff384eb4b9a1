/** A character that can't be seen, or that turns the order of others around, by a name that can. */
export interface OddCharacter {
  readonly shown: string;
  readonly name: string;
}

/**
 * Takes the characters out of a line with which code can be made to look like other code: marks of writing direction, spaces
 * without width, control characters. A reviewer has to see them. The carriage return of a Windows line end is one of them.
 */
export function splitAtOddCharacters(text: string): readonly (string | OddCharacter)[] {
  const parts: (string | OddCharacter)[] = [];
  let from = 0;
  for (const { 0: run, index } of text.matchAll(oddRuns())) {
    if (index > from) parts.push(text.slice(from, index));
    parts.push(describe(run));
    from = index + run.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** The text with such characters by name: none of them reaches a terminal, and none of them vanishes. */
export function visible(text: string): string {
  if (/^[\n\t -~]*$/.test(text)) return text;
  return splitAtOddCharacters(text)
    .map((part) => {
      if (typeof part === 'string') return part;
      return part.shown.length === 1 ? part.shown : `[${part.shown}]`;
    })
    .join('');
}

/** Controls, marks of format, halves of characters, all that Unicode lets a font leave out, and the blank letter of braille. */
const odd = '[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]';
const picture = '\\p{Extended_Pictographic}';
/** Line breaks and tabs; what makes one emoji of several; what joins and parts letters that are neither small nor capital ones. */
const usual = [
  '[\\t\\n]',
  `(?<=${picture})\\ufe0f|(?<=[0-9#*])\\ufe0f(?=\\u20e3)`,
  `(?<=(?:${picture}|\\p{Emoji_Modifier})\\ufe0f?)\\u200d(?=${picture})`,
  '(?<=[\\p{Lo}\\p{M}])[\\u200c\\u200d](?=\\p{Lo})',
].join('|');

/**
 * The same one again and again is one part: thousands of them are no thousand elements. It is made when it is needed first:
 * that takes a millisecond, which a short `run` does not have to spend.
 */
function oddRuns(): RegExp {
  oddRun ??= new RegExp(`(?!${usual})(${odd})\\1*`, 'gu');
  return oddRun;
}

let oddRun: RegExp | undefined;

function describe(run: string): OddCharacter {
  const code = run.codePointAt(0) ?? 0;
  const count = run.length / String.fromCodePoint(code).length;
  const times = count === 1 ? '' : ` × ${count}`;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const sign = code < 0x20 ? String.fromCodePoint(0x2400 + code) : name;
  return { shown: sign + times, name: name + times };
}
