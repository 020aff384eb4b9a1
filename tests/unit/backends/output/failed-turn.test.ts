import { describe, expect, it } from 'vitest';
import { claudeAdvice } from '../../../../src/backends/claude/advice.js';
import { codexAdvice } from '../../../../src/backends/codex/advice.js';
import { geminiAdvice } from '../../../../src/backends/gemini/advice.js';
import { openCodeAdvice } from '../../../../src/backends/opencode/advice.js';
import { classifyFailure } from '../../../../src/backends/output/classify-failure.js';
import { failedTurn, withAdvice } from '../../../../src/backends/output/failed-turn.js';
import { TurnoutError } from '../../../../src/core/errors.js';

// What the pinned CLIs said to scripted answers of the API, and what becomes of it.
const told = [
  ['Not logged in · Please run /login', undefined, 'auth', 'type `/login` there', false],
  ['Failed to authenticate. API Error: 403 no access', 403, 'auth', 'ANTHROPIC_API_KEY', false],
  ['Credit balance is too low', 400, 'rate_limit', 'no credit left', false],
  ['Quota exceeded. Check your plan and billing details.', undefined, 'rate_limit', 'no credit left', false],
  ['API Error: 402 Insufficient credits. Add more.', 402, 'rate_limit', 'no credit left', false],
  ['You have exhausted your daily quota on this model.', 429, 'rate_limit', 'quota of the day', false],
  ['exceeded retry limit, last status: 429 Too Many Requests', undefined, 'rate_limit', undefined, true],
  ["There's an issue with the selected model (x). Run --model …", 404, 'bad_request', '`/model`', false],
  ['models/x is not found for API version v1beta', undefined, 'bad_request', '`/model`', false],
  ['Prompt is too long · the request is ~210000 tokens', 400, 'bad_request', '`/new`', false],
  ['The input token count (9) exceeds the maximum', 400, 'bad_request', '`/new`', false],
  ['Incorrect API key provided: sk-429', undefined, 'auth', 'Sign in', false],
  ['Invalid value: 4500', undefined, 'bad_request', undefined, false],
  ['Selected model is at capacity. Please try a different model.', undefined, 'overloaded', undefined, true],
] as const;

describe('a failed turn', () => {
  it.each(told)('%s', (words, status, code, advice, retryable) => {
    const event = failedTurn({ code: classifyFailure(words, status), words }, claudeAdvice);
    expect(event).toMatchObject({ type: 'error', code, retryable });
    expect(event.detail ?? event.message).toBe(words);
    if (advice === undefined) expect(event.detail).toBeUndefined();
    else expect(event.message.slice(words.length)).toContain(advice);
  });

  it('says how to sign in to each of the four in a terminal', () => {
    const hints = [claudeAdvice, codexAdvice, geminiAdvice, openCodeAdvice].map(({ signIn }) => signIn);
    const commands = ['`claude`', '`codex login`', '`gemini`', '`opencode auth login`'];
    for (const [index, command] of commands.entries()) expect(hints[index]).toContain(command);
  });

  it('has the time to wait as told: a number, a time, or words; and none where waiting does not help', () => {
    const words = 'slow down, try again in 20s';
    const event = (more: object) => failedTurn({ code: 'rate_limit', words, ...more }, undefined);
    expect(event({}).retryAfterMs).toBe(20_000);
    expect(event({ retryAfterMs: 5 }).retryAfterMs).toBe(5);
    expect(event({ retryAt: Date.now() + 60_000 }).retryAfterMs).toBeGreaterThan(50_000);
    expect(event({ code: 'auth' }).retryAfterMs).toBeUndefined();
    expect(event({ words: `Insufficient credits, ${words}` }).retryAfterMs).toBeUndefined();
  });

  it('has no time to wait that no limit lasts', () => {
    const words = 'slow down';
    for (const retryAfterMs of [1e18, Number.POSITIVE_INFINITY, Number.NaN, -1])
      expect(failedTurn({ code: 'rate_limit', words, retryAfterMs }, undefined)).not.toHaveProperty(
        'retryAfterMs',
      );
    for (const far of ['try again in 99999999999999999999 days', 'retry after 9999999999999999s'])
      expect(failedTurn({ code: 'rate_limit', words: far }, undefined)).not.toHaveProperty('retryAfterMs');
    const both = { code: 'rate_limit', words: 'try again in 20s', retryAfterMs: 1e18 } as const;
    expect(failedTurn(both, undefined).retryAfterMs).toBe(20_000);
  });

  it('that could not begin gets the same advice, unless it has its own', () => {
    const error = new TurnoutError('auth', 'no key');
    expect(withAdvice(error, geminiAdvice).explanation).toBe(`no key\n${geminiAdvice.signIn}`);
    const own = new TurnoutError('auth', 'no key', { hint: 'do this' });
    expect(withAdvice(own, geminiAdvice)).toBe(own);
  });
});

it('a session that is not there is told in our words, with what to type (18.4)', () => {
  const words = 'Error: --resume requires a valid session ID. Usage: claude -p --resume <session-id|title>';
  const message =
    'The session to resume was not found.\n`turnout sessions` lists the sessions of this directory.';
  expect(failedTurn({ code: 'session_not_found', words }, claudeAdvice)).toMatchObject({
    message,
    detail: words,
  });
  const opened = withAdvice(new TurnoutError('session_not_found', words), claudeAdvice);
  expect(opened).toMatchObject({ explanation: message, cause: { message: words } });
  const hinted = new TurnoutError('session_not_found', 'None here.', { hint: 'Look there.' });
  expect(withAdvice(hinted, claudeAdvice)).toBe(hinted);
});
