import { randomUUID } from 'node:crypto';
import type { Denial } from './emit-claude-lines.js';
import type { ClaudeLine } from './plain-lines.js';

export type TurnEnding =
  | { readonly type: 'answered' }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'api_error'; readonly status: number; readonly message: string }
  | { readonly type: 'max_turns'; readonly limit: number }
  | { readonly type: 'interrupted' };

export interface TurnTotals {
  readonly sessionId: string;
  readonly model: string;
  readonly answer: string;
  readonly durationMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly calls: number;
  readonly denials: readonly Denial[];
}

/** The line that ends every turn of Claude. */
export function resultLine(ending: TurnEnding, totals: TurnTotals): ClaudeLine {
  const { sessionId, durationMs, inputTokens, outputTokens } = totals;
  const counts = { input_tokens: inputTokens * totals.calls, output_tokens: outputTokens };
  const none = {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
    costUSD: 0,
  };
  const modelUsage = { ...none, inputTokens: counts.input_tokens, outputTokens };
  return {
    type: 'result',
    ...outcomeOf(ending, totals.answer),
    duration_ms: durationMs,
    duration_api_ms: durationMs,
    num_turns: totals.calls,
    session_id: sessionId,
    total_cost_usd: 0,
    usage: { ...counts, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    modelUsage: { [totals.model]: modelUsage },
    permission_denials: totals.denials,
    uuid: randomUUID(),
  };
}

/** The same line where no turn began, because the session to resume is not there. */
export function missingSessionLine(sessionId: string, model: string): ClaudeLine {
  const nothing = { answer: '', durationMs: 0, inputTokens: 0, outputTokens: 0, calls: 0, denials: [] };
  return resultLine({ type: 'failed', message: missingSession(sessionId) }, { sessionId, model, ...nothing });
}

export function missingSession(sessionId: string): string {
  return `No conversation found with session ID: ${sessionId}`;
}

function outcomeOf(ending: TurnEnding, answer: string): object {
  switch (ending.type) {
    case 'answered':
      return {
        subtype: 'success',
        is_error: false,
        api_error_status: null,
        result: answer,
        stop_reason: 'end_turn',
        terminal_reason: 'completed',
      };
    case 'api_error':
      // Claude calls it a success all the same; is_error tells.
      return {
        subtype: 'success',
        is_error: true,
        api_error_status: ending.status,
        result: ending.message,
        stop_reason: 'stop_sequence',
        terminal_reason: 'completed',
      };
    case 'max_turns':
      return {
        subtype: 'error_max_turns',
        is_error: true,
        stop_reason: 'tool_use',
        terminal_reason: 'max_turns',
        errors: [`Reached maximum number of turns (${ending.limit})`],
      };
    case 'interrupted':
      return {
        subtype: 'error_during_execution',
        is_error: true,
        stop_reason: null,
        terminal_reason: 'aborted_streaming',
        errors: ['[ede_diagnostic] The demo agent was interrupted'],
      };
    case 'failed':
      return {
        subtype: 'error_during_execution',
        is_error: true,
        stop_reason: null,
        errors: [ending.message],
      };
  }
}
