import type { Script } from '../model/script.js';
import { check, checkAnswer, checkEqual, type Scenario } from '../scenario.js';

const megabyte = 1024 * 1024;

export const load: readonly Scenario[] = [
  {
    id: 'output-10mb',
    title: 'An answer of more than 10 MB arrives whole',
    deep: false,
    faces: ['library'],
    advice: 'Large output breaks the turn.',
    async run(lab) {
      const pieces = manyLines(10.5 * megabyte);
      lab.model.use([{ steps: [{ text: pieces }] }]);
      const outcome = await lab.turn({ prompt: 'Write a lot.' });
      check(outcome.error === undefined, `the turn failed: ${outcome.error?.message}`);
      const expected = pieces.join('');
      checkEqual(outcome.answer?.length, expected.length, 'characters in the answer');
      check(outcome.answer === expected, 'the answer differs from what the model wrote');
    },
  },
  {
    id: 'ten-at-once',
    title: 'Ten turns at once, each with its own answer',
    deep: false,
    faces: ['library'],
    advice: 'Parallel turns disturb each other.',
    async run(lab) {
      const answer: Script = (request) => `answer to ${request.prompt}`;
      lab.model.use(answer);
      const prompts = Array.from({ length: 10 }, (_, index) => `question ${index}`);
      const outcomes = await Promise.all(prompts.map((prompt) => lab.turn({ prompt })));
      outcomes.forEach((outcome, index) => {
        checkAnswer(outcome, `answer to ${prompts[index]}`);
      });
      checkEqual(new Set(outcomes.map((outcome) => outcome.sessionId)).size, 10, 'different sessions');
    },
  },
];

/** No two lines are alike, because Gemini stops a model that repeats itself. */
function manyLines(characters: number): readonly string[] {
  const pieces: string[] = [];
  for (let total = 0, line = 0; total < characters; ) {
    let piece = '';
    while (piece.length < 60_000)
      piece += `Line ${line++}: ${(line * 2_654_435_761).toString(36)} is not the one before.\n`;
    pieces.push(piece);
    total += piece.length;
  }
  return pieces;
}
