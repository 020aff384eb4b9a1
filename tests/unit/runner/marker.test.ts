import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MarkerScanner, markerLine } from '../../../src/runner/marker.js';

/** The verdict on a whole answer, and whether it was known before the end. */
function scan(pieces: readonly string[], nonce?: string): boolean {
  const scanner = new MarkerScanner(nonce);
  for (const piece of pieces) scanner.push(piece);
  return scanner.end();
}

const complete: Readonly<Record<string, string>> = {
  alone: 'ORCHESTRA_COMPLETE',
  'as the last line': 'All done.\nORCHESTRA_COMPLETE',
  'with a line end': 'All done.\nORCHESTRA_COMPLETE\n',
  'with CRLF': 'All done.\r\nORCHESTRA_COMPLETE\r\n',
  'with blanks around it': '  ORCHESTRA_COMPLETE \t\n',
  'in colour': '\u001b[1;32mORCHESTRA_COMPLETE\u001b[0m\n',
  'in a terminal link': '\u001b]8;;http://x\u0007ORCHESTRA_COMPLETE\u001b]8;;\u001b\\\n',
  'in the colours of tput': '\u001b[32mORCHESTRA_COMPLETE\u001b(B\u001b[m\n',
  'with 8-bit colours and a saved cursor': '\u001b7\u009b1mORCHESTRA_COMPLETE\u009b0m\u001b8\n',
  'behind a title of the window': '\u001b]0;ORCHESTRA\u001b\\ORCHESTRA_COMPLETE\u001bP1$r0m\u001b\\\n',
  'with words after it': 'ORCHESTRA_COMPLETE\nThat was all.',
  'in a fence at the very end': 'Done:\n```\nORCHESTRA_COMPLETE\n```\n\n',
  'in a fence that stays open': 'Done:\n~~~text\nORCHESTRA_COMPLETE',
  'behind a closed fence': '```\nls\n```\nORCHESTRA_COMPLETE',
  'behind code in a sentence': '```x``` is code\nORCHESTRA_COMPLETE\nbye',
};

const incomplete: Readonly<Record<string, string>> = {
  nothing: '',
  'in a sentence': 'I will print ORCHESTRA_COMPLETE when I am done.',
  'with a word behind it': 'ORCHESTRA_COMPLETE soon',
  'with a word in front of it': 'Not yet ORCHESTRA_COMPLETE',
  'in lower case': 'orchestra_complete',
  'as part of a longer word': 'ORCHESTRA_COMPLETED',
  quoted: '> ORCHESTRA_COMPLETE',
  'as an item': '- ORCHESTRA_COMPLETE',
  'with a nonce that nobody asked for': 'ORCHESTRA_COMPLETE:abc',
  'in a fence in the middle': 'The contract says:\n```\nORCHESTRA_COMPLETE\n```\nI am not there yet.',
  'in a fence, not as its last line': '```\nORCHESTRA_COMPLETE\nls\n```',
  'in a fence whose close is shorter': '````\nORCHESTRA_COMPLETE\n```\nmore\n````\n',
  'in a fence of an item': '1.  So:\n    ```\n    ORCHESTRA_COMPLETE\n    ```\nNot yet.',
  'in a fence behind a tab': 'So:\n\t~~~\n\tORCHESTRA_COMPLETE\n\t~~~\nNot yet.',
  'in a fence that is an item': '- 1) ```text\n  ORCHESTRA_COMPLETE\n  ```\nNot yet.',
  'in a fence with a fence as an item of it': '```\n- ```\nORCHESTRA_COMPLETE\n```\nNot yet.',
  'in the title of a window': '\u001b]0;x\nORCHESTRA_COMPLETE\u0007\n',
  'on two lines': 'ORCHESTRA_\nCOMPLETE',
  'at the end of a very long line': `${'x'.repeat(10_000)}ORCHESTRA_COMPLETE`,
};

