import type { ChatEvent, ErrorEvent } from '../core/chat-event.js';

/** Everything that a turn showed, through either face. */
export interface Outcome {
  readonly events: readonly ChatEvent[];
  /** The `text` pieces, joined. */
  readonly said: string;
  readonly answer: string | undefined;
  readonly sessionId: string | undefined;
  readonly error: ErrorEvent | undefined;
  /** The exit code of `turnout run`; `undefined` for the library. */
  readonly exitCode: number | undefined;
  readonly milliseconds: number;
}

export function outcomeOf(events: readonly ChatEvent[], milliseconds: number, exitCode?: number): Outcome {
  const last = events.at(-1);
  return {
    events,
    said: events.map((event) => (event.type === 'text' ? event.text : '')).join(''),
    answer: last?.type === 'complete' ? last.text : undefined,
    sessionId: events.findLast((event) => event.type === 'session')?.sessionId,
    error: last?.type === 'error' ? last : undefined,
    exitCode,
    milliseconds,
  };
}
