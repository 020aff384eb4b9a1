import type { StepEvent } from '../../core/chat-event.js';
import { classifyFailure } from '../output/classify-failure.js';
import { retryNotice } from '../output/retries.js';
import { innerMessage } from './decoder.js';

/** The retries in a part of stderr, or of the debug log, and the rest of it, in which the next one may have begun. */
export function findRetries(log: string): readonly [notices: readonly StepEvent[], rest: string] {
  const notices: StepEvent[] = [];
  let end = 0;
  // In whole lines a retry is found or not at the first look: an unfinished one would be searched from each attempt in it.
  const lines = log.slice(0, log.lastIndexOf('\n') + 1);
  for (const match of lines.matchAll(attempt)) {
    const [whole, count = '1', status, words = '', retrying, delay, behind = ''] = match;
    end = match.index + whole.length;
    if (retrying === undefined) continue;
    const reason = reasonIn(`${words} ${behind}`);
    const known = status === undefined ? {} : { status: Number(status) };
    const code = status === undefined && reason === '' ? 'network' : classifyFailure(reason, known.status);
    notices.push(
      retryNotice('Gemini', {
        attempt: Number(count),
        code,
        ...known,
        ...(delay === undefined ? {} : { delayMs: Number(delay) }),
        reason: reason || (status === undefined ? 'no answer' : `status ${status}`),
      }),
    );
  }
  return [notices, log.slice(Math.max(end, log.length - longestAttempt))];
}

/** What the API said, if it is there; without the name of the error's class and Gemini's own remarks. */
function reasonIn(words: string): string {
  const plain = innerMessage(words.slice(0, longestAttempt))
    .replaceAll(/\s+/g, ' ')
    .replace(/Suggested retry after \S+/, '')
    .replace(/\w{0,80}Error: /, '')
    .replace(/\{.*/, '');
  return plain.replace(/^[.: ]+|[. ]+$/g, '');
}

const longestAttempt = 4000;

// Seen (0.61.0): "Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {…}", and over two lines
// "Attempt 1 failed: Quota exceeded. Please retry in 7.5s.\nSuggested retry after 7.5s.. Retrying after 8839ms...".
const attempt =
  /(?:^|\[WARN\] )Attempt (\d{1,9}) failed(?: with status (\d{1,9}))?((?:(?!Attempt \d|Retrying (?:after|with))[\s\S]){0,2000}?)(?:(Retrying) (?:after (\d{1,15})ms|with backoff)([^\n]*)\n|Max attempts)/gm;
