import { describe, expect, it } from 'vitest';
import { readRetry } from '../../../../src/backends/codex/retries.js';
import { findRetries } from '../../../../src/backends/gemini/retries.js';
import { errorEnding } from '../../../../src/backends/opencode/failure.js';
import { retryReader } from '../../../../src/backends/opencode/retries.js';
import { classifyFailure } from '../../../../src/backends/output/classify-failure.js';
import { failedTurn } from '../../../../src/backends/output/failed-turn.js';
import { redactText } from '../../../../src/config/redact.js';
import { cpuMs } from '../../../machine-speed.js';

const length = 100_000;

/** Pieces of what the readers look for: repeated, they make a search go over the same characters again and again. */
const parts = [
  ...[' ', '.', '. ', '\\', '"', '\\"', '{', '1', 'a', '-', '\n', '1.', '(', 'x"'],
  ...[
    'credential ',
    'credentials ',
    'model ',
    'model:',
    'api key ',
    'HTTP ',
    'HTTP 1',
    'status ',
    'status: ',
  ],
  ...['"code": ', '"status":  ', 'rejected (', 'API Error: ', 'TypeError', 'Error:', '_Error: {', 'retry '],
  ...[
    'Attempt 1 failed',
    'Attempt 1 failed\n',
    '[WARN] Attempt 1 failed Retrying with backoff',
    'Retrying after ',
  ],
  ...['[WARN] Attempt 1 failed with status 429. Retrying after 1ms.', 'Suggested retry after ', 'try again '],
  ...['reconnecting... ', '1/5', ' error.error="', ' error.error=', '\\" error.error="\\', 'timestamp=x '],
];
const beginnings = [
  '',
  'Attempt 1 failed. ',
  '[WARN] Attempt 1 failed. Retrying with backoff... ',
  'Reconnecting... ',
  'reconnecting... 1/5 (',
];

const readers: readonly (readonly [name: string, read: (words: string) => unknown])[] = [
  ['the code of a failure', (words) => [classifyFailure(words), classifyFailure(words, 400)]],
  ['advice', (words) => failedTurn({ code: 'bad_request', words }, undefined)],
  ['the end of a limit', (words) => failedTurn({ code: 'rate_limit', words }, undefined)],
  ['retries of Codex', (words) => readRetry(words)],
  ['retries of Gemini', (words) => [findRetries(words), findRetries(`${words}\nRetrying after 5ms...\n`)]],
  ['failures of OpenCode', (words) => errorEnding({ name: 'APIError', data: { message: words } })],
  ['retries of OpenCode', (words) => retryReader(() => {})(` message="stream error" error.error="${words}`)],
  ['secrets', redactText],
];

describe.each(readers)('the search for %s', (_, read) => {
  it('takes little time, whatever the words repeat', () => {
    const slow: string[] = [];
    for (const beginning of beginnings)
      for (const part of parts) {
        const words = `${beginning}${part.repeat(length / part.length)}`;
        let tookMs = Number.POSITIVE_INFINITY;
        // A collection of garbage doesn't come three times in a row.
        for (let attempt = 0; attempt < 3 && tookMs > 400; attempt += 1) {
          const began = cpuMs();
          read(words);
          tookMs = Math.min(tookMs, Math.round(cpuMs() - began));
        }
        if (tookMs > 400) slow.push(`${JSON.stringify(beginning + part)}: ${tookMs} ms`);
      }
    expect(slow).toEqual([]);
  });
});
