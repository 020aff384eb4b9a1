import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClaudeCodeBackend } from '../../src/backends/claude-backend.js';
import { anyString, prompt, runs, settings } from './arbitraries.js';
import { claudeArity, configWith, readArguments, valuesOf } from './read-arguments.js';

describe('Feature: multi-cli-backend, Property 1: the required flags of Claude (R2.2, R2.5, R2.6)', () => {
  it('Property 1: are there for any prompt, system prompt file, tools, model and directory', () => {
    fc.assert(
      fc.property(prompt, anyString, settings, (text, systemPromptFile, chosen) => {
        const args = new ClaudeCodeBackend(configWith(chosen)).buildArgs(text, systemPromptFile);
        const read = readArguments(args, claudeArity);

        expect(args.slice(0, 2)).toEqual(['-p', text]);
        expect(read.words).toEqual([]);
        expect(valuesOf(read, '--output-format')).toEqual(['json']);
        expect(valuesOf(read, '--dangerously-skip-permissions')).toHaveLength(1);
        expect(valuesOf(read, '--append-system-prompt-file')).toEqual([systemPromptFile]);
        expect(valuesOf(read, '--allowedTools')).toEqual(chosen.allowedTools);
        expect(valuesOf(read, '--max-turns')).toEqual([String(chosen.maxTurns)]);
        expect(valuesOf(read, '--model')).toEqual(chosen.model ? [chosen.model] : []);
      }),
      runs,
    );
  });

  it('Property 1: the built-in tools that are not listed are taken away', () => {
    fc.assert(
      fc.property(settings, (chosen) => {
        const read = readArguments(
          new ClaudeCodeBackend(configWith(chosen)).buildArgs('hi', '/f'),
          claudeArity,
        );
        const [tools, ...more] = valuesOf(read, '--tools');
        expect(more).toEqual([]);
        if (chosen.allowedTools.length === 0) {
          expect(tools).toBeUndefined();
          return;
        }
        const named = ['Bash', 'Read', 'Edit'].filter((name) =>
          chosen.allowedTools.some((tool) => tool === name || tool.startsWith(`${name}(`)),
        );
        expect(tools?.split(',')).toEqual(expect.arrayContaining(named));
        expect(tools?.split(',').filter((name) => name.startsWith('mcp__'))).toEqual([]);
      }),
      runs,
    );
  });
});
