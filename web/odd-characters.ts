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
  for (const { 0: run, index } of text.matchAll(oddRun)) {
    if (index > from) parts.push(text.slice(from, index));
    parts.push(describe(run));
    from = index + run.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

const set =
  // Controls, and the marks of direction and joining.
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb' +
  // Letters that are blank: of Hangul, Khmer, Mongolian and braille.
  '\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2800\\u3164\\uffa0' +
  // Variants (but for the one of emoji), tags, and halves of characters.
  '\\ufe00-\\ufe0e\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}\\ud800-\\udfff';
/** The same one again and again is one part: thousands of them are no thousand elements. */
const oddRun = new RegExp(`([${set}])\\1*`, 'gu');

function describe(run: string): OddCharacter {
  const code = run.codePointAt(0) ?? 0;
  const count = run.length / String.fromCodePoint(code).length;
  const times = count === 1 ? '' : ` × ${count}`;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  if (code === 0x0d) return { shown: `␍${times}`, name: `carriage return${times}` };
  return { shown: (code < 0x20 ? String.fromCodePoint(0x2400 + code) : name) + times, name: name + times };
}
