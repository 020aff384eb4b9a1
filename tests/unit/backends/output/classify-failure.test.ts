import { describe, expect, it } from 'vitest';
import { findFailure } from '../../../../src/backends/one-shot/conclude.js';
import { classifyFailure } from '../../../../src/backends/output/classify-failure.js';
import { firstCharacters, withoutNoise } from '../../../../src/backends/output/stderr.js';

describe('the code of a failure, from what the CLIs really print', () => {
  it.each([
    ['No conversation found with session ID: 1111', 'session_not_found'],
    [
      'Error: thread/resume: thread/resume failed: no rollout found for thread id 1111 (code -32600)',
      'session_not_found',
    ],
    ['Error resuming session: Invalid session identifier "1111".', 'session_not_found'],
    ['Error resuming session: No previous sessions found for this project.', 'session_not_found'],
    ['Error: Session not found', 'session_not_found'],
    ['Failed to resume session: EISDIR: illegal operation on a directory, read', 'session_not_found'],
    [
      'thread/resume failed: failed to read thread: thread-store internal error: failed to read session metadata /x.jsonl: rollout at /x.jsonl is empty (code -32603)',
      'session_not_found',
    ],
    ['invalid thread id: invalid character: expected an optional prefix of `urn:uuid:`', 'session_not_found'],
    ['Failed to authenticate. API Error: 401 invalid key', 'auth'],
    ['Not logged in · Please run /login', 'auth'],
    ['unexpected status 401 Unauthorized: no key, url: http://127.0.0.1:1/v1/responses', 'auth'],
    ['Missing environment variable: `OPENAI_API_KEY`.', 'auth'],
    ['{"error":{"type":"Error","message":"Invalid auth method selected.","code":41}}', 'auth'],
    ['API Error: Request rejected (429) · slow down', 'rate_limit'],
    ['exceeded retry limit, last status: 429 Too Many Requests', 'rate_limit'],
    ['API Error: 529 Overloaded', 'overloaded'],
    ['We’re currently experiencing high demand, which may cause temporary errors.', 'overloaded'],
    ['Selected model is at capacity. Please try a different model.', 'overloaded'],
    ['API Error: Unable to connect to API (ConnectionRefused)', 'network'],
    ['stream disconnected before completion: the socket closed', 'network'],
    ['exception TypeError: fetch failed sending request', 'network'],
    ['[API Error: terminated]', 'network'],
    ["[cause]: SocketError: other side closed {\n    code: 'UND_ERR_SOCKET',", 'network'],
    ["error: unknown option '--resume foo'", 'bad_request'],
    [
      '{"error":{"message":"bad request","type":"invalid_request_error","param":null,"code":null}}',
      'bad_request',
    ],
    ['Input exceeds the maximum length of 1048576 characters.', 'bad_request'],
    [
      'stream disconnected before completion: Incomplete response returned, reason: content_filter',
      'bad_request',
    ],
    ["API Error: Claude's response exceeded the 128000 output token maximum.", 'bad_request'],
    ['something else went wrong', 'unknown'],
    ['', 'unknown'],
  ])('%s → %s', (message, code) => {
    expect(classifyFailure(message)).toBe(code);
  });

  it('believes an HTTP status before the words, and only what is one', () => {
    expect(classifyFailure('whatever', 403)).toBe('auth');
    expect(classifyFailure('whatever', 500)).toBe('overloaded');
    expect(classifyFailure('whatever', 404)).toBe('bad_request');
    expect(classifyFailure('API key not valid. Please pass a valid API key.', 400)).toBe('auth');
    expect(classifyFailure('wrote 401 lines to port 4290')).toBe('unknown');
  });
});

describe("words about a session that are not the CLI's own (R10)", () => {
  it.each([
    ['API Error: 401 invalid session id', 'auth'],
    ['429 No capacity: session not found', 'rate_limit'],
    ['Error: 429 Session not found', 'rate_limit'],
    ['Connection error: TLS session not found, ECONNRESET', 'network'],
    ['Failed to resume session: connect ECONNREFUSED 127.0.0.1:1', 'network'],
    ['MCP server foo: Session not found', 'unknown'],
    ['API Error: 500 upstream: thread not found', 'overloaded'],
    ['API Error: 500 upstream\nSession not found', 'overloaded'],
    ['the model said: No conversation found with session ID: 1111', 'unknown'],
  ])('%s → %s', (message, code) => {
    expect(classifyFailure(message)).toBe(code);
  });

  it('lose against an HTTP status, and so do the own ones', () => {
    expect(classifyFailure('Session not found', 429)).toBe('rate_limit');
    expect(classifyFailure('No conversation found with session ID: 1111', 401)).toBe('auth');
  });

  it.each([
    'Claude CLI error (exit 1): No conversation found with session ID: 1111',
    'Parrot CLI error (exit 2): session not found: nobody\n',
    'Session not found',
    'thread not found: 1111',
    'MCP server foo: connect ECONNREFUSED\nError: thread/resume: thread/resume failed: no rollout found for thread id 1111 (code -32600)',
    'Error: --resume requires a valid session ID or session title when used with --print.',
  ])('the own ones: %s', (message) => {
    expect(classifyFailure(message)).toBe('session_not_found');
  });
});

describe('a failure in words (R8.2)', () => {
  const facts = {
    label: 'Claude',
    exit: { code: 1, signal: null },
    stderr: '',
    ending: undefined,
    understood: true,
    answerIsEmpty: true,
  } as const;

  it('has stderr, or else what the CLI said on stdout, or else "unknown error"', () => {
    const reported = { type: 'failed', message: 'from stdout' } as const;
    expect(findFailure({ ...facts, stderr: 'from stderr', ending: reported })?.message).toBe(
      'Claude CLI error (exit 1): from stderr',
    );
    expect(findFailure({ ...facts, ending: reported })?.message).toBe(
      'Claude CLI error (exit 1): from stdout',
    );
    expect(findFailure(facts)?.message).toBe('Claude CLI error (exit 1): unknown error');
  });

  it('has 500 characters at most, never half of one', () => {
    expect(firstCharacters('x'.repeat(600), 500)).toHaveLength(500);
    expect(firstCharacters(`${'x'.repeat(499)}😀`, 500)).toBe('x'.repeat(499));
    expect(firstCharacters(`${'x'.repeat(498)}😀`, 500)).toHaveLength(500);
  });

  it('takes colours and known noise out of stderr, and leaves all else to the character', () => {
    const noise = [/^YOLO mode/];
    expect(withoutNoise('\u001b[91m\u001b[1mError: \u001b[0mSession not found\n', noise)).toBe(
      'Error: Session not found\n',
    );
    expect(withoutNoise('YOLO mode is on\nreal\n', noise)).toBe('real');
    expect(withoutNoise('YOLO mode is on\n', noise)).toBe('');
    expect(withoutNoise('  two\r\n\n lines ', noise)).toBe('  two\r\n\n lines ');
  });
});
