import { randomUUID } from 'node:crypto';
import type { Denial } from './emit-claude-lines.js';
import type { ClaudeLine } from './plain-lines.js';
import { UsageMeter } from './usage-meter.js';

export type TurnEnding =
  | { readonly type: 'answered' }
  | { readonly type: 'cleared' }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'api_error'; readonly status: number; readonly message: string }
  | { readonly type: 'max_turns'; readonly limit: number }
  /** `inTool` is true if a tool was running, or waiting for a permission. */
  | { readonly type: 'interrupted'; readonly inTool: boolean };

export interface TurnTotals {
  readonly sessionId: string;
  readonly model: string;
  readonly answer: string;
  readonly durationMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly calls: number;
  readonly denials: readonly Denial[];
  readonly userMessages: readonly string[];
  /** The meter of the whole conversation; `resultLine` adds this turn to it. */
  readonly meter: UsageMeter;
}

/** The line that ends every turn of Claude. */
export function resultLine(ending: TurnEnding, totals: TurnTotals): ClaudeLine {
  const { sessionId, durationMs, inputTokens, outputTokens } = totals;
  const counts = { input_tokens: inputTokens * totals.calls, output_tokens: outputTokens };
  const sinceLast = totals.meter.add(totals.model, counts.input_tokens, outputTokens);
  return {
    type: 'result',
    ...outcomeOf(ending, totals.answer),
    duration_ms: durationMs,
    duration_api_ms: durationMs,
    num_turns: totals.calls,
    session_id: sessionId,
    total_cost_usd: totals.meter.costUsd,
    usage: { ...counts, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    modelUsage: totals.meter.byModel(),
    model_usage_since_last_result: sinceLast,
    permission_denials: totals.denials,
    ...(totals.userMessages.length === 0 ? {} : { user_message_uuids: totals.userMessages }),
    uuid: randomUUID(),
  };
}

/** The result line if no turn began, because the session to resume does not exist. */
export function missingSessionLine(sessionId: string, model: string): ClaudeLine {
  const ending = { type: 'failed', message: missingSession(sessionId) } as const;
  return resultLine(ending, { ...nothing, sessionId, model, meter: new UsageMeter(0) });
}

/** The result line for `/clear`, which no model sees. */
export function clearedLine(
  totals: Pick<TurnTotals, 'sessionId' | 'model' | 'userMessages' | 'meter'>,
): ClaudeLine {
  return resultLine({ type: 'cleared' }, { ...nothing, ...totals });
}

const nothing = {
  answer: '',
  durationMs: 0,
  inputTokens: 0,
  outputTokens: 0,
  calls: 0,
  denials: [],
  userMessages: [],
};

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
    case 'cleared':
      return {
        subtype: 'success',
        is_error: false,
        result: '',
        stop_reason: null,
        local_command: 'clear',
      };
    case 'api_error':
      // Claude calls an API error a success all the same; `is_error` tells the difference.
      return {
        subtype: 'success',
        is_error: true,
        api_error_status: ending.status,
        result: ending.message,
        stop_reason: 'stop_sequence',
        terminal_reason: 'api_error',
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
        stop_reason: ending.inTool ? 'tool_use' : null,
        terminal_reason: ending.inTool ? 'aborted_tools' : 'aborted_streaming',
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
