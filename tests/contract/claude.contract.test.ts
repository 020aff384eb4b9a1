import { describe, expect } from 'vitest';
import { claudeAdvice } from '../../src/backends/claude/advice.js';
import { ClaudeCodeBackend } from '../../src/backends/claude-backend.js';
import { pinnedVersion } from '../../src/backends/launch/vetted.js';
import { collect, describeBackendContract } from './backend-contract.js';
import { readerOf } from './prompt-channels.js';
import { readRecording, stdoutOf } from './recordings.js';
import { it } from './stage.js';

const hello = 'Hello from the scripted model.';
const older = { answer: 'Hello from an older version.\n' };
const unknown = '11111111-1111-4111-8111-111111111111';
const noConversation = {
  error: `Claude CLI error (exit 1): No conversation found with session ID: ${unknown}\n`,
  code: 'session_not_found',
  sessionId: 'none',
  resuming: unknown,
} as const;

describeBackendContract({
  name: 'claude',
  reads: readerOf('claude'),
  streamsOnRequest: false,
  label: 'Claude',
  install: `npm install -g @anthropic-ai/claude-code@${pinnedVersion('claude')}`,
  endIsRequired: true,
  unsupported: [['permissionMode', { permissionMode: 'ask' }]],
  outcomes: {
    answer: { answer: hello },
    'answer-plain': { answer: hello },
    'array-plain': { answer: 'The tool said it.', said: 'Looking. The tool said it.' },
    empty: { error: 'Claude CLI gave an empty answer', code: 'unknown' },
    'empty-plain': { error: 'Claude CLI gave an empty answer', code: 'unknown' },
    'http-400': { error: 'Claude CLI error (exit 1): API Error: 400 bad request', code: 'bad_request' },
    'http-401': {
      error: 'Claude CLI error (exit 1): Failed to authenticate. API Error: 401 invalid key',
      code: 'auth',
    },
    'http-401-plain': {
      error: 'Claude CLI error (exit 1): Failed to authenticate. API Error: 401 invalid key',
      code: 'auth',
    },
    'http-429': {
      error: 'Claude CLI error (exit 1): API Error: Request rejected (429) · slow down',
      code: 'rate_limit',
    },
    'older-array': older,
    'older-array-pretty': older,
    'older-ndjson': older,
    resume: { answer: hello },
    'resume-plain': { answer: hello },
    'resume-unknown': noConversation,
    'resume-unknown-plain': noConversation,
    'resume-unknown-name': {
      error:
        'Claude CLI error (exit 1): Error: --resume requires a valid session ID or session title when used with --print. Usage: claude -p --resume <session-id|title>. Provided value "no-such-name" is not a UUID and does not match any session title.\n',
      code: 'session_not_found',
      sessionId: 'none',
      resuming: 'no-such-name',
    },
    thinking: { answer: 'The answer is 42.' },
    tool: { answer: 'The tool said it.', said: 'Looking. The tool said it.' },
    'tool-fails': { answer: 'It failed.' },
    'tool-plain': { answer: 'The tool said it.' },
  },
});

describe('claude alone', () => {
  it('stays after its result for what runs in the background, and answers again', async ({ stage }) => {
    const say = (line: unknown) => `echo '${JSON.stringify(line)}'`;
    const tasks = (...ids: string[]) =>
      say({
        type: 'system',
        subtype: 'background_tasks_changed',
        tasks: ids.map((task_id) => ({ task_id })),
      });
    const result = (text: string) => say({ type: 'result', subtype: 'success', result: text });
    const init = say({ type: 'system', subtype: 'init', session_id: 's', model: 'm' });
    // As seen with 2.1.325: the result, the end of the task, a turn of its own (in which a tool may take its time).
    const agent = stage.program(
      'agent',
      [
        ...[init, tasks('b1'), result('Started.'), 'sleep 1.5'],
        ...[tasks(), init, 'sleep 1.5', result('It has ended.')],
      ].join('\n'),
    );
    const backend = new ClaudeCodeBackend({ ...stage.configFor(agent), exitGraceMs: 700 });
    const events = await collect(backend.run({ prompt: 'hi' }));
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'It has ended.' });
    expect(events.filter(({ type }) => type === 'notice')).toEqual([]);
  });

  it('is_error with the subtype "success" and exit code 0 is a failure', async ({ stage }) => {
    for (const scenario of ['http-401', 'http-401-plain']) {
      const recording = readRecording('claude', scenario);
      const backend = new ClaudeCodeBackend(stage.config('replay.sh', stage.replay(stdoutOf(recording))));
      const events = await collect(backend.run({ prompt: 'hi', stream: recording.format === 'stream' }));
      expect(events.at(-1)).toMatchObject({
        type: 'error',
        code: 'auth',
        message: expect.stringContaining(claudeAdvice.signIn),
        detail: 'Failed to authenticate. API Error: 401 invalid key',
      });
      // The API's words are no words of the agent.
      expect(events.filter(({ type }) => type === 'text')).toEqual([]);
    }
  });

  it('the end of its turns is a failure that names it', async ({ stage }) => {
    const limit = {
      type: 'result',
      subtype: 'error_max_turns',
      is_error: true,
      session_id: 'abc',
      errors: ['Reached maximum number of turns (2)'],
    };
    const env = stage.replay(`${JSON.stringify(limit)}\n`, { exit: 1 });
    expect(await new ClaudeCodeBackend(stage.config('replay.sh', env)).execute('hi', '')).toEqual({
      isError: true,
      responseText: 'Claude CLI error (exit 1): Reached maximum number of turns (2)',
      sessionId: 'abc',
    });
  });
});
