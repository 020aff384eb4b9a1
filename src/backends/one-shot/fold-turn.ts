import type { ChatEvent, ErrorCode } from '../../core/chat-event.js';
import type { BackendEventResult } from '../types.js';
import type { StreamListener } from './stream-listener.js';

/** Errors after which the session is not worth resuming. */
const withoutSession: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['timeout', 'parse', 'session_not_found']);

/** Folds a turn's events to the result of `execute()`. While the listener is busy, the events wait. */
export async function foldTurn(
  events: AsyncIterable<ChatEvent>,
  listener?: Pick<StreamListener, 'hear'>,
): Promise<BackendEventResult> {
  let sessionId: string | undefined;
  for await (const event of events) {
    switch (event.type) {
      case 'session':
        sessionId = event.sessionId;
        break;
      case 'text': {
        const heard = listener?.hear(event.text);
        if (heard !== undefined) await heard;
        break;
      }
      case 'complete':
        return withId({ responseText: event.text, isError: false }, sessionId);
      case 'error':
        return withId(
          { responseText: event.detail ?? event.message, isError: true },
          withoutSession.has(event.code) ? undefined : sessionId,
        );
    }
  }
  return { responseText: 'The turn ended without a result', isError: true };
}

function withId(result: BackendEventResult, sessionId: string | undefined): BackendEventResult {
  return sessionId === undefined ? result : { ...result, sessionId };
}
