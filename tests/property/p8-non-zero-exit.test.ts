import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { createBackend, type VendorName, vendorNames } from '../../src/backends/registry.js';
import { it, type Stage } from '../contract/stage.js';
import { anyText } from './arbitraries.js';

const labels: Readonly<Record<VendorName, string>> = {
  claude: 'Claude',
  codex: 'Codex',
  gemini: 'Gemini',
  opencode: 'OpenCode',
};

const words = fc
  .oneof(
    { weight: 3, arbitrary: anyText },
    { weight: 1, arbitrary: fc.constantFrom('', ' ', '\n', '\t \n', '\0') },
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
  .map((text) => text.replaceAll('\u001b', 'E'));

/** A terminal's colours, title and cursor, which are no characters of the message. */
const control = fc.constantFrom(
  '\u001b[31m',
  '\u001b[1;38;5;196m',
  '\u001b[0m',
  '\u001b[2K',
  '\u001b]0;x\u0007',
);

/** Any stderr, with and without colours: as it was printed, and its text. */
const stderr = fc
  .tuple(words, fc.option(fc.tuple(control, words, control), { nil: undefined, freq: 4 }))
  .map(([first, coloured]) => {
    if (coloured === undefined) return { printed: first, text: first };
    const [before, second, after] = coloured;
    return { printed: `${first}${before}${second}${after}`, text: first + second };
  });

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

describe('Feature: multi-cli-backend, Property 8: a non-zero exit (R8.2), with real processes', {
  timeout: 60_000,
}, () => {
  it('Property 8: whichever CLI it is, the result says how it ended and what was on stderr', async ({
    stage,
  }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...vendorNames),
        stderr,
        ending,
        async (name, { printed, text }, how) => {
          const detail = text.trim() === '' ? 'unknown error' : firstCharacters(text);
          expect(await runFailing(stage, name, printed, how)).toEqual({
            isError: true,
            responseText: `${labels[name]} CLI error (${how.how}): ${detail}`,
          });
        },
      ),
      { numRuns: 150 },
    );
  });
});

function runFailing(stage: Stage, name: VendorName, said: string, how: { exit: string; signal?: string }) {
  const end = { stderr: said, exit: Number(how.exit), signal: how.signal ?? '' };
  return createBackend(name, stage.config('replay.sh', stage.replay('', end))).execute('hi', '');
}

/** The first 500, less half of a character that the cut would leave. */
function firstCharacters(text: string): string {
  return text.slice(0, 500).replace(/[\ud800-\udbff]$/, '');
}
