import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CodexBackend } from '../../src/backends/codex-backend.js';
import { anyString, prompt, runs, settings } from './arbitraries.js';
import { codexArity, configWith, readArguments, valuesOf } from './read-arguments.js';

describe('Feature: multi-cli-backend, Property 2: the required flags of Codex (R3.2, R3.3, R3.4, R3.5)', () => {
  it('Property 2: are there for any prompt, system prompt, tools, model and directory', () => {
    fc.assert(
      fc.property(prompt, anyString, settings, (text, systemPrompt, chosen) => {
        const args = new CodexBackend(configWith(chosen)).buildArgs(text, systemPrompt);
        const read = readArguments(args.slice(1), codexArity);

        expect(args[0]).toBe('exec');
        expect(args.slice(-2)).toEqual(['--', text]);
        expect(read.words).toEqual([text]);
        expect(valuesOf(read, '--json')).toHaveLength(1);
        expect(valuesOf(read, '--dangerously-bypass-approvals-and-sandbox')).toHaveLength(1);
        expect(valuesOf(read, '--cd')).toEqual([chosen.workingDir]);
        expect(valuesOf(read, '--model')).toEqual(chosen.model ? [chosen.model] : []);
      }),
      runs,
    );
  });

  it('Property 2: the system prompt is a TOML string that holds it to the character', () => {
    fc.assert(
      fc.property(anyString, (systemPrompt) => {
        const args = new CodexBackend(configWith({})).buildArgs('hi', systemPrompt);
        const read = readArguments(args.slice(1), codexArity);
        const prefix = 'developer_instructions=';
        const given = valuesOf(read, '-c').filter((value) => value?.startsWith(prefix));
        expect(given).toHaveLength(systemPrompt === '' ? 0 : 1);
        if (systemPrompt === '') return;
        const literal = given[0]?.slice(prefix.length) ?? '';
        // A TOML basic string may hold no control character but tab; its other escapes are JSON's.
        expect([...literal].filter((char) => (char < ' ' && char !== '\t') || char === '\u007f')).toEqual([]);
        // Half of a surrogate pair is no character: TOML has no escape for it.
        expect(JSON.parse(literal)).toBe(wellFormed(systemPrompt));
        expect(literal).not.toMatch(/\\u[dD][89a-fA-F]/);
      }),
      runs,
    );
  });
});

function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
