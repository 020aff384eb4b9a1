import { describe, expect } from 'vitest';
import { pinnedVersion } from '../../src/backends/launch/vetted.js';
import { OpenCodeBackend } from '../../src/backends/opencode-backend.js';
import { collect, describeBackendContract } from './backend-contract.js';
import { readerOf } from './prompt-channels.js';
import { readRecording } from './recordings.js';
import { it } from './stage.js';

const hello = 'Hello from the scripted model.';

describeBackendContract({
  name: 'opencode',
  reads: readerOf('opencode'),
  streamsOnRequest: false,
  label: 'OpenCode',
  install: `npm install -g opencode-ai@${pinnedVersion('opencode')}`,
  // Some versions lose the last step_finish: what was said before a clean exit is the answer.
  endIsRequired: false,
  unsupported: [
    ['maxTurns', { maxTurns: 3 }],
    ['permissionMode', { permissionMode: 'ask' }],
  ],
  outcomes: {
    answer: { answer: hello },
    empty: { error: 'OpenCode CLI gave an empty answer', code: 'unknown' },
    'http-400': { error: 'OpenCode CLI error (exit 1): bad request', code: 'bad_request' },
    'http-401': { error: 'OpenCode CLI error (exit 1): invalid key', code: 'auth' },
    'older-result': { answer: 'Hello from an older version.\n' },
    resume: { answer: hello },
    'resume-unknown': {
      error: 'OpenCode CLI error (exit 1): Error: Session not found\n',
      code: 'session_not_found',
      sessionId: 'none',
      resuming: 'ses_1111111111111111111111111',
    },
    thinking: { answer: 'The answer is 42.' },
    tool: { answer: 'The tool said it.', said: 'Looking. The tool said it.' },
    'tool-fails': { answer: 'It failed.' },
  },
});

describe('opencode alone', () => {
  it('goes on behind a step that said "stop" when it compacts the conversation', async ({ stage }) => {
    const say = (line: object) => `echo '${JSON.stringify({ sessionID: 's', ...line })}'`;
    const text = (words: string) => say({ type: 'text', part: { text: words } });
    const stop = say({ type: 'step_finish', part: { reason: 'stop' } });
    const start = say({ type: 'step_start', part: {} });
    // As seen with 1.18.33: the summary is a step, then OpenCode says something itself and asks the model again.
    const agent = stage.program(
      'agent',
      [
        ...[start, text('First. '), stop, start, 'sleep 1.5', text('A summary. '), stop],
        ...[text('Continue. '), 'sleep 1.5', start, 'sleep 1.5', text('Last.'), stop],
      ].join('\n'),
    );
    const backend = new OpenCodeBackend({ ...stage.configFor(agent), exitGraceMs: 700 });
    const events = await collect(backend.run({ prompt: 'hi' }));
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: expect.stringMatching(/Last\.$/) });
    expect(events.filter(({ type }) => type === 'notice')).toEqual([]);
  });

  it('a turn that ends at a tool, as after a refused permission, is no answer', async ({ stage }) => {
    const { stdout } = readRecording('opencode', 'tool');
    const end = stdout.findIndex((line) => line.includes('"reason":"tool-calls"')) + 1;
    const env = stage.replay(`${stdout.slice(0, end).join('\n')}\n`);
    const events = await collect(new OpenCodeBackend(stage.config('replay.sh', env)).run({ prompt: 'hi' }));
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      message: 'OpenCode CLI ended before its turn was complete',
    });
  });
});
