import type { ErrorCode } from '../../core/chat-event.js';
import { TurnoutError } from '../../core/errors.js';

/** A pushed channel's `deliver` rejects with it if no later try can succeed: the message is given up at once. */
export class FinalFailure extends TurnoutError {
  override readonly name = 'FinalFailure';

  constructor(message: string, options: { hint: string; cause?: unknown; code?: ErrorCode }) {
    super(options.code ?? 'bad_request', message, options);
  }
}
