import type { BackendName } from '../backends/registry.js';
import { notice } from '../core/chat-event.js';
import { TurnoutError } from '../core/errors.js';

// Messages that are the same in every kind of session.

export const neverStored = notice('info', 'The session was never stored: a new one was begun');

export function unsupported(backend: BackendName, what: string): TurnoutError {
  return new TurnoutError('unsupported', `${backend} does not support ${what}.`);
}
