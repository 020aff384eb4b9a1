import { describe, expect, it } from 'vitest';
import { messageFor } from '../../../../src/cli/output/say.js';

const terminal = (columns: number) => ({ isTTY: true, columns });

describe('a message on stderr (18.8)', () => {
  it('is broken at words in a terminal, and keeps its indentation', () => {
    expect(messageFor(terminal(20), 'one two three four\n  five six seven eight')).toBe(
      'turnout: one two\nthree four\n  five six seven\n  eight\n',
    );
  });

  it('leaves a word whole that is longer than a row', () => {
    expect(messageFor(terminal(12), 'in /a/path/that/is/long x')).toBe(
      'turnout: in\n/a/path/that/is/long\nx\n',
    );
  });

  it('counts the columns of wide characters', () => {
    expect(messageFor(terminal(14), '日本 日本')).toBe('turnout: 日本\n日本\n');
  });

  it('has its lines whole where there is no terminal', () => {
    const long = 'word '.repeat(50).trim();
    expect(messageFor({}, long)).toBe(`turnout: ${long}\n`);
  });

  it('has nothing that steers a terminal', () => {
    expect(messageFor(terminal(80), 'a\u001b[2Jb\u0007')).toBe('turnout: a␛[2Jb␇\n');
  });
});
