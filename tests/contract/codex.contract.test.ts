import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { CodexBackend } from '../../src/backends/codex-backend.js';
import { pinnedVersion } from '../../src/backends/launch/vetted.js';
import { collect, describeBackendContract } from './backend-contract.js';
import { readerOf } from './prompt-channels.js';
import { readRecording } from './recordings.js';
import { it } from './stage.js';

const hello = 'Hello from the scripted model.';
const older = { answer: 'Hello from an older version.\n' };
const unknown = '11111111-1111-4111-8111-111111111111';

describeBackendContract({
  name: 'codex',
  reads: readerOf('codex'),
  streamsOnRequest: false,
  label: 'Codex',
  install: `npm install -g @openai/codex@${pinnedVersion('codex')}`,
  endIsRequired: true,
  unsupported: [
    ['maxTurns', { maxTurns: 3 }],
    ['allowedTools', { allowedTools: ['shell'] }],
    ['disallowedTools', { disallowedTools: ['shell'] }],
    ['permissionMode', { permissionMode: 'ask' }],
  ],
  outcomes: {
    answer: { answer: hello },
    empty: { error: 'Codex CLI gave an empty answer', code: 'unknown' },
    'http-400': {
      error:
        'Codex CLI error (exit 1): {"error":{"message":"bad request","type":"invalid_request_error","param":null,"code":null}}',
      code: 'bad_request',
    },
    'http-401': {
      error:
        'Codex CLI error (exit 1): unexpected status 401 Unauthorized: invalid key, url: http://127.0.0.1:4100/v1/responses',
      code: 'auth',
    },
    'http-429': {
      error: 'Codex CLI error (exit 1): exceeded retry limit, last status: 429 Too Many Requests',
      code: 'rate_limit',
    },
    'older-items': older,
    'older-message': older,
    'older-msg': older,
    resume: { answer: hello },
    'resume-unknown': {
      error: `Codex CLI error (exit 1): Error: thread/resume: thread/resume failed: no rollout found for thread id ${unknown} (code -32600)`,
      code: 'session_not_found',
      sessionId: 'none',
      resuming: unknown,
    },
    'resume-unknown-name': {
      error:
        'Codex CLI error: session "no-such-name" was not found (Codex began "00000000-0000-4000-8000-000000000001" instead, which was stopped)',
      code: 'session_not_found',
      sessionId: 'none',
      resuming: 'no-such-name',
    },
    thinking: { answer: 'The answer is 42.' },
    tool: { answer: 'The tool said it.', said: 'Looking. The tool said it.' },
    'tool-fails': { answer: 'It failed.' },
  },
});

describe('codex alone', () => {
  it('the usage of a resumed turn is what the thread has used since', async ({ stage }) => {
    const backend = new CodexBackend(stage.config('replay.sh', stage.replay('')));
    const use = (scenario: string) =>
      stage.write('stdout', readRecording('codex', scenario).stdout.join('\n'));
    const id = '00000000-0000-4000-8000-000000000001';

    use('answer');
    const first = await collect(backend.run({ prompt: 'hi' }));
    expect(first.at(-1)).toMatchObject({ sessionId: id, usage: { inputTokens: 60, outputTokens: 7 } });
    use('resume');
    const second = await collect(backend.run({ prompt: 'hi', sessionId: id }));
    expect(readFileSync(stage.path('stdout'), 'utf8')).toContain('"input_tokens":120');
    expect(second.at(-1)).toMatchObject({ sessionId: id, usage: { inputTokens: 60, outputTokens: 7 } });
  });
});
