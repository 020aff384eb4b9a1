import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  code,
  exact,
  exactLine,
  nameCharacters,
  oneLine,
  prose,
  proseLine,
  quote,
  quoted,
  shownId,
  terminalProse,
  visible,
  visibleJson,
  visibleLines,
  wholeLine,
} from '../../../src/core/text.js';

const levels = {
  prose,
  proseLine,
  terminalProse,
  visible,
  visibleLines: (text: string) => visibleLines(text).join('\n'),
  wholeLine,
  oneLine: (text: string) => oneLine(text, Infinity),
  quoted: (text: string) => quoted(text, Infinity),
  quote,
  code: (text: string) => code(text, Infinity),
  exact,
  exactLine,
};
type Level = keyof typeof levels;

/** Unicode's own list (DerivedCoreProperties, 16.0), written out: the module asks the engine for it. */
const defaultIgnorable: readonly (readonly [number, number])[] = [
  ...[
    [0xad, 0xad],
    [0x34f, 0x34f],
    [0x61c, 0x61c],
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
    [0x180b, 0x180f],
  ],
  ...[
    [0x200b, 0x200f],
    [0x202a, 0x202e],
    [0x2060, 0x206f],
    [0x3164, 0x3164],
    [0xfe00, 0xfe0f],
    [0xfeff, 0xfeff],
  ],
  ...[
    [0xffa0, 0xffa0],
    [0xfff0, 0xfff8],
    [0x1bca0, 0x1bca3],
    [0x1d173, 0x1d17a],
    [0xe0000, 0xe0fff],
  ],
] as [number, number][];

function isUnseen(point: number): boolean {
  if (defaultIgnorable.some(([first, last]) => point >= first && point <= last)) return true;
  if ((point < 0x20 && point !== 0x0a) || (point >= 0x7f && point <= 0x9f)) return true;
  return (point >= 0xd800 && point <= 0xdfff) || point === 0x2028 || point === 0x2029 || point === 0x2800;
}

/** Half of a pair is no character of its own when it is read by code points. */
const unseenIn = (text: string) => Array.from(text, (one) => one.codePointAt(0) ?? 0).filter(isUnseen);
const hex = (points: readonly number[]) => points.map((point) => point.toString(16));

