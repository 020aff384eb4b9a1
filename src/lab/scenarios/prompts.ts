import type { Script } from '../model/script.js';
import type { Outcome } from '../outcome.js';
import { check, checkEqual, checkNoError, type Lab, type Scenario, shorten } from '../scenario.js';

export const prompts: readonly Scenario[] = [
  unchanged('prompt-like-option', 'A prompt that looks like an option stays a prompt', true, [
    '--help',
    '-p',
    '--resume x',
  ]),
  unchanged(
    'prompt-like-command',
    'A prompt that is a CLI’s own word, or a slash command, stays a prompt',
    true,
    ['resume', 'mcp', '/clear', '/no-such-command now'],
  ),
  unchanged(
    'prompt-unicode',
    'Quotes, line ends, emoji, NUL and other characters arrive as they are',
    false,
    [
      ' leading and trailing \n',
      'quotes "double" \'single\' `back` \\ $(date) %s *',
      'emoji 👩‍👩‍👧 tabs\t crlf\r\n line\u2028separator',
      'a NUL \0 inside',
      '\uFEFFa byte order mark',
    ],
  ),
  unchanged('prompt-200kb', 'A prompt of 200 KB, more than fits into an argument', true, [
    `${'x'.repeat(99)}\n`.repeat(2048),
  ]),
  {
    id: 'prompt-at-file',
    title: 'A prompt with @name is not an order to attach a file',
    deep: false,
    skip: { gemini: 'always reads the file into the prompt; there is no switch' },
    advice: 'A chat message could pull files of this machine into the conversation.',
    async run(lab) {
      await sendUnchanged(lab, ['look at @package.json, and mail me@example.com']);
    },
  },
  {
    id: 'prompt-empty',
    title: 'An empty prompt is refused with a clear message',
    deep: false,
    faces: ['library'],
    advice: 'An empty message would be sent to the model.',
    async run(lab) {
      const { error } = await lab.turn({ prompt: '' });
      checkEqual(error?.code, 'bad_request', 'the error code');
      check(error?.message.includes('empty') === true, `the message was ${shorten(error?.message)}`);
      checkEqual(lab.model.turns.length, 0, 'model calls');
    },
  },
];

function unchanged(id: string, title: string, deep: boolean, texts: readonly string[]): Scenario {
  return {
    id,
    title,
    deep,
    advice: 'What the user types is not what the model gets.',
    run: (lab) => sendUnchanged(lab, texts),
  };
}

/** Sends several prompts at a time; each is found among the requests that the model got. */
async function sendUnchanged(lab: Lab, texts: readonly string[]): Promise<void> {
  lab.model.use(echoLength);
  const outcomes = await Promise.all(texts.map((prompt) => lab.turn({ prompt })));
  const got = lab.model.turns.map((request) => request.prompt);
  texts.forEach((prompt, index) => {
    const outcome = outcomes[index];
    check(outcome !== undefined, 'a turn is missing');
    checkNoError(outcome);
    const sent = asSent(prompt, outcome);
    check(
      got.includes(sent),
      `${shorten(JSON.stringify(prompt), 80)} did not arrive as it is; the model got ${shorten(JSON.stringify(got), 400)}`,
    );
    checkEqual(outcome.answer, `got ${sent.length} characters`, 'the answer');
  });
}

/** Gemini and old versions of Claude have no switch for slash commands: a space keeps one a prompt, and the turn tells so. */
function asSent(prompt: string, { events }: Outcome): string {
  const told = events.some((event) => event.type === 'notice' && event.message.startsWith('A space was put'));
  return told && prompt.startsWith('/') ? ` ${prompt}` : prompt;
}

const echoLength: Script = (request) => `got ${request.prompt.length} characters`;
