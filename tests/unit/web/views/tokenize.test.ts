import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languageOf } from '../../../../web/views/languages.js';
import { type OpenToken, tokenize } from '../../../../web/views/tokenize.js';

function coloured(path: string, line: string, open?: OpenToken) {
  const language = languageOf(path);
  if (language === undefined) throw new Error(`no language for ${path}`);
  return tokenize(line, language, open)
    .tokens.filter(({ kind }) => kind !== 'plain')
    .map(({ kind, text }) => `${kind}: ${text}`);
}

describe('the colours of code', () => {
  it.each([
    [
      'a.ts',
      "const a = 'it\\'s' + 0x1f; // 'no'",
      ['keyword: const', "string: 'it\\'s'", 'number: 0x1f', "comment: // 'no'"],
    ],
    ['src/a.tsx', 'return /* if */ `a', ['keyword: return', 'comment: /* if */', 'string: `a']],
    ['a.py', 'x = """a # b', ['string: """a # b']],
    ['a.py', 'if x: # why', ['keyword: if', 'comment: # why']],
    ['a.sh', 'echo $# "a#b"', ['keyword: echo', 'string: "a#b"']],
    ['a.rs', "fn f<'a>(x: &'a str)", ['keyword: fn', 'keyword: str']],
    ['a.sql', "SELECT 'x' -- y", ['keyword: SELECT', "string: 'x'", 'comment: -- y']],
    ['a.yaml', 'on: http://x/#y # z', ['keyword: on', 'comment: # z']],
    ['Dockerfile', 'FROM node', ['keyword: FROM']],
    ['README.md', "don't <!-- x", ['comment: <!-- x']],
  ])('%s: %s (16.4)', (path, line, expected) => {
    expect(coloured(path, line)).toEqual(expected);
  });

  it('go on in the next line where a comment or a string does (16.4)', () => {
    const language = languageOf('a.ts');
    if (language === undefined) throw new Error('no language');
    const first = tokenize('let a = 1; /* b', language);
    expect(first.open).toEqual({ kind: 'comment', close: '*/' });
    expect(coloured('a.ts', 'c */ if', first.open)).toEqual(['comment: c */', 'keyword: if']);
    expect(tokenize('', language, first.open).open).toEqual(first.open);
    expect(tokenize('"not ended', language).open).toBeUndefined();
  });

  it('are missing for unknown files and for lines nobody reads (16.4)', () => {
    expect(languageOf('a.unknown')).toBeUndefined();
    expect(languageOf('constructor')).toBeUndefined();
    expect(coloured('a.ts', 'if '.repeat(1_000))).toEqual([]);
  });

  it('lose no character of any line in any language (16.4)', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '"',
        "'",
        '`',
        '\\',
        '//',
        '/*',
        '*/',
        '#',
        '--',
        '<!--',
        '-->',
        '"""',
        'if',
        '1e3',
        ' ',
      ),
      fc.constantFrom('é', '😀', '\ud800', '\t', 'x', '§'),
    );
    const path = fc.constantFrom(
      'a.ts',
      'a.c',
      'a.go',
      'a.rs',
      'a.py',
      'a.sh',
      'a.yml',
      'a.json',
      'a.css',
      'a.md',
      'a.sql',
    );
    const open = fc.constantFrom<OpenToken | undefined>(
      undefined,
      { kind: 'comment', close: '*/' },
      { kind: 'string', close: '`' },
    );
    fc.assert(
      fc.property(path, fc.array(piece), open, (name, pieces, before) => {
        const language = languageOf(name);
        if (language === undefined) throw new Error('no language');
        const line = pieces.join('');
        expect(
          tokenize(line, language, before)
            .tokens.map(({ text }) => text)
            .join(''),
        ).toBe(line);
      }),
    );
  });
});
