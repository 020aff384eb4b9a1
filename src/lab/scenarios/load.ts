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
      const piece = `${'0123456789abcdef'.repeat(4096)}`;
      const pieces = Array.from({ length: Math.ceil((10.5 * megabyte) / piece.length) }, () => piece);
      lab.model.use([{ steps: [{ text: pieces }] }]);
      const outcome = await lab.turn({ prompt: 'Write a lot.' });
      check(outcome.error === undefined, `the turn failed: ${outcome.error?.message}`);
      checkEqual(outcome.answer?.length, pieces.length * piece.length, 'characters in the answer');
      check(outcome.answer === pieces.join(''), 'the answer differs from what the model wrote');
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
