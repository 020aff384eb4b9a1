import { expect, it } from 'vitest';
import { describeDeath } from '../../../../src/backends/output/describe-death.js';
import { tellsOfKill } from '../../../../src/process/start-process.js';

it.each([
  ['SIGKILL', null, 'an old warning', 'Codex was killed (signal SIGKILL)'],
  ['SIGTERM', null, '', 'Codex ended (signal SIGTERM)'],
  ['SIGTERM', null, 'out of luck', 'Codex ended (signal SIGTERM). Its last words: out of luck'],
  ['SIGABRT', null, 'heap is full\n', 'Codex ended (signal SIGABRT). Its last words: heap is full'],
  ['SIGSEGV', null, '', 'Codex ended (signal SIGSEGV)'],
  [null, 3, 'out of luck', 'Codex CLI error (exit 3): out of luck'],
  [null, 3, `${'old '.repeat(200)}the reason`, expect.stringMatching(/ the reason$/)],
  [null, 3, '', 'Codex CLI error (exit 3): unknown error'],
] as const)('a death by %s (exit code %s) with the stderr %j (18.1)', (signal, code, words, told) => {
  expect(describeDeath('Codex', { signal, code }, words)).toEqual(told);
});

it('a kill is still known for one (18.1)', () => {
  expect(tellsOfKill(describeDeath('Claude', { signal: 'SIGKILL', code: null }, 'x'))).toBe(true);
});
