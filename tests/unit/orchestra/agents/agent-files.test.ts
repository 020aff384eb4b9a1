import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readClaudeFile } from '../../../../src/orchestra/agents/claude-file.js';
import { readOwnFile } from '../../../../src/orchestra/agents/own-file.js';

describe('a file in .claude/agents', () => {
  it('is read as Claude writes it (O11)', () => {
    const text = `---
name: code-reviewer
description: Reviews code. Use PROACTIVELY.
tools: Read, Grep, Bash(git diff:*)
disallowedTools: [Write, Edit]
model: inherit
color: blue
permissionMode: plan
maxTurns: 5
---

You review code.
`;
    expect(readClaudeFile('f.md', text, 'f')).toEqual({
      agent: {
        name: 'code-reviewer',
        source: 'f.md',
        description: 'Reviews code. Use PROACTIVELY.',
        systemPrompt: 'You review code.',
        allowedTools: ['Read', 'Grep', 'Bash(git diff:*)'],
        disallowedTools: ['Write', 'Edit'],
        permissionMode: 'plan',
        maxTurns: 5,
      },
      warnings: [],
    });
  });

  it('is read even if its YAML is none (O11)', () => {
    const text = `---
name: sloppy
description: Use this agent when: you want a review. Examples: <example>Context: The user wrote code.
user: "Please check: it's new"
assistant: 'I will: use the agent'
name: another
</example>
tools:
  - Read
  - Bash
model: opus
---
Body: with a colon.
---
not front matter
`;
    const { agent } = agentIn(text);
    expect(agent).toMatchObject({
      name: 'sloppy',
      allowedTools: ['Read', 'Bash'],
      model: 'opus',
      systemPrompt: 'Body: with a colon.\n---\nnot front matter',
    });
    expect(agent.description).toContain('Use this agent when: you want a review.');
    expect(agent.description).toContain('</example>');
  });

  it.each([
    ['tools: ["Read", "Edit"]', ['Read', 'Edit']],
    ['tools: Read Edit', ['Read', 'Edit']],
    ['tools: "*"', undefined],
    ['tools:', undefined],
    ['description: a: b\ntools: ["Read", Edit]', ['Read', 'Edit']],
    ['description: "a: b\ntools: Read', ['Read']],
  ])('%j has the tools %j', (lines, allowedTools) => {
    expect(agentIn(`---\nname: x\n${lines}\n---\n`).agent.allowedTools).toEqual(allowedTools);
  });

  it('escaped line ends in a description are line ends', () => {
    const { agent } = agentIn('---\nname: x\ndescription: one: two\\n\\n<example>three</example>\n---\n');
    expect(agent.description).toBe('one: two\n\n<example>three</example>');
  });

  it('what only Claude does is told by name (O4)', () => {
    const { warnings } = agentIn('---\nname: x\nmcpServers:\n  - github\nhooks:\n  Stop: []\n---\n');
    expect(warnings.join()).toContain('mcpServers has a meaning for Claude Code alone');
    expect(warnings.join()).toContain('hooks has');
  });

  it('without tools at all is refused: it would get all of them (O4)', () => {
    expect(readClaudeFile('f.md', '---\nname: x\ntools: []\n---\n', 'f')).toEqual({
      problems: ['f.md: tools: an agent without any tool is not possible here'],
    });
  });

  it.each(['# Read me', '', '---\nnot closed', '---\nfoo: bar\n---\n'])('%j is no agent', (text) => {
    expect(readClaudeFile('f.md', text, 'f')).toBe('no agent');
  });

  it('a name that is no word gives way to that of the file', () => {
    const { agent, warnings } = agentIn('---\nname: Code Reviewer\n---\n');
    expect(agent.name).toBe('f');
    expect(warnings).toHaveLength(1);
  });

  it('any text is read, and never throws', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('---', 'name: x', 'description: "', 'tools: [a', '- a', '  b: &a *a', 'model: |'),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        readClaudeFile('f.md', lines.join('\n'), 'f');
        readOwnFile('f.md', lines.join('\n'), 'f', '/');
      }),
    );
  });
});

