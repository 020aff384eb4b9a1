import type { BackendName } from '../backends/registry.js';
import { TurnoutError } from '../core/errors.js';

// What every kind of session refuses in the same words.

export function unsupported(backend: BackendName, what: string): TurnoutError {
  return new TurnoutError('unsupported', `${backend} does not support ${what}.`);
}

export function noSuchRequest(id: string): TurnoutError {
  return new TurnoutError('bad_request', `There is no permission request ${JSON.stringify(id)} to answer.`);
}
