import { nearest } from './distance.js';
import { TurnoutError } from './errors.js';

/** Nothing is dropped in silence: an option that is misspelt would be. */
export function refuseUnknown(given: object, known: readonly string[], before: string): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const near = nearest(unknown, known);
  // In the message and not in the hint: of an error that nobody catches, only its message is shown.
  const meant = near === undefined ? `Options: ${known.join(', ')}.` : `Did you mean ${before}${near}?`;
  throw new TurnoutError('bad_request', `There is no option ${JSON.stringify(before + unknown)}. ${meant}`);
}
