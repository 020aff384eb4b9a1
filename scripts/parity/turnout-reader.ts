import type { ChatEvent, UsageEvent } from '../../src/core/chat-event.js';
import type { Fact } from './facts.js';

/** Reads the events of one turn. */
export class TurnReader {
  #usage: UsageEvent | undefined;

  read(event: ChatEvent): readonly Fact[] {
    switch (event.type) {
      case 'session':
        return [{ type: 'session', id: event.sessionId }];
      case 'text':
      case 'thinking':
        return [{ type: event.type, text: event.text }];
      case 'thinking_start':
      case 'thinking_end':
        return [];
      case 'tool_start':
        return [{ type: 'tool', id: event.id, name: event.name, input: event.input }];
      case 'tool_end':
        return [{ type: 'output', id: event.id, output: event.output, isError: event.isError }];
      case 'permission_request':
        return [{ type: 'question', tool: event.tool, input: event.input }];
      case 'permission_resolved':
        return [{ type: 'decision', decision: event.decision }];
      case 'notice':
        return [isRetry.test(event.message) ? { type: 'retry' } : { type: 'notice', message: event.message }];
      case 'usage':
        // A later one replaces an earlier one.
        this.#usage = event;
        return [];
      case 'complete':
        return [...this.#used(), { type: 'answer', text: event.text, stopReason: event.stopReason }];
      case 'error':
        return [
          ...this.#used(),
          { type: 'failure', code: event.code, message: event.detail ?? event.message, how: 'told' },
        ];
    }
  }

  #used(): readonly Fact[] {
    if (this.#usage === undefined) return [];
    const { inputTokens: input, cachedInputTokens: cached = 0, outputTokens: output } = this.#usage;
    return [{ type: 'usage', input, cached, output }];
  }
}

const isRetry = /retry \d|^reconnecting/i;
