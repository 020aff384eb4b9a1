import { describe, expect, it } from 'vitest';
import {
  allows,
  confirmingRules,
  type Rule,
  sessionRules,
} from '../../../../../src/backends/opencode/live/rules.js';

const none = { allowedTools: [], disallowedTools: [] };
const agent: readonly Rule[] = [
  { permission: '*', pattern: '*', action: 'allow' },
  { permission: 'bash', pattern: 'git *', action: 'allow' },
  { permission: 'bash', pattern: 'rm *', action: 'deny' },
];

describe('rules of a session that asks before every tool', () => {
  it('allow nothing; what is denied stays denied, and there are no subagents', () => {
    for (const mode of ['bypass', 'ask', 'edits', 'plan'] as const) {
      const rules = confirmingRules(sessionRules(mode, agent, none));
      expect(rules.filter(({ action }) => action === 'allow')).toEqual([]);
      expect(rules).toContainEqual({ permission: 'bash', pattern: 'rm *', action: 'deny' });
      expect(rules.at(-1)).toEqual({ permission: 'task', pattern: '*', action: 'deny' });
    }
  });

  it('the mode’s own rules tell what needs no person', () => {
    const ask = sessionRules('ask', agent, none);
    expect(allows(ask, 'read', ['/w/a.txt'])).toBe(true);
    expect(allows(ask, 'bash', ['make'])).toBe(false);
    expect(allows(ask, 'bash', ['git status'])).toBe(true);
    expect(allows(ask, 'bash', ['git'])).toBe(true);
    expect(allows(ask, 'bash', ['git status', 'make'])).toBe(false);
    expect(allows(ask, 'bash', ['rm x'])).toBe(false);
    expect(allows(ask, 'edit', ['a.txt'])).toBe(false);
    expect(allows(sessionRules('edits', agent, none), 'edit', ['a.txt'])).toBe(true);
    expect(allows([], 'bash', ['ls'])).toBe(false);
    expect(allows([{ permission: 'b.sh', pattern: 'a?c (x)', action: 'allow' }], 'bash', ['abc (x)'])).toBe(
      false,
    );
    expect(allows([{ permission: 'bash', pattern: 'a?c (x)', action: 'allow' }], 'bash', ['abc (x)'])).toBe(
      true,
    );
  });
});
