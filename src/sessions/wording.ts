import type { AnyBackendName } from '../backends/registry.js';
import { notice } from '../core/chat-event.js';
import { TurnoutError } from '../core/errors.js';

// Messages that are the same in every kind of session.

export const neverStored = notice('info', 'The session was never stored: a new one was begun');

export function noAgentHooks(backend: AnyBackendName, where = ''): TurnoutError {
  return unsupported(backend, `hooks of the caller (agentHooks)${where}: live sessions of claude have them`);
}

export function unsupported(backend: AnyBackendName, what: string, hint?: string): TurnoutError {
  return new TurnoutError('unsupported', `${backend} does not support ${what}.`, { hint });
}

export function noLiveSessions(backend: AnyBackendName): TurnoutError {
  const hint =
    'Open it with `live: false` (on the command line: without --live): then each turn runs by itself.';
  return unsupported(backend, 'live sessions', hint);
}
