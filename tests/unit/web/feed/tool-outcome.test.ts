import { describe, expect, it } from 'vitest';
import { toolOutcome } from '../../../../web/feed/tool-outcome.js';
import type { PermissionStep, ToolStep } from '../../../../web/feed/turn.js';

const tool: ToolStep = { type: 'tool', id: 't1', name: 'Bash', input: { command: 'ls' } };
const asked: PermissionStep = {
  ...{ type: 'permission', id: 'p1', tool: 'Bash', input: { command: 'ls' }, toolId: 't1' },
};
const failed: ToolStep = { ...tool, end: { output: 'no', isError: true, denied: false } };

describe('what has become of a tool (16.4)', () => {
  it('waits for you, as long as nobody has answered and the turn goes on', () => {
    expect(toolOutcome(tool, [tool], true)).toBe('running');
    expect(toolOutcome(tool, [tool, asked], true)).toBe('waits for you');
    expect(toolOutcome(tool, [tool, { ...asked, decision: 'allow' }], true)).toBe('running');
    expect(toolOutcome(tool, [tool, asked], false)).toBe('unfinished');
  });

  it('was denied where somebody said so, although the CLI only tells of a failure', () => {
    expect(toolOutcome(failed, [failed], true)).toBe('failed');
    expect(toolOutcome(failed, [{ ...asked, decision: 'deny' }, failed], false)).toBe('denied');
    expect(toolOutcome(failed, [failed, { ...asked, decision: 'allow' }], false)).toBe('failed');
    const done: ToolStep = { ...tool, end: { output: '', isError: false, denied: false } };
    expect(toolOutcome(done, [done, { ...asked, decision: 'deny' }], false)).toBe('done');
  });

  it('is found by its name and input where the CLI does not say which call it asks about', () => {
    const { toolId: _, ...unnamed } = asked;
    const other: ToolStep = { ...tool, id: 't2', input: { command: 'rm x' } };
    expect(toolOutcome(tool, [tool, other, unnamed], true)).toBe('waits for you');
    expect(toolOutcome(other, [tool, other, unnamed], true)).toBe('running');
    expect(toolOutcome(other, [tool, other, { ...asked, toolId: 't1' }], true)).toBe('running');
  });
});
