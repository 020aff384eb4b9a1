import { describe, expect, it } from 'vitest';
import { ToolRows } from '../../../../src/cli/run/tool-rows.js';
import type { ChatEvent } from '../../../../src/core/chat-event.js';

function rowsOf(...steps: readonly (ChatEvent | number)[]) {
  let now = 0;
  const tools = new ToolRows('/work', () => now);
  const rows: string[] = [];
  for (const step of steps) {
    if (typeof step === 'number') now += step;
    else rows.push(...tools.see(step, 40).map(({ text }) => text));
  }
  return { rows, tools };
}

const bash = (id: string, command: string): ChatEvent => ({
  type: 'tool_start',
  id,
  name: 'Bash',
  input: { command },
});
const end = (id: string, output = '', isError = false): ChatEvent => ({
  type: 'tool_end',
  id,
  output,
  isError,
});
const asked: ChatEvent = {
  type: 'permission_request',
  id: 'q',
  tool: 'Bash',
  input: {},
  options: ['allow', 'deny'],
  toolId: 'a',
};
const answered = (decision: 'allow' | 'deny'): ChatEvent => ({
  type: 'permission_resolved',
  id: 'q',
  decision,
});

describe('the tools of a run in a terminal (18.8)', () => {
  it('have a row each when they have ended, with what failed last', () => {
    expect(rowsOf(bash('a', 'npm test'), 400, end('a', 'fine')).rows).toEqual(['✓ Bash npm test  400 ms']);
    expect(rowsOf(bash('a', 'exit 5'), 1400, end('a', 'one\nExit code 5\n\n', true)).rows).toEqual([
      '✗ Bash exit 5  1.4 s',
      '  Exit code 5',
    ]);
  });

  it('give way to their outcome, and have nothing that steers a terminal', () => {
    const { rows } = rowsOf(bash('a', `echo \u001b[2J${'x'.repeat(100)}`), end('a', '\u001b[31mno', true));
    expect(rows[0]).toMatch(/^✗ Bash echo ␛\[2Jx+… {2}0 ms$/);
    expect(rows[0]).toHaveLength(40);
    expect(rows[1]).toBe('  no');
  });

  it('are named while they run, and not while somebody is asked', () => {
    const { tools } = rowsOf(bash('a', 'one'), bash('b', 'two'));
    expect(tools.running).toBe('Bash two');
    tools.see(end('b'), 40);
    expect(tools.running).toBe('Bash one');
    tools.see(asked, 40);
    expect([tools.running, tools.isAsking]).toEqual([undefined, true]);
    tools.see(answered('allow'), 40);
    expect(tools.running).toBe('Bash one');
  });

  it('wait with their rows for the answer to a question, which takes no time of theirs', () => {
    const { rows } = rowsOf(bash('a', 'one'), bash('b', 'two'), asked, 9000, end('b'), answered('allow'), 50);
    expect(rows).toEqual(['✓ Bash two  9.0 s']);
    expect(rowsOf(bash('a', 'one'), asked, 9000, answered('allow'), 50, end('a')).rows).toEqual([
      '✓ Bash one  50 ms',
    ]);
  });

  it('are told that were denied, or stopped with the turn', () => {
    expect(rowsOf(bash('a', 'one'), asked, answered('deny'), end('a', 'no', true)).rows).toEqual([
      '✗ Bash one  denied',
    ]);
    const stop: ChatEvent = { type: 'error', code: 'interrupted', message: '', retryable: false };
    expect(rowsOf(bash('a', 'one'), asked, stop).rows).toEqual(['✗ Bash one  stopped']);
  });
});
