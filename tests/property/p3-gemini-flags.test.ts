import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GeminiBackend } from '../../src/backends/gemini-backend.js';
import { anyString, prompt, runs, settings } from './arbitraries.js';
import { configWith, geminiArity, readArguments, valuesOf } from './read-arguments.js';

describe('Feature: multi-cli-backend, Property 3: the required flags of Gemini (R4.2, R4.3, R4.4)', () => {
  it('Property 3: are there for any prompt, system prompt, tools, model and directory', () => {
    fc.assert(
      fc.property(prompt, anyString, settings, (text, systemPrompt, chosen) => {
        const [positional, ...rest] = new GeminiBackend(configWith(chosen)).buildArgs(text, systemPrompt);
        const read = readArguments(rest, geminiArity);

        // Without a way to append to its system prompt, ours stands in front of what the user typed.
        expect(positional?.endsWith(text)).toBe(true);
        expect(positional).toContain(systemPrompt);
        if (systemPrompt === '') expect(positional).toBe(text);
        expect(read.words).toEqual([]);
        expect(valuesOf(read, '--output-format')).toEqual(['json']);
        expect(valuesOf(read, '--approval-mode')).toEqual(['yolo']);
        expect(valuesOf(read, '--model')).toEqual(chosen.model ? [chosen.model] : []);
      }),
      runs,
    );
  });
});
