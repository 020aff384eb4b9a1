import { describe, expect, it } from 'vitest';
import { sessionRules } from '../../../../src/backends/opencode/live/rules.js';
import { deniedOpenCodeTool, openCodeTool } from '../../../../src/backends/opencode/tool-names.js';

describe('the name of a tool for OpenCode', () => {
  it.each([
    ['Read', 'read'],
    ['Bash', 'bash'],
    ['MultiEdit', 'edit'],
    ['Task', 'task'],
    ['LS', 'list'],
    ['WebFetch', 'webfetch'],
    ['mcp__github__create_issue', 'github_create_issue'],
    ['mcp__github', 'github_*'],
    ['read', 'read'],
    ['Bash(git:*)', 'Bash(git:*)'],
  ])('%s is %s (O3)', (written, name) => {
    expect(openCodeTool(written)).toBe(name);
  });

  it('a rule that denies a part of a tool denies all of it (O4)', () => {
    expect(deniedOpenCodeTool('Bash(rm:*)')).toBe('bash');
    expect(deniedOpenCodeTool('WebFetch')).toBe('webfetch');
  });

  it("live sessions take Claude's names, too (O3)", () => {
    const rules = sessionRules('bypass', [], {
      allowedTools: ['Read', 'Write'],
      disallowedTools: ['Bash(rm:*)'],
    });
    const actions = Object.fromEntries(rules.map(({ permission, action }) => [permission, action]));
    expect(actions).toMatchObject({ '*': 'deny', read: 'allow', edit: 'allow', bash: 'deny' });
  });
});
