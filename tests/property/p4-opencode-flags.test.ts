import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OpenCodeBackend } from '../../src/backends/opencode-backend.js';
import { anyString, prompt, runs, settings } from './arbitraries.js';
import { configWith, openCodeArity, readArguments, valuesOf } from './read-arguments.js';

describe('Feature: multi-cli-backend, Property 4: the required flags of OpenCode (R5.2, R5.3, R5.5)', () => {
  it('Property 4: are there for any prompt, system prompt, tools, model and directory', () => {
    fc.assert(
      fc.property(prompt, anyString, settings, (text, systemPrompt, chosen) => {
        const args = new OpenCodeBackend(configWith(chosen)).buildArgs(text, systemPrompt);
        const read = readArguments(args.slice(1), openCodeArity);

        expect(args[0]).toBe('run');
        // It re-quotes its words: the prompt is not among them, it goes through stdin.
        expect(read.words).toEqual([]);
        expect(valuesOf(read, '--format')).toEqual(['json']);
        expect(valuesOf(read, '--model')).toEqual(chosen.model ? [chosen.model] : []);
      }),
      runs,
    );
  });
});
