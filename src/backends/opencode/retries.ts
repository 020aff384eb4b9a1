import type { ErrorCode, StepEvent } from '../../core/chat-event.js';
import { classifyFailure } from '../output/classify-failure.js';
import { retryNotice } from '../output/retries.js';
import { networkOr } from './failure.js';

/**
 * OpenCode (1.18.33) makes five retries, over a minute or as the API's `retry-after` says, and tells the API's words but not the
 * status. It retries whatever has one of `429|500|502|503|504|524`, or a word for a passing trouble, anywhere in the words or in
 * the body: a 401 too, if these digits are in the key.
 */
export const maxRetries = 5;

export function openCodeRetry(attempt: number, words: string, delayMs?: number): StepEvent {
  const code = networkOr(classifyFailure(words), words);
  return retryNotice('OpenCode', {
    attempt,
    of: maxRetries,
    ...(delayMs === undefined ? {} : { delayMs }),
    code: code === 'unknown' ? unnamed(delayMs) : code,
    reason: words || 'no reason given',
  });
}

/** Without a `retry-after` OpenCode waits for 30 s at most: a longer wait is the API's wish, and so a limit. */
function unnamed(delayMs = 0): ErrorCode {
  return delayMs > 31_000 ? 'rate_limit' : 'overloaded';
}

/** The arguments that make `opencode run` print a line for each failed call of the model, which it else keeps to itself. */
export const errorLog: readonly string[] = ['--print-logs', '--log-level=ERROR'];

/** A line of OpenCode's log. */
export const logLine = /^timestamp=\S+ level=/;

/**
 * A failed call after which OpenCode gives up has a line too: a failure is told as a retry when another one follows it, or when
 * the turn has gone on for so long.
 */
const settlesAfterMs = 1500;

/** Reads the log of one run, and tells the retries. */
export function retryReader(tell: (event: StepEvent) => void): (line: string) => void {
  let failures = 0;
  let held: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const release = () => {
    clearTimeout(timer);
    if (held !== undefined) tell(openCodeRetry(failures, held));
    held = undefined;
  };
  return (line) => {
    if (!/ message="stream error" /.test(line) || / small=true /.test(line)) return;
    release();
    failures += 1;
    held = reasonIn(line);
    timer = setTimeout(release, settlesAfterMs);
    timer.unref();
  };
}

function reasonIn(line: string): string {
  const quoted = / error\.error=("(?:[^"\\]|\\.)*"|\S+)/.exec(line)?.[1] ?? '';
  return unquoted(quoted).replace(/^\w*Error: /, '');
}

function unquoted(words: string): string {
  try {
    return words.startsWith('"') ? String(JSON.parse(words)) : words;
  } catch {
    return words;
  }
}
