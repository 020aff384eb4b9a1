import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBackend, resolveBackendName, vendorNames } from '../../src/backends/registry.js';
import { anyText, runs } from './arbitraries.js';
import { configWith } from './read-arguments.js';

const others = fc.oneof(
  anyText,
  fc.string({ maxLength: 1 }),
  fc.constantFrom(
    '',
    ' ',
    'Claude',
    'CODEX',
    ' gemini',
    'opencode ',
    'claude-cli',
    'codex-sdk',
    'constructor',
    '__proto__',
  ),
  fc
    .constantFrom(...vendorNames)
    .chain((name) => fc.constantFrom(`${name}-cli`, `${name} `, `${name}\n`, name.toUpperCase(), `x${name}`)),
);

describe('Feature: multi-cli-backend, Property 7: the name of a backend (R6.2, R6.3, R6.5)', () => {
  it('Property 7: each of the four is itself, and names the backend that is made', () => {
    fc.assert(
      fc.property(fc.constantFrom(...vendorNames), (name) => {
        expect(resolveBackendName(name)).toBe(name);
        expect(createBackend(name, configWith({})).name()).toBe(name);
      }),
      runs,
    );
  });

  it('Property 7: unset means claude, and empty is no name', () => {
    expect(resolveBackendName(undefined)).toBe('claude');
    expect(() => resolveBackendName('')).toThrow(/Unknown backend "".*claude, codex, gemini, opencode/);
  });

  it('Property 7: any other value is refused with the list of the valid ones', () => {
    fc.assert(
      fc.property(
        others.filter((raw) => !vendorNames.some((name) => name === raw)),
        (raw) => {
          expect(() => resolveBackendName(raw)).toThrow(/claude, codex, gemini, opencode/);
          expect(() => resolveBackendName(raw)).toThrow(JSON.stringify(raw));
        },
      ),
      runs,
    );
  });
});
