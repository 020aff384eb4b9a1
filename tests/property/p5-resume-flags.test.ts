import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClaudeCodeBackend } from '../../src/backends/claude-backend.js';
import { CodexBackend } from '../../src/backends/codex-backend.js';
import { GeminiBackend } from '../../src/backends/gemini-backend.js';
import { OpenCodeBackend } from '../../src/backends/opencode-backend.js';
import { anyString, prompt, runs, sessionId, settings } from './arbitraries.js';
import {
  claudeArity,
  codexArity,
  configWith,
  geminiArity,
  openCodeArity,
  readArguments,
  valuesOf,
} from './read-arguments.js';

/** The resume part of an argument list: the id behind its flag or word, and whether anything else does. */
const cases = [
  {
    name: 'Claude: --resume <id>',
    create: ClaudeCodeBackend,
    resumed: (args: readonly string[]) => valuesOf(readArguments(args, claudeArity), '--resume'),
  },
  {
    name: 'Codex: options first, then resume <id>',
    create: CodexBackend,
    resumed: (args: readonly string[]) => {
      // From the left: the words between the options and the last `--` are `resume` and the id, or nothing.
      const options = optionsEnd(args);
      return args.slice(options, -2).length === 0 ? [] : codexResume(args.slice(options, -2));
    },
  },
  {
    name: 'Gemini: --resume <id>',
    create: GeminiBackend,
    resumed: (args: readonly string[]) => valuesOf(readArguments(args.slice(1), geminiArity), '--resume'),
  },
  {
    name: 'OpenCode: --session <id> --continue',
    create: OpenCodeBackend,
    resumed: (args: readonly string[]) => {
      const read = readArguments(args.slice(1), openCodeArity);
      const ids = valuesOf(read, '--session');
      expect(valuesOf(read, '--continue')).toHaveLength(ids.length);
      return ids;
    },
  },
];

describe('Feature: multi-cli-backend, Property 5: the resume flags are there exactly when there is a session id (R2.3, R3.7, R4.5, R5.4, R5.5)', () => {
  for (const { name, create, resumed } of cases) {
    it(`Property 5: ${name}`, () => {
      fc.assert(
        fc.property(
          prompt,
          anyString,
          settings,
          fc.option(sessionId, { nil: undefined }),
          (text, system, chosen, id) => {
            const args = new create(configWith(chosen)).buildArgs(text, system, id);
            expect(resumed(args)).toEqual(id === undefined || id === '' ? [] : [id]);
          },
        ),
        runs,
      );
    });

    it(`Property 5: ${name}: with an empty id the arguments are those of a new session`, () => {
      fc.assert(
        fc.property(prompt, anyString, settings, (text, system, chosen) => {
          const backend = new create(configWith(chosen));
          expect(backend.buildArgs(text, system, '')).toEqual(backend.buildArgs(text, system));
        }),
        runs,
      );
    });
  }
});

function optionsEnd(args: readonly string[]): number {
  let at = 1;
  while (Object.hasOwn(codexArity, args[at] ?? '')) at += 1 + (codexArity[args[at] ?? ''] ?? 0);
  return at;
}

function codexResume(words: readonly string[]): readonly (string | undefined)[] {
  expect(words).toHaveLength(2);
  expect(words[0]).toBe('resume');
  return words.slice(1);
}
