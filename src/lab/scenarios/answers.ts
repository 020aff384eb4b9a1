import type { VendorName } from '../../backends/registry.js';
import type { Outcome } from '../outcome.js';
import { check, checkAnswer, checkEqual, checkNoError, type Scenario, shorten } from '../scenario.js';

export const answers: readonly Scenario[] = [
  {
    id: 'plain-answer',
    title: 'A plain answer, with session id and usage',
    deep: true,
    advice:
      'The CLI starts, but its plain output is not what Turnout reads. Use a version listed in docs/compatibility.md.',
    async run(lab) {
      lab.model.use(['Hello from the model.']);
      const outcome = await lab.turn({ prompt: 'Say hello.', stream: false }, 'answer-plain');
      checkAnswer(outcome, 'Hello from the model.');
      checkSession(outcome);
      checkUsage(outcome, 1);
      checkEqual(lab.model.turns.length, 1, 'model calls');
      checkEqual(lab.model.turns[0]?.prompt, 'Say hello.', 'what the model got');
    },
  },
  {
    id: 'streamed-answer',
    title: 'The answer arrives while the model writes it',
    deep: true,
    advice:
      'An event is missing or has another form than Turnout knows: answers come late, in pieces, or not at all.',
    async run(lab) {
      const pieces = ['one ', 'two ', 'three ', 'four'];
      lab.model.use([{ steps: [{ text: pieces, delayMs: 200 }] }]);
      let firstTextAt = 0;
      const outcome = await lab.turn(
        {
          prompt: 'Count to four.',
          onEvent: (event) => {
            if (event.type === 'text' && firstTextAt === 0) firstTextAt = performance.now();
          },
        },
        'answer-stream',
      );
      const endedAt = performance.now();
      checkAnswer(outcome, pieces.join(''));
      checkEqual(outcome.said, pieces.join(''), 'the text pieces joined');
      checkSession(outcome);
      checkUsage(outcome, 1);
      checkEqual(outcome.events.find((event) => event.type !== 'notice')?.type, 'session', 'the first event');
      checkNothingUnknown(outcome);
      if (!lab.capabilities.textDeltas) return;
      const count = outcome.events.filter((event) => event.type === 'text').length;
      checkEqual(count, pieces.length, 'pieces of text');
      check(endedAt - firstTextAt > 150, 'the text came only at the end: it is not streamed');
    },
  },
  {
    id: 'thinking',
    title: 'Thinking is told apart from the answer',
    deep: false,
    skip: { gemini: 'prints no thinking in its one-shot formats' },
    advice: 'The model’s reasoning is lost or mixed into the answer.',
    async run(lab) {
      lab.model.use([{ steps: [{ thinking: ['deep ', 'thought'] }, { text: 'It is 42.' }] }]);
      const outcome = await lab.turn({ prompt: 'Think.' }, 'thinking');
      checkAnswer(outcome, 'It is 42.');
      checkEqual(outcome.said, 'It is 42.', 'the text pieces joined');
      const thoughts = outcome.events.map((event) => (event.type === 'thinking' ? event.text : '')).join('');
      check(thoughts.includes('deep thought'), `the thinking was ${shorten(JSON.stringify(thoughts))}`);
    },
  },
  {
    id: 'system-prompt',
    title: 'The system prompt reaches the model, on a new and on a resumed session, changed or not',
    deep: true,
    advice: 'The agent runs without its persona: check the CLI’s option for an appended system prompt.',
    async run(lab) {
      lab.model.use(['Noted.']);
      const first = await lab.turn({
        prompt: 'Who are you?',
        systemPrompt: 'MARK-ALPHA "quoted"\nsecond line',
      });
      checkNoError(first);
      check(
        wholeRequest(lab.model.turns[0]).includes('MARK-ALPHA'),
        'the model did not get the system prompt',
      );
      lab.model.forget();
      const second = await lab.turn({
        prompt: 'And now?',
        systemPrompt: 'MARK-BETA',
        sessionId: first.sessionId,
      });
      checkNoError(second);
      check(
        wholeRequest(lab.model.turns[0]).includes('MARK-BETA'),
        'on the resumed session the model did not get the new system prompt',
      );
    },
  },
  {
    id: 'model-option',
    title: 'The model option reaches the API',
    deep: false,
    advice: 'Another model than the chosen one answers (and is paid for).',
    async run(lab) {
      lab.model.use(['Yes.']);
      const { option, sent } = otherModels[lab.cli];
      checkAnswer(await lab.turn({ prompt: 'Are you the one?', model: option }), 'Yes.');
      checkEqual(lab.model.turns[0]?.model, sent, 'the model in the request');
    },
  },
];

const otherModels: Readonly<Record<VendorName, { option: string; sent: string }>> = {
  claude: { option: 'claude-haiku-4-5', sent: 'claude-haiku-4-5' },
  codex: { option: 'gpt-5.1-codex-mini', sent: 'gpt-5.1-codex-mini' },
  gemini: { option: 'gemini-2.5-pro', sent: 'gemini-2.5-pro' },
  opencode: { option: 'lab/other-model', sent: 'other-model' },
};

function checkSession(outcome: Outcome): void {
  check(Boolean(outcome.sessionId), 'there is no session id');
}

/** The model reports 60 tokens in (30 of them cached) and 7 out for each call. */
function checkUsage(outcome: Outcome, calls: number): void {
  const usage = outcome.events.findLast((event) => event.type === 'usage');
  check(usage !== undefined, 'there is no usage');
  const counts = [usage.inputTokens, usage.outputTokens, usage.cachedInputTokens];
  checkEqual(counts, [60 * calls, 7 * calls, 30 * calls], 'tokens in, out and cached');
}

function checkNothingUnknown(outcome: Outcome): void {
  const unknown = outcome.events.find(
    (event) => event.type === 'notice' && event.message.includes('unknown'),
  );
  check(unknown === undefined, `an event that Turnout does not know: ${shorten(JSON.stringify(unknown))}`);
}

function wholeRequest(request: { readonly rawBody: string } | undefined): string {
  return request?.rawBody ?? '';
}
