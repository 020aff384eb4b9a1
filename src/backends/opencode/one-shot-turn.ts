import type { StepEvent } from '../../core/chat-event.js';
import type { WireDecoder } from '../one-shot/decoder.js';
import { type OpenCodeState, openCodeDecoder } from './decoder.js';

/** What is known of a turn before OpenCode prints anything. */
export interface KnownTurn {
  /** The model that was asked for: OpenCode prints none, and uses this one or fails. */
  readonly model?: string | undefined;
  /** Told with the session. */
  readonly first?: StepEvent | undefined;
}

export function decoderOf({ model, first }: KnownTurn): WireDecoder<OpenCodeState> {
  const about = (event: StepEvent): readonly StepEvent[] => {
    if (event.type !== 'session') return [event];
    const session = model === undefined ? event : { ...event, model };
    return first === undefined ? [session] : [first, session];
  };
  return {
    ...openCodeDecoder,
    step(state, line, raw) {
      const [next, events] = openCodeDecoder.step(state, line, raw);
      return [next, next.sessionId === state.sessionId ? events : events.flatMap(about)];
    },
  };
}

/** A refusal without a word: `opencode run` exits with 1 when a filter has stopped the model (1.18.33). */
export const blocked = "The response was blocked by the provider's content filter";
