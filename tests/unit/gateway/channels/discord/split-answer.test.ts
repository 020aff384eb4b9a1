import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitAnswer } from '../../../../../src/gateway/channels/discord/split-answer.js';
import { anyAnswer } from './markdown/any-answer.js';

it('a spoiler that does not fit into a message stays hidden (17.2)', () => {
  const { pieces, file } = splitAnswer(`||${'secret '.repeat(400)}||`);
  expect(file?.name).toBe('answer.md');
  expect(pieces.map((piece) => piece.match(/\|\|/g)?.length)).toEqual([2]);
});

describe('an answer for Discord', () => {
  it('is one message if it is short, and none if it is empty (17.2)', () => {
    expect(splitAnswer('Hello!\n')).toEqual({ pieces: ['Hello!'] });
    for (const empty of ['', ' \n\t', '\u2028\ufeff\u001f\u0085'])
      expect(splitAnswer(empty)).toEqual({ pieces: [] });
  });

  it('goes as a file if it is very long, with its beginning as the message (17.2)', () => {
    const text = `# Report\n\n\`\`\`ts\n${'const a = 1;\n'.repeat(5000)}\`\`\``;
    const { pieces, file } = splitAnswer(text);
    expect(pieces).toHaveLength(1);
    expect(pieces[0]).toMatch(
      /^# Report\n\n```ts\n[^`]*\n```\n\n\*The answer is too long .* \(65,\d+ characters\)/,
    );
    expect(file).toEqual({ name: 'answer.md', text });
    expect(splitAnswer(text, { maxPieces: Number.POSITIVE_INFINITY }).pieces.length).toBeGreaterThan(30);
  });

  it('goes as a file also if its breaks make too many pieces of it', () => {
    const paragraphs = (count: number) => `${'word '.repeat(220).trim()}\n\n`.repeat(count);
    expect(splitAnswer(paragraphs(10)).pieces).toHaveLength(10);
    expect(splitAnswer(paragraphs(11))).toMatchObject({ file: { name: 'answer.md' } });
  });

  it('any text gives messages that Discord takes (17.2)', () => {
    fc.assert(
      fc.property(anyAnswer, fc.constantFrom(10, Number.POSITIVE_INFINITY), (text, maxPieces) => {
        const { pieces, file } = splitAnswer(text, { maxPieces });
        expect(file === undefined ? pieces.length <= maxPieces : pieces.length === 1).toBe(true);
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(2000);
          expect(piece).not.toMatch(/\p{Surrogate}|\0|\r/u);
          expect(piece).toBe(piece.trim());
          expect(piece).not.toBe('');
        }
      }),
      { numRuns: 60 },
    );
  });
});
