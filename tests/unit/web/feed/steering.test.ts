import { describe, expect, it } from 'vitest';
import { addEvent, type Step, unknownTurn } from '../../../../web/feed/turn.js';

const steering: Step = { type: 'steering', eventId: 'e2', message: 'be quick' };

/** The steps that come of pieces of text; `|` is a message that came in. */
function said(...pieces: readonly string[]): readonly unknown[] {
  const turn = pieces.reduce(
    (now, piece) =>
      addEvent(
        now,
        piece === '|'
          ? { type: 'notice', level: 'info', message: 'be quick', eventId: 'e2' }
          : { type: 'text', text: piece },
      ),
    unknownTurn('t'),
  );
  return turn.steps.map((step) => (step.type === 'text' ? step.text : step));
}

describe('a message that came into a turn (16.4)', () => {
  it('stands behind the paragraph in which it came, whatever pieces that comes in', () => {
    expect(said('I could not writ', '|', 'e the note')).toEqual(['I could not write the note', steering]);
    const whole = ['I could not write the note.\n\n', steering, 'Then this.'];
    expect(said('I could not writ', '|', 'e the note.\n\nThen', ' this.')).toEqual(whole);
    expect(said('I could not writ', '|', 'e the', ' note.\n', '\nThen this.')).toEqual(whole);
    expect(said('I could not write the note.\n\n', '|', 'Then this.')).toEqual(whole);
    expect(said('I could not write the note.\n', '|', '\nThen', ' this.')).toEqual(whole);
    expect(said('a', '|', 'b', '|', 'c\n\nd')).toEqual(['abc\n\n', steering, steering, 'd']);
  });

  it('stands behind a block of code, not in it', () => {
    expect(said('```\na', '|', '\n\nb\n```\n\nc')).toEqual(['```\na\n\nb\n```\n\n', steering, 'c']);
  });

  it('stands where it came if nothing was being said', () => {
    expect(said('|', 'a')).toEqual([steering, 'a']);
  });
});
