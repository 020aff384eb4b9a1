import type { VendorName } from '../../backends/registry.js';
import type { ErrorCode } from '../../core/chat-event.js';
import type { Reply } from '../model/script.js';
import type { Outcome } from '../outcome.js';
import { check, checkAnswer, checkEqual, type Lab, type Scenario, shorten } from '../scenario.js';

export const failures: readonly Scenario[] = [
  failing(
    'api-401',
    'A rejected key is an authentication error',
    true,
    { status: 401, message: 'bad key' },
    'auth',
  ),
  failing(
    'api-429',
    'A rate limit is told as one',
    false,
    { status: 429, message: 'slow down' },
    'rate_limit',
  ),
  failing(
    'api-500',
    'A failing API is told as overloaded, and a retry shows',
    false,
    { status: 500, message: 'oops' },
    'overloaded',
  ),
  {
    id: 'connection-refused',
    title: 'A model server that can’t be reached is a network error, in seconds',
    deep: false,
    advice: 'Without a network the agent hangs.',
    async run(lab) {
      const outcome = await lab.model.refuse(() =>
        lab.turn({ prompt: 'Anyone there?', timeoutMs: patienceWithRetries(lab) }, 'refused'),
      );
      // Codex and OpenCode retry for longer than anyone waits: our clock ends them.
      checkFailure(outcome, retriesForEver.has(lab.cli) ? ['network', 'timeout'] : ['network']);
    },
  },
  {
    id: 'cut-stream',
    title:
      'A stream that is cut in the middle ends in the whole answer or in an error, never in half an answer',
    deep: true,
    advice: 'Half an answer would be taken for a whole one.',
    async run(lab) {
      lab.model.use([
        { steps: [{ text: ['The first half, '] }, { cut: true }] },
        { steps: [{ text: ['The first half, ', 'the second half.'] }] },
      ]);
      const outcome = await lab.turn({ prompt: 'Tell me all.', timeoutMs: patience(lab) }, 'cut-stream');
      if (outcome.error !== undefined) checkFailure(outcome, ['network', 'overloaded']);
      else checkAnswer(outcome, 'The first half, the second half.');
    },
  },
  {
    id: 'empty-answer',
    title: 'An empty answer is an error',
    deep: false,
    advice: 'Silence would be taken for success.',
    async run(lab) {
      lab.model.use([{ steps: [] }]);
      const outcome = await lab.turn({ prompt: 'Say nothing.', timeoutMs: patience(lab) }, 'empty-answer');
      check(
        outcome.error !== undefined,
        `expected an error, got ${shorten(JSON.stringify(outcome.events.at(-1)))}`,
      );
    },
  },
];

/** The timeout is longer than a CLI with one retry needs, and still seconds. */
function patience(lab: Lab): number {
  return Math.round(lab.plainTurnMs * 3 + 8000);
}

/** OpenCode retries for more than a minute whatever it is told: a longer wait would show nothing more. */
function patienceWithRetries(lab: Lab): number {
  return lab.cli === 'opencode' ? Math.round(lab.plainTurnMs * 1.5 + 3000) : patience(lab);
}

const retriesForEver: ReadonlySet<VendorName> = new Set(['codex', 'opencode']);

function failing(id: string, title: string, deep: boolean, reply: Reply, code: ErrorCode): Scenario {
  return {
    id,
    title,
    deep,
    advice: 'The reason of a failure is lost: nobody could tell whether to log in, to wait or to try again.',
    async run(lab) {
      lab.model.use([reply]);
      const outcome = await lab.turn({ prompt: 'Try.', timeoutMs: patienceWithRetries(lab) }, id);
      const retried = lab.cli === 'opencode' && code !== 'auth';
      checkFailure(outcome, retried ? [code, 'timeout'] : [code]);
      if (lab.model.turns.length > 1) {
        const told = outcome.events.some((event) => event.type === 'notice' && event.retry !== undefined);
        check(told, 'a retry was made and no notice tells it');
      }
    },
  };
}

function checkFailure(outcome: Outcome, codes: readonly ErrorCode[]): void {
  const { error } = outcome;
  check(error !== undefined, `expected a failure, got ${shorten(JSON.stringify(outcome.events.at(-1)))}`);
  check(
    codes.includes(error.code),
    `expected ${codes.join(' or ')}, got ${error.code}: ${shorten(error.message)}`,
  );
  if (outcome.exitCode !== undefined)
    checkEqual(outcome.exitCode, error.code === 'timeout' ? 124 : 1, 'the exit code');
}
