import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { VendorName } from '../../backends/registry.js';
import { check, checkAnswer, checkEqual, type Scenario, shorten } from '../scenario.js';

export const sessions: readonly Scenario[] = [
  {
    id: 'resume',
    title: 'A resumed session carries its history and keeps its id',
    deep: true,
    advice: 'Conversations lose their memory: the session id that the CLI prints can’t be resumed with.',
    async run(lab) {
      lab.model.use(['The first answer.']);
      const first = await lab.turn({ prompt: 'The first question.' });
      checkAnswer(first, 'The first answer.');
      lab.model.use(['The second answer.']);
      lab.model.forget();
      const second = await lab.turn({ prompt: 'The second question.', sessionId: first.sessionId }, 'resume');
      checkAnswer(second, 'The second answer.');
      checkEqual(second.sessionId, first.sessionId, 'the session id after resuming');
      const history = lab.model.turns[0]?.rawBody ?? '';
      check(history.includes('The first question.'), 'the model did not get the first prompt again');
      check(history.includes('The first answer.'), 'the model did not get the first answer again');
      checkEqual(lab.model.turns[0]?.prompt, 'The second question.', 'what the model got');
    },
  },
  {
    id: 'continue',
    title: 'The session that was used last in this directory goes on, and is never a new one',
    deep: false,
    advice: 'Where the CLI keeps its sessions is not understood: name the session with --resume.',
    async run(lab) {
      const directory = (name: string) => join(lab.home.directory, name);
      const [here, there] = [directory('here'), directory('there')];
      for (const cwd of [here, there]) await mkdir(cwd, { recursive: true });
      lab.model.use(['This must not be an answer.']);
      const none = await lab.turn({ prompt: 'Go on.', cwd: here, continueLast: true }, 'continue-none');
      checkEqual(none.error?.code, 'session_not_found', 'to continue where there is no session');
      lab.model.use(['An answer.']);
      const first = await lab.turn({ prompt: 'The first question.', cwd: here });
      await lab.turn({ prompt: 'Elsewhere.', cwd: there });
      lab.model.forget();
      const last = await lab.turn({ prompt: 'Go on.', cwd: here, continueLast: true }, 'continue');
      checkAnswer(last, 'An answer.');
      checkEqual(last.sessionId, first.sessionId, 'the session that goes on');
      const history = lab.model.turns[0]?.rawBody ?? '';
      check(history.includes('The first question.'), 'the model did not get the first prompt again');
    },
  },
  {
    id: 'resume-unknown',
    title: 'An unknown session is an error, not a new conversation',
    deep: true,
    advice: 'A lost session would silently begin a new one.',
    async run(lab) {
      lab.model.use(['This must not be an answer.']);
      for (const sessionId of unknownSessions[lab.cli]) {
        const outcome = await lab.turn({ prompt: 'Go on.', sessionId }, 'resume-unknown');
        check(
          outcome.error?.code === 'session_not_found',
          `resuming ${sessionId} should fail with session_not_found; got ${shorten(JSON.stringify(outcome.events.at(-1)))}`,
        );
      }
    },
  },
];

const unknownSessions: Readonly<Record<VendorName, readonly string[]>> = {
  claude: ['11111111-1111-4111-8111-111111111111'],
  // Codex silently begins a new thread for a name that is no UUID.
  codex: ['11111111-1111-7111-8111-111111111111', 'no-such-session'],
  gemini: ['11111111-1111-4111-8111-111111111111'],
  opencode: ['ses_111111111111111111111111111'],
};
