import { describe, expect, it } from 'vitest';
import { withClaudeNames } from '../../../../src/cli/run/result-object.js';

describe('--output-format json', () => {
  const usage = { inputTokens: 60, outputTokens: 7, cachedInputTokens: 20, costUsd: 0.5 };

  it("has Claude's names and ours (O5)", () => {
    const result = { responseText: 'Hi.', sessionId: 'id', isError: false, usage, backend: 'codex' };
    expect(withClaudeNames(result, { durationMs: 12.3, stopReason: 'end_turn' })).toEqual({
      type: 'result',
      subtype: 'success',
      is_error: false,
      duration_ms: 12,
      result: 'Hi.',
      session_id: 'id',
      total_cost_usd: 0.5,
      responseText: 'Hi.',
      sessionId: 'id',
      isError: false,
      backend: 'codex',
      // Claude counts cached input apart, ours is all of it.
      usage: { input_tokens: 40, output_tokens: 7, cache_read_input_tokens: 20, ...usage },
    });
  });

  it('tells a failure, and a turn that was cut off (O5)', () => {
    const failed = { responseText: 'No.', isError: true, error: { code: 'auth', message: 'No.' } } as const;
    expect(withClaudeNames(failed, { durationMs: 0 })).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      result: 'No.',
      error: { code: 'auth' },
    });
    const cut = { responseText: 'So far', isError: false };
    expect(withClaudeNames(cut, { durationMs: 0, stopReason: 'max_turns' })).toMatchObject({
      subtype: 'error_max_turns',
    });
  });
});
