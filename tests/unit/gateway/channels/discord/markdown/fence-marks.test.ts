import { describe, expect, it } from 'vitest';
import { fenceMarks } from '../../../../../../src/gateway/channels/discord/markdown/fence-marks.js';

/** The marks of a text: what each one opens again in another message, or `-` if it closes. */
const marksOf = (...lines: readonly string[]) =>
  Array.from(fenceMarks(lines.join('\n')), ({ fence }) => fence?.opening ?? '-');

describe('fences of a text', () => {
  it('are opened and closed by the same marker, the closing one not shorter', () => {
    expect(marksOf('```js', '~~~', '``', '```')).toEqual(['```js', '-']);
    expect(marksOf('````', '```', '`````', '~~~ a b', '~~~')).toEqual(['````', '-', '~~~ a b', '-']);
    expect(marksOf('```', '``` no', '```', '```')).toEqual(['```', '-', '```']);
  });

  it('keep their info string, unless it is long', () => {
    const long = 'i'.repeat(80);
    expect(marksOf(`\`\`\`js ${long}`)).toEqual(['```js']);
    expect(marksOf(`\`\`\`${long}`)).toEqual(['```']);
    // Without the blank it would be another marker.
    expect(marksOf('~~~ ~~~')).toEqual(['~~~ ~~~']);
  });

  it('are none in a line of code, of ordinary text, or of a marker without measure', () => {
    expect(marksOf('```code```', '``` `', 'a ```', '``', '~~ ~', '`'.repeat(33))).toEqual([]);
    expect(marksOf(`${'> '.repeat(31)}\`\`\``)).toEqual([]);
  });

  it('are of the list or the quote that they are in', () => {
    expect(marksOf('1. - ```js', '     code', '     ```')).toEqual(['```js', '-']);
    expect(marksOf('- ```', 'less indented', '```')).toEqual(['```', '-']);
    expect(marksOf('> > ```js', '> > code', '> > ```')).toEqual(['> > ```js', '-']);
    expect(marksOf('> - > ```', '>   > code', '>   > ```')).toEqual(['>   > ```', '-']);
    expect(marksOf('```', '> ```', '- ```', '```')).toEqual(['```', '-']);
    expect(marksOf('> ```', '> code', 'no quote', '```')).toEqual(['> ```', '-', '```']);
  });

  it('have places that the text is not cut in', () => {
    const text = 'a\n  ```js\ncode\n```\n';
    const [opener, closer] = fenceMarks(text);
    expect(text.slice(opener?.from, opener?.to)).toBe('  ```');
    expect(text.slice(opener?.from, opener?.lineEnd)).toBe('  ```js\n');
    expect(text.slice(closer?.from, closer?.to)).toBe('```');
  });
});
