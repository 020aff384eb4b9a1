import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { type BackendName, createBackend } from '../../src/backends/registry.js';
import { it, type Stage } from '../contract/stage.js';
import { anyText } from './arbitraries.js';

const labels: Readonly<Record<BackendName, string>> = {
  claude: 'Claude',
  codex: 'Codex',
  gemini: 'Gemini',
  opencode: 'OpenCode',
};

// An environment variable carries it to the program, so it holds no NUL.
const stderr = fc
  .oneof(
    { weight: 3, arbitrary: anyText },
    { weight: 1, arbitrary: fc.constantFrom('', ' ', '\n', '\t \n') },
    // Around the cut, also with a character of two units upon it.
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.integer({ min: 0, max: 600 }), anyText)
        .map(([length, tail]) => 'x'.repeat(length) + tail),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.integer({ min: 495, max: 501 }), fc.constant('😀'.repeat(10)))
        .map((p) => 'x'.repeat(p[0]) + p[1]),
    },
  )
  .map((text) => text.replaceAll('\0', '0').replaceAll('\u001b', 'E'));

const ending = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.integer({ min: 1, max: 255 }).map((code) => ({ exit: String(code), how: `exit ${code}` })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('KILL', 'TERM', 'ABRT', 'HUP', 'SEGV')
      .map((name) => ({ exit: '0', signal: name, how: `signal SIG${name}` })),
  },
);

describe.concurrent('Property 8: a non-zero exit (R8.2), with real processes', { timeout: 60_000 }, () => {
  for (const name of ['claude', 'codex', 'gemini', 'opencode'] as const) {
    it(`Property 8: ${name} says how it ended and what was on stderr`, async ({ stage }) => {
      await fc.assert(
        fc.asyncProperty(stderr, ending, async (said, how) => {
          const detail = said.trim() === '' ? 'unknown error' : firstCharacters(said);
          expect(await runFailing(stage, name, said, how)).toEqual({
            isError: true,
            responseText: `${labels[name]} CLI error (${how.how}): ${detail}`,
          });
        }),
        { numRuns: 100 },
      );
    });
  }
});

function runFailing(stage: Stage, name: BackendName, said: string, how: { exit: string; signal?: string }) {
  const env = { FAIL_STDERR: said, FAIL_EXIT: how.exit, FAIL_SIGNAL: how.signal ?? '' };
  return createBackend(name, stage.config('fail.sh', env)).execute('hi', '');
}

/** The first 500, less half of a character that the cut would leave. */
function firstCharacters(text: string): string {
  return text.slice(0, 500).replace(/[\ud800-\udbff]$/, '');
}
