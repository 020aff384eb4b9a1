import { afterAll } from 'vitest';
import { registerBackend } from '../../src/index.js';
import { ParrotBackend } from '../fixtures/parrot/parrot-backend.js';
import { describeBackendContract } from './backend-contract.js';
import { valueBehind } from './prompt-channels.js';

// The fifth backend: a folder (tests/fixtures/parrot) and one line. docs/adding-a-backend.md tells its story.
const unregister = registerBackend('parrot', {
  create: ParrotBackend,
  command: 'parrot',
  install: 'cp parrot.mjs ~/bin/parrot',
});

afterAll(unregister);

describeBackendContract({
  name: 'parrot',
  label: 'Parrot',
  install: 'cp parrot.mjs ~/bin/parrot',
  streamsOnRequest: false,
  endIsRequired: true,
  reads: {
    prompt: ({ stdin }) => stdin,
    systemPrompt: ({ argv, files }) =>
      files.find(({ path }) => path === valueBehind(argv, '--notes'))?.content,
  },
  unsupported: [
    ['maxTurns', { maxTurns: 3 }],
    ['allowedTools', { allowedTools: ['read'] }],
    ['disallowedTools', { disallowedTools: ['read'] }],
    ['mcpConfig', { mcpConfig: '/mcp.json' }],
    ['permissionMode', { permissionMode: 'plan' }],
  ],
  outcomes: {
    answer: { answer: 'Hello from the scripted model.' },
    tool: { answer: 'The tool said it.', said: 'Looking. The tool said it.' },
    'tool-fails': { answer: 'It failed.' },
    resume: { answer: 'Polly was here.' },
    'resume-unknown': {
      error: 'Parrot CLI error (exit 2): session not found: nobody\n',
      code: 'session_not_found',
      sessionId: 'none',
      resuming: 'nobody',
    },
    fails: { error: 'Parrot CLI error (exit 1): invalid API key', code: 'auth' },
  },
});
