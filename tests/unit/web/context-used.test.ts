import { describe, expect, it } from 'vitest';
import type { ChannelStatusView } from '../../../src/gateway/channels/http/wire.js';
import { contextInWords, contextUsed } from '../../../web/conversation/context-used.js';

describe('the context that the page shows', () => {
  const status = (context?: ChannelStatusView['context']) =>
    ({ channel: 'a', ...(context && { context }) }) as ChannelStatusView;
  const turn = (state: 'running' | 'answered', context: object) => ({
    state,
    usage: { inputTokens: 9_000, outputTokens: 9, ...context },
  });

  it('is the channel’s, or what the running turn has told since (16.4)', () => {
    const told = status({ tokens: 100, window: 1000 });
    expect(contextUsed(told, [turn('answered', { contextTokens: 7 })])).toEqual({
      tokens: 100,
      window: 1000,
    });
    expect(contextUsed(told, [turn('running', {})])).toEqual({ tokens: 100, window: 1000 });
    expect(contextUsed(told, [turn('running', { contextTokens: 150 })])).toEqual({
      tokens: 150,
      window: 1000,
    });
    const all = { contextTokens: 150, contextWindow: 2000 };
    expect(contextUsed(undefined, [turn('running', all)])).toEqual({ tokens: 150, window: 2000 });
    expect(contextUsed(status(), [turn('answered', all)])).toBeUndefined();
    expect(contextUsed(undefined, [])).toBeUndefined();
  });

  it('has a percentage where the window is known (16.4)', () => {
    expect(contextInWords({ tokens: 12_345, window: 200_000 })).toBe('Context: 12.3k of 200k tokens (6 %)');
    expect(contextInWords({ tokens: 950 })).toBe('Context: 950 tokens');
  });
});