describe('text of others (27.10)', () => {
  it.each(Object.keys(levels) as Level[])('%s shows no character of Unicode that can’t be seen', (level) => {
    for (let first = 0; first <= 0x10ffff; first += 0x800) {
      const points = Array.from({ length: 0x800 }, (_, nth) => first + nth);
      // A tab is blank space and may stay so.
      const text = points.map((point) => (point === 9 ? '' : `a${String.fromCodePoint(point)}`)).join('');
      expect(hex(unseenIn(levels[level](text)))).toEqual([]);
    }
  });

  it.each(Object.keys(levels) as Level[])(
    '%s neither leaks nor throws, whatever stands side by side',
    (level) => {
      const odd = fc.constantFrom(
        ...['\u001b', '[', '31m', ']0;', '\u0007', '\u009b', '\r', '\u200b', '\u202e', '\u2066', '\u2069'],
        ...[
          '\u{e0041}',
          '\u{e0001}',
          '\u{e0100}',
          '\ufe0f',
          '\ud83d',
          '\udc69',
          '\u3164',
          '\u00ad',
          '\u2028',
        ],
      );
      const any = fc.string({ unit: fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 3 })) });
      fc.assert(
        fc.property(any, (text) => {
          const left = unseenIn(levels[level](text)).filter((point) => !joiners.has(point) && point !== 9);
          expect(hex(left)).toEqual([]);
        }),
      );
    },
  );

  it.each(Object.keys(levels).filter((level) => !['quoted', 'quote', 'code'].includes(level)) as Level[])(
    '%s leaves its own result as it is',
    (level) => {
      fc.assert(
        fc.property(fc.string({ unit: 'binary' }), (text) => {
          const once = levels[level](text);
          expect(levels[level](once)).toBe(once);
        }),
      );
    },
  );

  it.each([
    'é ü 字 हिन्दी עברית',
    'می‌خواهم کتاب‌ها',
    'क्‍ष and क्‌ष',
    'അവന്‍',
    '👩‍👩‍👧 ❤️ 🏳️‍🌈 1️⃣ 👍🏽 🇩🇪',
    '🏴󠁧󠁢󠁳󠁣󠁴󠁿',
    'آية ۝ ١',
  ])('%s stays readable in an answer and in a name', (text) => {
    expect(prose(text)).toBe(text);
    expect(visible(text)).toBe(text);
    expect(oneLine(text)).toBe(text);
  });

  it.each([
    ['a\u202eb\u2066c', 'a[U+202E]b[U+2066]c'],
    ['\u{e0041}\u{e0042}', '[U+E0041][U+E0042]'],
    ['x'.concat('\ufe01'.repeat(40)), 'x[U+FE01 × 40]'],
    ['🏴\u{e0067}\u{e0062}\u{e0041}\u{e007f}', '🏴[U+E0067][U+E0062][U+E0041][U+E007F]'],
    ['pay\u200dpal', 'pay[U+200D]pal'],
    ['کتاب\u200c\u200cها', 'کتاب[U+200C × 2]ها'],
  ])('what hides or turns around is named, in an answer too: %j', (text, shown) => {
    expect(prose(text)).toBe(shown);
    expect(visible(text)).toBe(shown);
  });

  it('what only steers a terminal or the setting of a text is dropped from an answer, and named elsewhere', () => {
    expect(prose('\u001b[31mred\u001b[0m \u001b]0;title\u0007x')).toBe('red x');
    expect(visible('\u001b[31mred')).toBe('␛[31mred');
    expect(prose('co\u00adop \u200fשלום\u200f a\u200bb')).toBe('coop שלום ab');
    expect(visible('a\u200bb')).toBe('a[U+200B]b');
  });

  it('what somebody is asked to allow has every character', () => {
    expect(exact('rm -rf\u00a0/')).toBe('rm -rf[U+00A0]/');
    expect(exact('👩‍👩‍👧')).toBe('👩[U+200D]👩[U+200D]👧');
    expect(exact('کتاب\u200cها')).toBe('کتاب[U+200C]ها');
    expect(exact(`e${'\u0301'.repeat(9)}`)).toBe('e\u0301\u0301\u0301[U+0301 × 6]');
    expect(exact('\ue000')).toBe('[U+E000]');
    expect(exact(`ls${' '.repeat(300)}; rm`)).toBe('ls… 300 spaces …; rm');
    expect(exactLine('a\nb')).toBe('a␊b');
  });

  it('two commands that differ are never shown as the same', () => {
    // Blank space, which a shell takes as such, and the brackets of our names are apart from this.
    const part = fc.constantFrom(
      'rm',
      ' x',
      '\u00a0',
      '\u200b',
      '\u200d',
      '\u202e',
      '👩',
      'ك',
      '\ufe0f',
      '\u{e0041}',
    );
    const command = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(command, command, (one, other) => {
        expect(exact(one) === exact(other)).toBe(one === other);
      }),
    );
  });

  it('thousands of characters without width are one part', () => {
    expect(nameCharacters(`a${'\u200b'.repeat(5000)}\u{e0041}\u{e0041}\u2800`)).toEqual([
      'a',
      { shown: 'U+200B × 5000', name: 'U+200B × 5000' },
      { shown: 'U+E0041 × 2', name: 'U+E0041 × 2' },
      { shown: 'U+2800', name: 'U+2800' },
    ]);
    expect(nameCharacters('\u001b[31m\r')).toEqual([
      { shown: '␛', name: 'U+001B' },
      '[31m',
      { shown: '␍', name: 'U+000D' },
    ]);
    expect(nameCharacters('')).toEqual([]);
    expect(nameCharacters('a\tb é 😀 字')).toEqual(['a\tb é 😀 字']);
  });

  it('the id of a session is quoted unless it is nothing but an id', () => {
    for (const id of ['0d5c2c7e-1111-4222-8333-444455556666', 'ses_3f2A', '20260101.1'])
      expect(shownId(id)).toBe(id);
    expect(shownId('x. Type your password\u001b[2J')).toBe('"x. Type your password␛[2J"');
    expect(shownId('a\u200b')).toBe('"a[U+200B]"');
    expect(shownId('')).toBe('""');
  });

  it('JSON keeps its meaning, and has what can’t be seen escaped', () => {
    expect(visibleJson(JSON.stringify('a\u202e\u{e0041}\u009b2J'))).toBe('"a\\u202e\\udb40\\udc41\\u009b2J"');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = visibleJson(JSON.stringify({ [text]: text }));
        expect(JSON.parse(json)).toEqual({ [text]: text });
        expect(hex(unseenIn(json).filter((point) => !joiners.has(point)))).toEqual([]);
      }),
    );
  });

  it('a name is quoted where a sentence would go on in it, and cut with an ellipsis', () => {
    expect(quoted('a" is not there.\nIt')).toBe('"a\\" is not there. It"');
    expect(oneLine('abcdef', 4)).toBe('abc…');
    expect(oneLine(`${' '.repeat(5000)}x`, 4)).toBe('x');
    expect(wholeLine(' a\n\tb ')).toBe('a b');
  });
});

/** Those that stay in emoji and between letters that they join. */
const joiners = new Set([0x200c, 0x200d, 0xfe0e, 0xfe0f]);