describe('a file in .turnout/agents', () => {
  it('has all that an agent can have (O11)', () => {
    const text = `---
description: "Builds: things"
backend: Codex-CLI
fallback: claude
model: gpt-5-codex
max_turns: 4
tools: Read, Bash(npm run *, x)
disallowed-tools: [WebFetch]
permissionMode: edits
mcp_config: package.json
prompt: build it
---
You build.
`;
    expect(readOwnFile('f.md', text, 'builder', process.cwd())).toEqual({
      agent: {
        name: 'builder',
        source: 'f.md',
        description: 'Builds: things',
        systemPrompt: 'You build.',
        backend: 'codex',
        fallback: 'claude',
        model: 'gpt-5-codex',
        maxTurns: 4,
        allowedTools: ['Read', 'Bash(npm run *, x)'],
        disallowedTools: ['WebFetch'],
        permissionMode: 'edits',
        mcpConfig: `${process.cwd()}/package.json`,
        defaultPrompt: 'build it',
      },
      warnings: [],
    });
  });

  it('needs no front matter', () => {
    expect(readOwnFile('f.md', 'Just a prompt.', 'x', '/')).toMatchObject({
      agent: { name: 'x', systemPrompt: 'Just a prompt.' },
    });
  });

  it.each([
    ['modle: opus', 'f.md line 2: unknown key "modle"', 'did you mean model?'],
    ['backend: claud', 'f.md line 2: backend: Unknown backend "claud"', 'Did you mean claude?'],
    ['maxTurns: 0', 'f.md line 2: maxTurns: expected a whole number above 0', ''],
    ['tools: []', 'f.md line 2: tools: expected names of tools', ''],
    ['tools: Bash(git', 'f.md line 2: tools: expected names of tools', ''],
    ['permissionMode: free', 'f.md line 2: permissionMode: expected one of bypass', ''],
    ['model: -x', 'f.md line 2: model:', ''],
    ['name: a b', 'f.md line 2: name: a name has letters', ''],
    ['mcpConfig: no/such.json', 'f.md: mcpConfig: no/such.json is not there', ''],
    [
      'backend: gemini\nmodel: gpt-5',
      'f.md: model: "gpt-5" is a model of codex, and the backend is gemini',
      '',
    ],
    ['description: a: b', 'f.md line 2: not valid YAML', ''],
  ])('%j is wrong, by its line (O10)', (lines, said, guess) => {
    const read = readOwnFile('f.md', `---\n${lines}\n---\nx`, 'f', '/');
    const problems = 'problems' in read ? read.problems.join('\n') : '';
    expect(problems).toContain(said);
    expect(problems).toContain(guess);
  });
});

function agentIn(text: string) {
  const read = readClaudeFile('f.md', text, 'f');
  if (read === 'no agent' || 'problems' in read) throw new Error(JSON.stringify(read));
  return read;
}

it('the example in docs/agents.md is an agent (O11)', () => {
  const page = readFileSync(new URL('../../../../docs/agents.md', import.meta.url), 'utf8');
  const [, example = ''] = /```markdown\n([\s\S]*?)\n```/.exec(page) ?? [];
  expect(readOwnFile('f.md', example, 'reviewer', '/')).toMatchObject({
    agent: { backend: 'claude', model: 'sonnet', permissionMode: 'plan' },
  });
});

describe('restrictions outside the front matter of a file in .turnout/agents (27.9)', () => {
  it.each([
    ['behind a heading', '# T\n\n---\npermissionMode: plan\n---\nx', 4],
    ['tools behind a heading', '# T\n---\nname: a\ntools: Read\n---\nx', 4],
    ['without dashes', 'permission-mode: plan\n\nYou review.', 1],
    ['in a fence', '```yaml\nmaxTurns: 3\n```\nx', 2],
  ])('%s are refused with their line', (_, text, line) => {
    const read = readOwnFile('f.md', text, 'f', '/');
    expect(read).toEqual({ problems: [expect.stringContaining(`f.md line ${line}: `)] });
    expect(JSON.stringify(read)).toContain('settings stand between two lines of --- at the top');
  });

  it('may be talked about below a front matter, and where no key stands', () => {
    const below = '---\ndescription: writes agents\n---\nWrite it so:\n\n---\npermissionMode: plan\n---\n';
    for (const text of [below, '# T\n\nUse your tools with care.\n\n---\n\nThe mode matters: be brief.'])
      expect(readOwnFile('f.md', text, 'f', '/')).toMatchObject({ agent: { name: 'f' } });
  });
});
