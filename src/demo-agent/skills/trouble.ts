import { describeApiError, isApiError } from '../api-errors.js';
import { type Asked, type Skill, type Steps, say, wholeCommand } from '../step.js';

/** Skills for every way in which an agent's turn can fail. */
export const troubleSkills: readonly Skill[] = [
  {
    name: 'fail',
    example: 'fail',
    about: 'ends the turn with an error',
    pattern: wholeCommand('fail'),
    act: async function* () {
      yield* say('I will try. ');
      yield { type: 'fail', message: 'The demo agent failed, as it was asked to.' };
    },
  },
  {
    name: 'api-error',
    example: 'fail with 429',
    about: 'ends the turn with an error of the API: 400, 401, 403, 404, 413, 429, 500 or 529',
    pattern: wholeCommand('fail with (?:an? )?(?:error |status |http )?(\\d{3})(?: error)?'),
    act: failWithStatus,
  },
  {
    name: 'crash',
    example: 'crash',
    about: 'dies in the middle of a sentence',
    pattern: wholeCommand('crash'),
    act: async function* () {
      yield* say('I am about to say something impor');
      yield { type: 'crash' };
    },
  },
  {
    name: 'hang',
    example: 'hang',
    about: 'says nothing until it is stopped',
    pattern: wholeCommand('hang'),
    act: async function* () {
      yield { type: 'hang' };
    },
  },
];

async function* failWithStatus(_asked: Asked, words: RegExpExecArray): Steps {
  const status = Number(words[1]);
  if (!isApiError(status)) {
    yield* say(`${status} is not an error that the API gives; try "fail with 429".`);
    return;
  }
  const { retried, message } = describeApiError(status);
  // Claude retries ten times in three minutes, which is too long for a demo.
  const retries = retried ? 2 : 0;
  for (let attempt = 1; attempt <= retries; attempt++) yield { type: 'retry', attempt, of: retries, status };
  yield { type: 'fail', status, message };
}
