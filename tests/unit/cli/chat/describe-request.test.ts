import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestRows } from '../../../../src/cli/chat/state/describe-request.js';
import { textOf } from '../../../../src/cli/chat/text/styled-line.js';
import { widthOf } from '../../../../src/core/width.js';

describe('what is asked in the chat can’t be disguised (18.1)', () => {
  it.each([
    ['ls \u001b]; touch PWNED', ['$ ls ␛]; touch PWNED']],
    ['ls \u001b]0;touch PWNED;\u0007 ; true', ['$ ls ␛]0;touch PWNED;␇ ; true']],
    ['ls \u009b; touch PWNED', ['$ ls [U+009B]; touch PWNED']],
    ['echo SAFE\rrm -rf ~', ['$ echo SAFE␍rm -rf ~']],
    ['a\u202eb\u3164\u{e0041}\u2800', ['$ a[U+202E]b[U+3164][U+E0041][U+2800]']],
    [`ls${'\n'.repeat(37)}rm`, ['$ ls', '  … 36 empty lines …', '  rm']],
    [`ls${' '.repeat(3000)}; rm`, ['$ ls… 3000 spaces …; rm']],
    ['ls\n→ denied\n? Read needs your permission', ['$ ls', '  → denied', '  ? Read needs your permission']],
    [
      'git commit -m "👨‍👩‍👧 ❤️ می‌خواهم"',
      ['$ git commit -m "👨[U+200D]👩[U+200D]👧 ❤[U+FE0F] می[U+200C]خواهم"'],
    ],
  ])('the command %j', (command, rows) => {
    expect(shown('Bash', { command })).toEqual([
      '? Bash needs your permission',
      ...rows.map((row) => `│ ${row}`),
    ]);
  });

  it('a path with line breaks and escapes is one row', () => {
    const [, path] = shown('Write', {
      file_path: 'README.md\u001b]/../.git/hooks/pre-commit\n+x',
      content: 'a',
    });
    expect(path).toBe('│ README.md␛]/../.git/hooks/pre-commit␊+x');
  });

  it('lines of a file that look like the head of a diff are shown', () => {
    const content = '++ b/evil\n-- a/evil\n';
    expect(shown('Write', { file_path: 'a', content })).toContain('│ +++ b/evil');
    expect(shown('Edit', { file_path: 'a', old_string: content, new_string: '' })).toContain('│ --- a/evil');
    const diff = `--- a/x\n+++ b/x\n@@ -0,0 +1,9 @@\n${'+\n'.repeat(9)}\u001b[2J`;
    expect(shown('edit', { filePath: 'x', diff })).toEqual([
      '? edit needs your permission',
      ...['x', '@@ -0,0 +1,9 @@', '+… 9 empty lines …', '␛[2J'].map((row) => `│ ${row}`),
    ]);
  });

  it('the name of a tool is one line', () => {
    expect(shown('Bash\n\n\rRead', {})).toEqual(['? Bash␊␊␍Read needs your permission']);
  });

  const nasty = fc.string({
    maxLength: 120,
    unit: fc.oneof(
      fc.constantFrom('a', ' ', '\n', '\t', '\u001b', ']', '[', '\u0007', '\u202e', '\u200b', '\u3164', '+'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
  });

  it('every character that can be seen is there in its order, and none that can’t', () => {
    const tools = fc.constantFrom(
      (text: string) => ['Bash', { command: text }] as const,
      (text: string) => ['Write', { file_path: text, content: text }] as const,
      (text: string) => ['mcp__x__y', { [text]: text, more: { text } }] as const,
      (text: string) => [text, text] as const,
    );
    fc.assert(
      fc.property(nasty, tools, (text, asked) => {
        const [tool, input] = asked(text);
        const all = shown(tool, input);
        for (const row of all) {
          expect(row).not.toMatch(hidden);
          expect(row).toMatch(/^[?│ ]/);
        }
        const seen = all.map((row) => row.replace(/^│ /, '')).join('');
        expect(isWithin(text.replaceAll(hidden, '').replaceAll(/\s/g, ''), seen)).toBe(true);
      }),
    );
  });

  it('and no row is wider than the window', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 20, max: 80 }), (command, width) => {
        for (const row of shown('Bash', { command }, width)) expect(widthOf(row)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

/** Told here in other words than in the code: what has no picture of its own, or no own meaning. */
const hidden =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|\u115f|\u1160|\u2800|\u3164|\uffa0|\u034f|\u{1d159}|\u{16fe4}|[\ufe00-\ufe0f\u180b-\u180f]|[\u{e0000}-\u{e0fff}]/gu;

function isWithin(wanted: string, text: string): boolean {
  let at = 0;
  for (const character of text) if (wanted.startsWith(character, at)) at += character.length;
  return at >= wanted.length;
}

function shown(tool: string, input: unknown, width = 10_000): readonly string[] {
  const { title, rows } = requestRows(
    { type: 'permission_request', id: 'q', tool, input, options: ['allow', 'deny'] },
    width,
    '/w',
  );
  return [...title, ...rows].map(textOf);
}
