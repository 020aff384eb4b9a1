import type { ChatEvent, ErrorCode } from '../../core/chat-event.js';
import type { BackendEventResult, StreamCallback } from '../types.js';

/** Errors after which the session is not worth resuming. */
const withoutSession: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['timeout', 'parse', 'session_not_found']);

/** Folds a turn's events to the result of `execute()`. */
export async function foldTurn(
  events: AsyncIterable<ChatEvent>,
  onStream?: StreamCallback,
): Promise<BackendEventResult> {
  let sessionId: string | undefined;
  for await (const event of events) {
    switch (event.type) {
      case 'session':
        sessionId = event.sessionId;
        break;
      case 'text':
        onStream?.(event.text);
        break;
      case 'complete':
        return withId({ responseText: event.text, isError: false }, sessionId);
      case 'error':
        return withId(
          { responseText: event.message, isError: true },
          withoutSession.has(event.code) ? undefined : sessionId,
        );
    }
  }
  return { responseText: 'The turn ended without a result', isError: true };
}

function withId(result: BackendEventResult, sessionId: string | undefined): BackendEventResult {
  return sessionId === undefined ? result : { ...result, sessionId };
}
