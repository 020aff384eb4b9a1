import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerText } from '../../../../src/cli/client/answer-text.js';

/** What is printed of attempts; each is a list of texts and tools, the last one is answered. */
function printed(attempts: readonly (readonly (string | 'TOOL')[])[], answer?: string): string {
  const text = new AnswerText();
  let out = '';
  for (const attempt of attempts) {
    text.began();
    for (const piece of attempt) {
      if (piece === 'TOOL') text.tool();
      else out += text.text(piece);
    }
  }
  return out + text.ended(answer);
}

describe('the text of an answer (18.5)', () => {
  it('comes as it is written, what a tool came between apart', () => {
    expect(printed([['I look.', 'TOOL', 'It is', ' fine.']], 'It is fine.')).toBe('I look.\nIt is fine.\n');
    expect(printed([['done\n']], 'done\n')).toBe('done\n');
    expect(printed([[]], undefined)).toBe('');
  });

  it('goes on where the attempt before was cut off', () => {
    expect(printed([['one two th'], ['one ', 'two three']], 'one two three')).toBe('one two three\n');
    expect(printed([['one two'], ['one'], ['one two three']], 'one two three')).toBe('one two three\n');
    expect(printed([['one two'], ['one two']], 'one two')).toBe('one two\n');
  });

  it('begins anew if the next attempt says something else', () => {
    expect(printed([['one two'], ['one ', 'or three']], 'one or three')).toBe('one two\none or three\n');
    expect(printed([['one two'], ['one']], 'one')).toBe('one two\none\n');
  });

  it('is complete if the end of it, or all of it, was not seen', () => {
    expect(printed([['one t']], 'one two')).toBe('one two\n');
    expect(printed([], 'one two')).toBe('one two\n');
    expect(printed([['I look.', 'TOOL']], 'fine')).toBe('I look.\nfine\n');
    expect(printed([['secret']], 'changed by a hook')).toBe('secret\nchanged by a hook\n');
  });

  it('is the same however it is cut into pieces, and wherever an attempt was broken off', () => {
    const words = fc.array(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(words, fc.nat({ max: 8 }), (pieces, cut) => {
        const answer = pieces.join('');
        fc.pre(answer.trim() !== '');
        const end = answer.endsWith('\n') ? '' : '\n';
        expect(printed([pieces.slice(0, cut), pieces], answer)).toBe(answer + end);
      }),
    );
  });
});
