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
  if (!anyOdd.test(text)) return text === '' ? [] : [text];
  return text
    .split(oneOdd)
    .filter((part) => part !== '')
    .map((part) => (oneOddAlone.test(part) ? describe(part) : part));
}

const set =
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\u{e0000}-\\u{e007f}';
const anyOdd = new RegExp(`[${set}]`, 'u');
const oneOdd = new RegExp(`([${set}])`, 'u');
const oneOddAlone = new RegExp(`^[${set}]$`, 'u');

function describe(character: string): OddCharacter {
  const code = character.codePointAt(0) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  if (character === '\r') return { shown: '␍', name: 'carriage return' };
  return { shown: code < 0x20 ? String.fromCodePoint(0x2400 + code) : name, name };
}
