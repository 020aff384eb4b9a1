import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutDiff, unifiedDiff } from '../../../src/core/line-diff.js';

const names = { before: 'x', after: 'x' };
const diff = (before: string, after: string) => unifiedDiff(before, after, names);

describe('a unified diff', () => {
  it('shows a change with three lines around it (16.4)', () => {
    const lines = Array.from({ length: 12 }, (_, i) => `line ${i + 1}\n`);
    const changed = lines.with(5, 'another\n');
    expect(diff(lines.join(''), changed.join(''))).toBe(
      `--- a/x\n+++ b/x\n@@ -3,7 +3,7 @@\n line 3\n line 4\n line 5\n-line 6\n+another\n line 7\n line 8\n line 9\n`,
    );
  });

  it('is empty for the same text, and has no old side for a new file (16.4)', () => {
    expect(diff('a\n', 'a\n')).toBe('');
    expect(unifiedDiff('', 'a\n', { after: 'x' })).toBe('--- /dev/null\n+++ b/x\n@@ -0,0 +1,1 @@\n+a\n');
    expect(unifiedDiff('a', '', { before: 'x' })).toBe(
      '--- a/x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n\\ No newline at end of file\n',
    );
  });

  it('can be applied: the result is the new text, whatever the texts are (16.4)', () => {
    const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd\r\n', '-x\n', '@@\n');
    const text = fc
      .tuple(fc.array(line, { maxLength: 40 }), fc.constantFrom('', 'end', '\\'))
      .map(([lines, end]) => lines.join('') + end);
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(apply(before, diff(before, after))).toBe(after);
      }),
      { numRuns: 300 },
    );
  });

  it('is as short as it can be (16.4)', () => {
    const before = 'a\nb\nc\na\nb\nb\na\n';
    const after = 'c\nb\na\nb\na\nc\n';
    const changes = diff(before, after)
      .split('\n')
      .slice(3)
      .filter((line) => /^[-+]/.test(line));
    expect(changes).toHaveLength(5);
  });

  it('takes a moment for texts that have nothing, or everything, in common (16.4)', () => {
    const many = (word: string) => Array.from({ length: 10_000 }, (_, i) => `${word}${i % 7}\n`).join('');
    for (const [before, after] of [
      [many('a'), many('b')],
      [many('a'), `${many('a')}more\n`],
      [many('a'), many('a').replaceAll('a3', 'a4')],
    ] as const) {
      const began = process.cpuUsage();
      const patch = diff(before, after);
      expect(process.cpuUsage(began).user / 1000).toBeLessThan(1000);
      expect(apply(before, patch) === after).toBe(true);
    }
  });

  it('is cut within a line too, and says how much is left (16.5)', () => {
    const long = unifiedDiff('', `${'x'.repeat(1000)}\n`, { after: 'x' });
    const { diff: shown, left } = cutDiff(long, 100);
    expect(shown).toMatch(/\n\+x{50,}\n\\ The diff goes on: \d+ more characters are not shown\n$/);
    expect(left).toBe(long.length - 100);
    expect(cutDiff(long, long.length)).toEqual({ diff: long, left: 0 });
  });

  it('has names of one line (16.4)', () => {
    const [first] = unifiedDiff('', 'a', { after: 'x\n+evil' }).split('\n').slice(1);
    expect(first).toBe('+++ b/x?+evil');
  });
});

/** Applies a unified diff as `patch` does, without any leniency. */
function apply(before: string, patch: string): string {
  const old = before === '' ? [] : before.split(/(?<=\n)/);
  const result: string[] = [];
  let at = 0;
  // The lines of the texts may end with a lone \r: only \n ends a line of the diff.
  const lines = patch === '' ? [] : patch.split('\n').slice(2, -1);
  for (const [index, line] of lines.entries()) {
    const header = /^@@ -(\d+),(\d+) \+\d+,\d+ @@$/.exec(line);
    if (header !== null) {
      const start = Number(header[1]) - (header[2] === '0' ? 0 : 1);
      while (at < start) result.push(old[at++] ?? '');
      continue;
    }
    if (line.startsWith('\\')) continue;
    const ended = lines[index + 1] === '\\ No newline at end of file' ? '' : '\n';
    const text = line.slice(1) + ended;
    if (line.startsWith('+')) result.push(text);
    else {
      if (old[at] !== text) throw new Error(`${JSON.stringify(old[at])} is not ${JSON.stringify(text)}`);
      at += 1;
      if (line.startsWith(' ')) result.push(text);
    }
  }
  return [...result, ...old.slice(at)].join('');
}