describe('the completion marker (O7)', () => {
  it.each(Object.entries(complete))('counts %s', (_, text) => {
    expect(scan([text])).toBe(true);
  });

  it.each(Object.entries(incomplete))('does not count %s', (_, text) => {
    expect(scan([text])).toBe(false);
  });

  it('is found the same in whichever pieces the text comes', () => {
    const texts = [...Object.values(complete), ...Object.values(incomplete)];
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.infiniteStream(fc.integer({ min: 0, max: 9 })),
        (text, sizes) => {
          const pieces: string[] = [];
          for (let from = 0; from < text.length; ) {
            const size = sizes.next().value ?? 1;
            pieces.push(text.slice(from, from + size));
            from += size;
          }
          expect(scan(pieces)).toBe(scan([text]));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('is not found in any text that does not contain it', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (pieces) => {
        fc.pre(!pieces.join('').includes('ORCHESTRA_COMPLETE'));
        expect(scan(pieces)).toBe(false);
      }),
    );
  });

  it('is known as soon as its line has ended', () => {
    const scanner = new MarkerScanner();
    scanner.push('ORCHESTRA_COMPLETE');
    expect(scanner.found).toBe(false);
    scanner.push('\n');
    expect(scanner.found).toBe(true);
  });

  it('is not put together from what stands on both sides of a tool', () => {
    const scanner = new MarkerScanner();
    scanner.push('ORCHESTRA_');
    scanner.endMessage();
    scanner.push('COMPLETE');
    expect(scanner.end()).toBe(false);
  });

  it('is kept apart from the words behind a tool', () => {
    const scanner = new MarkerScanner();
    scanner.push('ORCHESTRA_COMPLETE');
    scanner.endMessage();
    scanner.push('One more thing.');
    expect(scanner.end()).toBe(true);
  });

  it('is found after a message that has left a fence open, and not in the fence of the next one', () => {
    const scanner = new MarkerScanner();
    scanner.push('```\nls');
    scanner.endMessage();
    scanner.push('The rule is:\n```\nORCHESTRA_COMPLETE\n```\nI go on.\n');
    expect(scanner.found).toBe(false);
    scanner.endMessage();
    scanner.push('ORCHESTRA_COMPLETE\nThat was all.');
    expect(scanner.found).toBe(true);
  });

  it('counts with its nonce only, where there is one', () => {
    expect(markerLine('k3')).toBe('ORCHESTRA_COMPLETE:k3');
    expect(scan(['ORCHESTRA_COMPLETE:k3\n'], 'k3')).toBe(true);
    expect(scan(['ORCHESTRA_COMPLETE\n'], 'k3')).toBe(false);
    expect(scan(['ORCHESTRA_COMPLETE:k4\n'], 'k3')).toBe(false);
  });

  it('takes no more memory for an endless line', () => {
    const scanner = new MarkerScanner();
    const megabyte = 'x'.repeat(1_000_000);
    for (let n = 0; n < 100; n++) scanner.push(megabyte);
    scanner.push('\nORCHESTRA_COMPLETE\n');
    expect(scanner.found).toBe(true);
  });
});

describe('a marker where an agent quotes (O7)', () => {
  it.each([
    ['in indented code', 'The contract says to print\n\n    ORCHESTRA_COMPLETE\n\nwhich I do not do.\n'],
    ['in an HTML comment', '<!--\nORCHESTRA_COMPLETE\n-->\nNot done.\n'],
    ['in preformatted text', '<pre>\nORCHESTRA_COMPLETE\n</pre>\nNot done.\n'],
    [
      'in a fence of a list',
      '1. the line\n\n    ```\n    ORCHESTRA_COMPLETE\n    ```\n\nbut 3 tests fail.\n',
    ],
    ['overwritten by a carriage return', 'ORCHES\rTRA_COMPLETE\nNot done.\n'],
  ])('does not count: %s', (_, text) => {
    expect(scan([text])).toBe(false);
  });

  it('counts behind it', () => {
    expect(scan(['<!-- a note -->\nORCHESTRA_COMPLETE\n'])).toBe(true);
    expect(scan(['<!--\nORCHESTRA_COMPLETE\n-->\nORCHESTRA_COMPLETE\nbye'])).toBe(true);
    expect(scan(['10 %\r20 %\rORCHESTRA_COMPLETE\nbye'])).toBe(true);
  });
});
