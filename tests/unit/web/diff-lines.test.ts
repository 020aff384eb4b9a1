import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareTexts, parseDiff } from '../../../web/diff-lines.js';

describe('the lines of a diff', () => {
  it('reads a unified diff without its file names (16.4)', () => {
    const diff = '--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\\ No newline at end of file\n';
    expect(parseDiff(diff)).toEqual([
      { type: 'place', text: '@@ -1,3 +1,3 @@' },
      { type: 'context', text: 'one' },
      { type: 'removed', text: 'two' },
      { type: 'added', text: '2' },
      { type: 'context', text: 'three' },
      { type: 'note', text: 'No newline at end of file' },
    ]);
  });

  it('hides no changed line that looks like a file name (16.5)', () => {
    const lines = parseDiff('--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n--- rm -rf /\n+++ evil\n+more\n');
    expect(lines.map(({ type, text }) => `${type} ${text}`)).toEqual([
      'place @@ -1 +1,2 @@',
      'removed -- rm -rf /',
      'added ++ evil',
      'added more',
    ]);
  });

  it('hides no such line behind numbers that are wrong or left out (16.5)', () => {
    for (const heading of ['@@', '@@ -1,0 +1,0 @@', '@@ a function']) {
      const lines = parseDiff(`--- a/x\n+++ b/x\n${heading}\n--- b\n+++ evil\n`);
      expect(lines.map(({ text }) => text)).toEqual([heading, '-- b', '++ evil']);
    }
  });

  it('ends a line at a line break only (16.5)', () => {
    for (const end of ['\r', '\u2028', '\u2029']) {
      const lines = parseDiff(`--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b${end}@@ -1 +1 @@${end}-c\n`);
      expect(lines.map(({ type }) => type)).toEqual(['place', 'removed', 'added']);
    }
  });

  it('shows every line of any text (16.5)', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('+a', '-b', ' c', 'd', '', '@@ -1 +1 @@', '\\ x')), (lines) => {
        const text = lines.length === 0 ? '' : `${lines.join('\n')}\n`;
        expect(parseDiff(text)).toHaveLength(lines.length);
      }),
    );
  });

  it('finds what changed between two texts (16.4)', () => {
    expect(compareTexts('a\nb\nc\n', 'a\nB\nc\n').map(({ type, text }) => `${type} ${text}`)).toEqual([
      'context a',
      'removed b',
      'added B',
      'context c',
    ]);
    expect(compareTexts('', 'a\nb').map(({ type }) => type)).toEqual(['added', 'added']);
    expect(compareTexts('a', '')).toEqual([{ type: 'removed', text: 'a' }]);
    expect(compareTexts('a\na\n', 'a\n').map(({ type }) => type)).toEqual(['context', 'removed']);
  });
});
