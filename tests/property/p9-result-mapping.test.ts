import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BackendEventResult } from '../../src/backends/types.js';
import { mapBackendResult } from '../../src/gateway/agent-runtime.js';
import { anyString } from './arbitraries.js';

const results = fc.record(
  {
    isError: fc.boolean(),
    responseText: fc.option(anyString, { nil: undefined }),
    sessionId: fc.option(anyString, { nil: undefined }),
  },
  { requiredKeys: ['isError'] },
) as fc.Arbitrary<BackendEventResult>;

describe('Feature: multi-cli-backend, Property 9: result mapping (R10.3)', () => {
  it('Property 9: an error becomes an error, and nothing else', () => {
    fc.assert(
      fc.property(results, anyString, (result, channel) => {
        const mapped = mapBackendResult({ ...result, isError: true }, channel);
        expect(Object.keys(mapped).sort()).toEqual(['error', 'targetChannelId']);
        expect(mapped.targetChannelId).toBe(channel);
        expect(mapped.error).toBe(result.responseText);
      }),
      { numRuns: 300 },
    );
  });

  it('Property 9: a success keeps text and session id as they are, and has no error', () => {
    fc.assert(
      fc.property(results, anyString, (result, channel) => {
        const mapped = mapBackendResult({ ...result, isError: false }, channel);
        expect(mapped).not.toHaveProperty('error');
        expect(mapped.responseText).toBe(result.responseText);
        expect(mapped.sessionId).toBe(result.sessionId);
        expect(mapped.targetChannelId).toBe(channel);
      }),
      { numRuns: 300 },
    );
  });
});
