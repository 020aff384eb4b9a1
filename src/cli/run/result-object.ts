import type { CompleteEvent, ErrorEvent, Usage } from '../../core/chat-event.js';

/** A turn that has ended, or one that could not be begun. */
export interface TurnResult {
  readonly responseText: string;
  readonly sessionId?: string | undefined;
  readonly isError: boolean;
  readonly error?: Pick<ErrorEvent, 'code' | 'message' | 'retryAfterMs'> | undefined;
  readonly usage?: Usage | undefined;
  readonly backend?: string | undefined;
}

/**
 * The object of `--output-format json`: Claude's names, so that a script that reads `.result` works with every backend, and ours
 * beside them.
 */
export function withClaudeNames(
  result: TurnResult,
  { durationMs, stopReason }: { durationMs: number; stopReason?: CompleteEvent['stopReason'] | undefined },
): object {
  const { usage } = result;
  return {
    type: 'result',
    subtype: subtypeOf(result, stopReason),
    is_error: result.isError,
    duration_ms: Math.round(durationMs),
    result: result.responseText,
    session_id: result.sessionId,
    total_cost_usd: usage?.costUsd,
    ...result,
    ...(usage === undefined ? {} : { usage: { ...claudeUsage(usage), ...usage } }),
  };
}

function subtypeOf({ isError }: TurnResult, stopReason: string | undefined): string {
  if (isError) return 'error_during_execution';
  return stopReason === 'max_turns' ? 'error_max_turns' : 'success';
}

/** Claude counts what came from a cache apart from the other input. */
function claudeUsage({ inputTokens, outputTokens, cachedInputTokens = 0 }: Usage) {
  return {
    input_tokens: Math.max(0, inputTokens - cachedInputTokens),
    output_tokens: outputTokens,
    cache_read_input_tokens: cachedInputTokens,
  };
}
