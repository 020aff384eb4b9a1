import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorCodes, errorEvent, notice } from '../../../../src/core/chat-event.js';
import { failureEvent, TurnoutError } from '../../../../src/core/errors.js';
import {
  isFromModel,
  judgeSession,
  lostSessionNotice,
} from '../../../../src/gateway/agents/failed-resume.js';
import { describeExit } from '../../../../src/process/start-process.js';

const resumed = { resumed: true, modelHeard: false };

describe('the session of a failed attempt (R10)', () => {
  const expected: Readonly<Partial<Record<ErrorCode, string>>> = {
    session_not_found: 'lost',
    crashed: 'suspect',
    unknown: 'suspect',
    parse: 'suspect',
    bad_request: 'suspect',
    timeout: 'hung',
  };

  it.each(errorCodes)('%s, before the model was heard', (code) => {
    expect(judgeSession(resumed, errorEvent(code, 'why'))).toBe(expected[code] ?? 'fine');
  });

  it('is fine once the model was heard, or in a process that had it open', () => {
    const crash = errorEvent('crashed', 'why');
    expect(judgeSession({ resumed: true, modelHeard: true }, crash)).toBe('fine');
    expect(judgeSession({ resumed: false, modelHeard: false }, crash)).toBe('fine');
  });

  it('is lost when the CLI says so, whenever it does', () => {
    const gone = errorEvent('session_not_found', 'gone');
    expect(judgeSession(resumed, gone)).toBe('lost');
    expect(judgeSession({ resumed: true, modelHeard: true }, gone)).toBe('lost');
    expect(judgeSession({ resumed: false, modelHeard: false }, gone)).toBe('lost');
  });

  it('is fine if the CLI was killed, but not if it has crashed by itself', () => {
    const ended = (signal: NodeJS.Signals) =>
      errorEvent('crashed', `Codex CLI error (${describeExit({ code: null, signal })}): unknown error`);
    expect(judgeSession(resumed, ended('SIGKILL'))).toBe('fine');
    expect(judgeSession(resumed, ended('SIGTERM'))).toBe('fine');
    expect(judgeSession(resumed, ended('SIGSEGV'))).toBe('suspect');
  });

  it.each([
    [137, 'SIGKILL', 'fine'],
    [143, 'SIGTERM', 'fine'],
    [130, 'SIGINT', 'fine'],
    [129, 'SIGHUP', 'fine'],
    [134, 'SIGABRT', 'suspect'],
    [135, 'SIGBUS', 'suspect'],
    [139, 'SIGSEGV', 'suspect'],
    [1, 'no signal', 'suspect'],
  ])("exit %i of a shim counts as its child's %s", (code, _signal, judged) => {
    const exit = describeExit({ code, signal: null });
    const ending = errorEvent('crashed', `Claude CLI error (${exit}): unknown error`);
    expect(judgeSession(resumed, ending)).toBe(judged);
  });

  it.each([
    'Failed to resume session: EMFILE: too many open files, open',
    'thread/resume failed: failed to read thread: No space left on device (os error 28)',
    'ENOSPC: no space left on device, write',
  ])('is fine if the machine has run out of something: %s', (message) => {
    expect(judgeSession(resumed, errorEvent('session_not_found', message))).toBe('fine');
    expect(judgeSession(resumed, errorEvent('crashed', message))).toBe('fine');
  });

  it('is fine if there was nothing left to start the CLI with', () => {
    const cause = Object.assign(new Error('spawn'), { code: 'EAGAIN' });
    const ending = failureEvent(new TurnoutError('crashed', 'could not be started', { cause }));
    expect(judgeSession(resumed, ending)).toBe('fine');
  });
});

it('a session, a notice, a usage of nothing and a failure are not from the model', () => {
  expect(isFromModel({ type: 'session', sessionId: 's', backend: 'claude' })).toBe(false);
  expect(isFromModel(notice('info', 'x'))).toBe(false);
  expect(isFromModel({ type: 'usage', inputTokens: 0, outputTokens: 0 })).toBe(false);
  expect(isFromModel(errorEvent('crashed', 'x'))).toBe(false);
  expect(isFromModel({ type: 'usage', inputTokens: 3, outputTokens: 0 })).toBe(true);
  expect(isFromModel({ type: 'thinking', text: 'x' })).toBe(true);
  expect(isFromModel({ type: 'tool_start', id: 't', name: 'Bash', input: {} })).toBe(true);
});

it('the notice of a lost session gives the first line of the reason, and not all of a long one', () => {
  expect(lostSessionNotice('codex', 'no rollout found\nStack: …')).toMatch(
    /^The session with codex could not be resumed \(no rollout found\)\n/,
  );
  expect(lostSessionNotice('codex', 'x'.repeat(5000)).length).toBeLessThan(600);
});
