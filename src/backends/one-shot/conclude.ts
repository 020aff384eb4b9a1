import { type ErrorCode, type ErrorEvent, errorEvent } from '../../core/chat-event.js';
import { describeExit, exitCodeOf, type ProcessExit } from '../../process/start-process.js';
import type { Advice } from '../output/advice.js';
import { classifyFailure } from '../output/classify-failure.js';
import type { Ending } from '../output/ending.js';
import { failedTurn } from '../output/failed-turn.js';
import { firstCharacters } from '../output/stderr.js';

export interface Conclusion {
  /** The vendor's name in the message of a failure: Claude, Codex, Gemini, OpenCode. */
  readonly label: string;
  readonly exit: ProcessExit;
  /** The stderr without colours and without the lines that the CLI prints on every run. */
  readonly stderr: string;
  readonly ending: Ending | undefined;
  /** True if anything on stdout was understood. */
  readonly understood: boolean;
  readonly answerIsEmpty: boolean;
  /** The failure in the CLI's own terms, if stderr or the exit code shows it. */
  readonly vendorFailure?: { readonly message?: string; readonly code?: ErrorCode } | undefined;
  readonly advice?: Advice | undefined;
}

export const parseFailure = 'Failed to parse CLI output';

/** Finds the failure in the facts of a finished process; `undefined` means success. */
export function findFailure(facts: Conclusion): ErrorEvent | undefined {
  const { label, exit, ending, vendorFailure, advice } = facts;
  if (exit.code !== 0 && !isRefusal(facts)) {
    const reported = ending?.type === 'failed' ? ending : undefined;
    const detail =
      vendorFailure?.message ??
      (facts.stderr.trim() === '' ? (reported?.message ?? 'unknown error') : facts.stderr);
    const words = `${detail}\n${reported?.message ?? ''}`;
    const message = `${label} CLI error (${describeExit(exit)}): ${firstCharacters(detail, 500)}`;
    const code = reported?.code ?? vendorFailure?.code ?? classifyFailure(words);
    // A failure that the CLI reported keeps its code; an end without a message that we know is a crash.
    const explained = exit.signal === null && (reported ?? vendorFailure?.message) !== undefined;
    const { retryAfterMs, retryAt } = reported ?? {};
    const told = code === 'unknown' && !explained ? 'crashed' : code;
    const failed = failedTurn({ code: told, words, message, retryAfterMs, retryAt }, advice);
    return { ...failed, exitCode: exitCodeOf(exit) };
  }
  if (ending?.type === 'failed') {
    const { code = classifyFailure(ending.message), message: words, retryAfterMs, retryAt } = ending;
    return failedTurn({ code, words, retryAfterMs, retryAt }, advice);
  }
  if (!facts.understood) return errorEvent('parse', parseFailure);
  if (ending === undefined) {
    return errorEvent('crashed', `${label} CLI ended before its turn was complete`);
  }
  if (ending.text === undefined ? facts.answerIsEmpty : ending.text === '') {
    return errorEvent('unknown', `${label} CLI gave an empty answer`);
  }
  return undefined;
}

/** Text from before a filter stopped the model is an answer, whatever the exit code (OpenCode's is 1). */
function isRefusal({ exit, ending, answerIsEmpty }: Conclusion): boolean {
  const refused = ending?.type === 'answered' && ending.stopReason === 'refusal';
  return refused && exit.signal === null && !answerIsEmpty;
}
