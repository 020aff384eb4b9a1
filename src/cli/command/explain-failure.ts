import { TurnoutError } from '../../core/errors.js';
import { exitCodeFor, exitCodes } from '../../core/exit-codes.js';
import { say } from '../output/say.js';

/**
 * Tells on stderr why a command has failed. Returns the exit code: `code`, or the one that the error stands for. What is no
 * TurnoutError is a fault of Turnout's own, and is thrown again.
 */
export function explainFailure(error: unknown, code?: number): number {
  if (!(error instanceof TurnoutError)) throw error;
  say(error.explanation);
  return code ?? failureCode(error);
}

function failureCode({ code }: TurnoutError): number {
  if (code === 'bad_request') return exitCodes.usage;
  // A gateway that is not there is as unavailable as a CLI.
  return code === 'network' ? exitCodes.unavailable : exitCodeFor(code);
}
