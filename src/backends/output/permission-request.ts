import { TurnoutError } from '../../core/errors.js';

/** The error for an answer to a permission request that is unknown, or answered already. */
export function noSuchRequest(id: string): TurnoutError {
  return new TurnoutError('bad_request', `There is no permission request ${JSON.stringify(id)} to answer.`);
}
