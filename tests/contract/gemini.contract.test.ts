import { describe, expect } from 'vitest';
import { GeminiBackend } from '../../src/backends/gemini-backend.js';
import { pinnedVersion } from '../../src/backends/launch/vetted.js';
import { describeBackendContract } from './backend-contract.js';
import { readerOf } from './prompt-channels.js';
import { it } from './stage.js';

const hello = 'Hello from the scripted model.';
const older = { answer: 'Hello from an older version.\n' };
const empty =
  'The model returned an empty response with no text or thoughts. This may be a transient API issue; please try again.';

const unknown = '11111111-1111-4111-8111-111111111111';
const notFound = (id: string) =>
  ({
    error: `Gemini CLI error (exit 42): Error resuming session: Invalid session identifier "${id}".\n  Searched for sessions in /work-dir/home/.gemini/tmp/w/chats.\n  Use --list-sessions to see available sessions, then use --resume {number}, --resume {uuid}, or --resume latest.\n`,
    code: 'session_not_found',
    sessionId: 'none',
    resuming: id,
  }) as const;

describeBackendContract({
  name: 'gemini',
  reads: readerOf('gemini'),
  streamsOnRequest: true,
  label: 'Gemini',
  install: `npm install -g @google/gemini-cli@${pinnedVersion('gemini')}`,
  endIsRequired: true,
  // Gemini obeys its own slash commands on every channel, and has no switch for it.
  arrivesAs: { '/clear all of it': ' /clear all of it' },
  unsupported: [
    ['maxTurns', { maxTurns: 3 }],
    ['allowedTools', { allowedTools: ['read_file'] }],
    ['disallowedTools', { disallowedTools: ['read_file'] }],
    ['permissionMode', { permissionMode: 'ask' }],
  ],
  outcomes: {
    answer: { answer: hello },
    'answer-plain': { answer: hello },
    // Both with exit code 0.
    empty: { error: empty, code: 'unknown' },
    'empty-plain': { error: empty, code: 'unknown' },
    'http-400': { error: 'Gemini CLI error (exit 144): bad request', code: 'bad_request' },
    'http-401': { error: 'Gemini CLI error (exit 145): invalid key', code: 'auth' },
    'http-401-plain': { error: 'Gemini CLI error (exit 145): invalid key', code: 'auth' },
    // Only the trace on stderr tells what has happened.
    'older-cut': {
      error: 'Gemini CLI error (exit 1): [API Error: An unknown error occurred.]',
      code: 'network',
    },
    'older-no-session': { ...older, sessionId: 'none' },
    'older-session-spelling': older,
    resume: { answer: hello },
    'resume-plain': { answer: hello },
    'resume-unknown': notFound(unknown),
    'resume-unknown-plain': notFound(unknown),
    'resume-unknown-name': notFound('no-such-name'),
    thinking: { answer: 'The answer is 42.' },
    tool: { answer: 'The tool said it.', said: 'Looking. The tool said it.' },
    'tool-fails': { answer: 'It failed.' },
    'tool-plain': { answer: 'The tool said it.' },
  },
});

describe('gemini alone', () => {
  it('its retries are told while it waits, and it can be left then', async ({ stage }) => {
    const agent = stage.program(
      'agent',
      "echo 'Attempt 1 failed with status 429. Retrying with backoff...' >&2\nexec sleep 600",
    );
    // Without a limit: nothing but the one who leaves ends it.
    const backend = new GeminiBackend({ ...stage.configFor(agent), queryTimeoutMs: 0 });
    for await (const event of backend.run({ prompt: 'hi' })) {
      expect(event).toMatchObject({
        type: 'notice',
        level: 'warning',
        message: expect.stringContaining('429'),
      });
      break;
    }
    await stage.expectNothingLeft();
  });
});
