import type { Usage } from '../../../../core/chat-event.js';
import type { StoredTurn } from '../../../../store/rows.js';

export function chatUsage({ inputTokens, outputTokens, cachedInputTokens = 0 }: Usage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
  };
}

export function responseUsage({ inputTokens, outputTokens, cachedInputTokens = 0 }: Usage) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}

/** OpenAI's word for why an answer ended. */
export function finishReason(turn: StoredTurn | undefined): 'stop' | 'length' | 'content_filter' {
  if (turn?.stopReason === 'max_turns') return 'length';
  return turn?.stopReason === 'refusal' ? 'content_filter' : 'stop';
}
