import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDiffRows } from '../../../../web/diff-rows.js';
import { changedParts } from '../../../../web/views/changed-parts.js';
import { createColouredRows, splitAt } from '../../../../web/views/coloured-rows.js';
import { lineNumberDigits, longestRow, pairRows } from '../../../../web/views/row-pairs.js';
import { cpuMs } from '../../../machine-speed.js';

const diff = `diff --git a/a.ts b/a.ts
index 1..2 100644
--- a/a.ts
+++ b/a.ts
@@ -1,4 +1,4 @@ function first()
 same
--- a removed line that looks like a heading
+++ an added one
 
-last
\\ No newline at end of file
+last!
@@ -98 +98,2 @@
-x
+y
+z
`;

describe('the rows of a diff', () => {
  it('loses no part whose heading holds other ends of lines (16.5)', () => {
    for (const end of ['\r', '\u2028', '\u2029'])
      expect(readDiffRows(`@@ -1 +1 @@ f${end}()\n-a\n+b\n`).map(({ kind }) => kind)).toEqual([
        'part',
        'removed',
        'added',
      ]);
  });

  it('have the numbers of both sides, and know a line from a heading (16.4)', () => {
    expect(readDiffRows(diff)).toEqual([
      { kind: 'part', text: 'function first()', oldLine: 1, newLine: 1 },
      { kind: 'same', text: 'same', oldLine: 1, newLine: 1 },
      { kind: 'removed', text: '-- a removed line that looks like a heading', oldLine: 2 },
      { kind: 'added', text: '++ an added one', newLine: 2 },
      { kind: 'same', text: '', oldLine: 3, newLine: 3 },
      { kind: 'removed', text: 'last', oldLine: 4, endsWithoutBreak: true },
      { kind: 'added', text: 'last!', newLine: 4 },
      { kind: 'part', text: '', oldLine: 98, newLine: 98 },
      { kind: 'removed', text: 'x', oldLine: 98 },
      { kind: 'added', text: 'y', newLine: 98 },
      { kind: 'added', text: 'z', newLine: 99 },
    ]);
    expect(lineNumberDigits(readDiffRows(diff))).toBe(2);
    expect(longestRow(readDiffRows(diff))).toBe(43);
    expect(longestRow(readDiffRows('@@ -1 +1 @@\n-\t字\n+ab'))).toBe(6);
    expect(longestRow(readDiffRows(`@@ -0,0 +1 @@\n+${'x'.repeat(1e6)}`))).toBe(0);
  });

  it('pair the lines that replace each other (16.4)', () => {
    expect([...pairRows(readDiffRows(diff))]).toEqual([
      [2, 3],
      [3, 2],
      [5, 6],
      [6, 5],
      [8, 9],
      [9, 8],
    ]);
  });

  it('come from any text, and are coloured without a throw (16.4)', () => {
    const line = fc.constantFrom(
      '@@ -1,2 +1,2 @@',
      '@@ -1 +0,0 @@',
      '+a',
      '-b',
      ' c',
      '\\ x',
      '',
      '@@',
      '\r',
    );
    fc.assert(
      fc.property(fc.array(line), (text) => {
        const rows = readDiffRows(text.join('\n'));
        const colour = createColouredRows('a.ts', rows);
        for (const [index, row] of rows.entries())
          if (row.kind !== 'part') expect(joined(colour(index))).toBe(row.text);
      }),
    );
  });

  it('are coloured whatever is asked for first, with comments that go on (16.4)', () => {
    const rows = readDiffRows('@@ -1,2 +1,3 @@\n /* a\n-b */ if\n+c\n+d */ if\n');
    const colour = createColouredRows('a.ts', rows);
    expect(colour(4).map(({ kind, text }) => [kind, text])).toEqual([
      ['comment', 'd */'],
      ['plain', ' '],
      ['keyword', 'if'],
    ]);
    expect(new Set(colour(3).map(({ kind }) => kind))).toEqual(new Set(['comment']));
    expect(colour(2).at(-1)).toMatchObject({ kind: 'keyword', text: 'if' });
    expect(colour(99)).toEqual([]);
    const apart = createColouredRows('a.ts', readDiffRows('@@ -1,2 +1,2 @@\n /* a\n+b */\n-if\n'));
    expect(apart(3)).toMatchObject([{ kind: 'comment', text: 'if' }]);
  });
});

describe('the changed parts of a line', () => {
  const marked = (before: string, after: string) => {
    const parts = changedParts(before, after);
    return (
      parts && [
        parts.before.map(([a, b]) => before.slice(a, b)),
        parts.after.map(([a, b]) => after.slice(a, b)),
      ]
    );
  };

  it('are the words that differ (16.4)', () => {
    expect(marked('const total = count + 1;', 'const total = count * 2;')).toEqual([['+ 1'], ['* 2']]);
    expect(marked('return run(a, b);', 'return run(a, b, c);')).toEqual([[], [', c']]);
    expect(marked('1 foo 2 bar 3', '7 8 foo 9 bar 4')).toEqual([
      ['1', '2', '3'],
      ['7 8 ', '9', '4'],
    ]);
    expect(marked('  x', 'x')).toEqual([['  '], []]);
  });

  it('are not told for lines that have little in common, or nothing to tell (16.4)', () => {
    expect(marked('import fs from "node:fs";', '}')).toBeUndefined();
    expect(marked('a', 'a')).toBeUndefined();
  });

  it('leave the same text on both sides, for any two lines (16.4)', () => {
    const line = fc.array(fc.constantFrom('a', 'bc', ' ', '  ', '(', '😀', 'é', '\t'), { maxLength: 30 });
    fc.assert(
      fc.property(line, line, (left, right) => {
        const before = left.join('');
        const after = right.join('');
        const parts = changedParts(before, after);
        if (parts === undefined) return;
        // White space between two changed words counts as changed on one side only.
        expect(without(before, parts.before).replace(/\s/g, '')).toBe(
          without(after, parts.after).replace(/\s/g, ''),
        );
      }),
    );
  });

  it('do not take long for long lines (16.4)', () => {
    const before = 'a b '.repeat(250_000);
    const began = cpuMs();
    changedParts(before, `${before}c`);
    changedParts('a b '.repeat(900), 'c d '.repeat(900));
    expect(cpuMs() - began).toBeLessThan(2_000);
  });

  it('cut tokens at their borders and lose nothing (16.4)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 5 })),
        fc.uniqueArray(fc.nat(30), { maxLength: 8 }),
        (texts, borders) => {
          const text = texts.join('');
          const sorted = borders.map((border) => Math.min(border, text.length)).sort((a, b) => a - b);
          const ranges: [number, number][] = [];
          for (let at = 0; at + 1 < sorted.length; at += 2)
            if ((sorted[at] ?? 0) < (sorted[at + 1] ?? 0))
              ranges.push([sorted[at] ?? 0, sorted[at + 1] ?? 0]);
          const pieces = splitAt(
            texts.map((one) => ({ kind: 'plain', text: one })),
            ranges,
          );
          expect(joined(pieces)).toBe(text);
          expect(joined(pieces.filter(({ changed }) => changed))).toBe(
            ranges.map(([from, to]) => text.slice(from, to)).join(''),
          );
        },
      ),
    );
  });
});

function joined(pieces: readonly { readonly text: string }[]): string {
  return pieces.map(({ text }) => text).join('');
}

function without(text: string, ranges: readonly (readonly [number, number])[]): string {
  return ranges.reduceRight((rest, [from, to]) => rest.slice(0, from) + rest.slice(to), text);
}
