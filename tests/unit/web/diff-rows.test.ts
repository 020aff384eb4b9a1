import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareTexts, partInWords, readDiffRows } from '../../../web/diff-rows.js';

const shown = (diff: string) =>
  readDiffRows(diff).map((row) => (row.kind === 'part' ? partInWords(row) : `${row.kind} ${row.text}`));

describe('the rows of any diff', () => {
  it('are its lines without its file names (16.4)', () => {
    const diff = '--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\\ No newline at end of file\n';
    expect(readDiffRows(diff)).toEqual([
      { kind: 'part', text: '', oldLine: 1, newLine: 1 },
      { kind: 'same', text: 'one', oldLine: 1, newLine: 1 },
      { kind: 'removed', text: 'two', oldLine: 2 },
      { kind: 'added', text: '2', newLine: 2 },
      { kind: 'same', text: 'three', oldLine: 3, newLine: 3, endsWithoutBreak: true },
    ]);
  });

  it('hide no changed line that looks like a file name (16.5)', () => {
    expect(shown('--- a/x\n+++ b/x\n@@ -1 +1,2 @@ f()\n--- rm -rf /\n+++ evil\n+more\n')).toEqual([
      'Line 1 · f()',
      'removed -- rm -rf /',
      'added ++ evil',
      'added more',
    ]);
    expect(shown('@@ -1 +1 @@\n-a\n+b\n--- c\nindex d\n')).toEqual([
      'Line 1',
      'removed a',
      'added b',
      'removed -- c',
      'same index d',
    ]);
    expect(shown('--- a\n+++ b\n')).toEqual(['removed -- a', 'added ++ b']);
    expect(shown('diff --git a/x b/x\nnew file mode 100644\nindex 1..2\n')).toEqual([]);
    // One more than the heading has told, while the other side is not at its end.
    expect(shown('@@ -1,2 +1 @@\n+a\n+++ b\n-c\n')).toEqual(['Line 1', 'added a', 'added ++ b', 'removed c']);
  });

  it('have no numbers where the diff tells none (16.4)', () => {
    expect(readDiffRows('@@ class A\n+a\n-b\n c\n')).toEqual([
      { kind: 'part', text: 'class A' },
      { kind: 'added', text: 'a' },
      { kind: 'removed', text: 'b' },
      { kind: 'same', text: 'c' },
    ]);
    expect(readDiffRows('@@ -1 +1 @@\n-a\n+b\n+c\n').at(-1)).toEqual({ kind: 'added', text: 'c' });
    expect(partInWords({ kind: 'part', text: '' })).toBe('');
    expect(readDiffRows('')).toEqual([]);
  });

  it('end at a line break only, and lose no number by another end of a line (16.5)', () => {
    for (const end of ['\r', '\u2028', '\u2029']) {
      const text = `b${end}@@ -1 +1 @@${end}-c`;
      expect(readDiffRows(`--- a/x\n+++ b/x\n@@ -1 +1 @@ f${end}()\n-a\n+${text}\n`)).toEqual([
        { kind: 'part', text: `f${end}()`, oldLine: 1, newLine: 1 },
        { kind: 'removed', text: 'a', oldLine: 1 },
        { kind: 'added', text, newLine: 1 },
      ]);
    }
  });

  it('hide no line behind numbers that are wrong or left out (16.5)', () => {
    for (const heading of ['@@', '@@ -1,0 +1,0 @@', '@@ a function'])
      expect(shown(`--- a/x\n+++ b/x\n${heading}\n--- b\n+++ evil\n`).slice(1)).toEqual([
        'removed -- b',
        'added ++ evil',
      ]);
  });

  it('have the notes that stand in front of the names (16.5)', () => {
    expect(shown('\\ The file is deleted\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n')).toEqual([
      'note The file is deleted',
      'Line 1',
      'removed a',
    ]);
  });

  it('are all lines of any text (16.5)', () => {
    const line = fc.constantFrom(
      '+a',
      '-b',
      ' c',
      'd',
      '',
      '@@ -1 +1 @@',
      '@@ -1,3 +0,0 @@',
      '@@',
      '\\ x',
      '\r',
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.length === 0 ? '' : `${lines.join('\n')}\n`;
        expect(readDiffRows(text)).toHaveLength(lines.length);
      }),
    );
  });

  it('finds what changed between two texts (16.4)', () => {
    expect(compareTexts('a\nb\nc\n', 'a\nB\nc\n').map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'same a',
      'removed b',
      'added B',
      'same c',
    ]);
    expect(compareTexts('', 'a\nb').map(({ kind }) => kind)).toEqual(['added', 'added']);
    expect(compareTexts('a', '')).toEqual([{ kind: 'removed', text: 'a' }]);
    expect(compareTexts('a\na\n', 'a\n').map(({ kind }) => kind)).toEqual(['same', 'removed']);
  });
});
