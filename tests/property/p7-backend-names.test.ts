import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backendNames, createBackend, resolveBackendName } from '../../src/backends/registry.js';
import { anyText, runs } from './arbitraries.js';
import { configWith } from './read-arguments.js';

const others = fc.oneof(
  anyText,
  fc.constantFrom(
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
    .constantFrom(...backendNames)
    .chain((name) => fc.constantFrom(`${name} `, `${name}\n`, name.toUpperCase(), `x${name}`)),
);

describe('Property 7: the name of a backend (R6.2, R6.3, R6.5)', () => {
  it('Property 7: each of the four is itself, and names the backend that is made', () => {
    fc.assert(
      fc.property(fc.constantFrom(...backendNames), (name) => {
        expect(resolveBackendName(name)).toBe(name);
        expect(createBackend(name, configWith({})).name()).toBe(name);
      }),
      runs,
    );
  });

  it('Property 7: unset or blank means claude', () => {
    expect(resolveBackendName(undefined)).toBe('claude');
    expect(resolveBackendName('')).toBe('claude');
  });

  it('Property 7: any other value is refused with the list of the valid ones', () => {
    fc.assert(
      fc.property(
        others.filter((raw) => raw !== '' && !backendNames.some((name) => name === raw)),
        (raw) => {
          expect(() => resolveBackendName(raw)).toThrow(/claude, codex, gemini, opencode/);
          expect(() => resolveBackendName(raw)).toThrow(JSON.stringify(raw));
        },
      ),
      runs,
    );
  });
});
