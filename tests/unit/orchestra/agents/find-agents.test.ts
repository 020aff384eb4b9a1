import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentNamed } from '../../../../src/orchestra/agents/agent-named.js';
import { findAgents } from '../../../../src/orchestra/agents/find-agents.js';
import { it, type Stage } from '../../../contract/stage.js';

describe('agents of a working directory', () => {
  it('come from the chain file, .turnout and .claude, the first one first (O11)', async ({ stage }) => {
    write(stage, 'chains.json', JSON.stringify({ agents: { a: { systemPromptText: 'chain' } }, chains: {} }));
    for (const name of ['a', 'b']) write(stage, `.turnout/agents/${name}.md`, 'ours');
    for (const name of ['a', 'b', 'c'])
      write(stage, `.claude/agents/team/${name}.md`, claude(name, 'claude'));
    const { agents, broken, warnings } = await findAgents(stage.workingDir);
    const found = [...agents.values()].map(({ name, source, systemPrompt }) => [name, source, systemPrompt]);
    expect(found).toEqual([
      ['a', 'chains.json', 'chain'],
      ['b', '.turnout/agents/b.md', 'ours'],
      ['c', '.claude/agents/team/c.md', 'claude'],
    ]);
    expect([...broken, ...warnings]).toEqual([]);
  });

  it('are none where there are no files', async ({ stage }) => {
    expect((await findAgents(stage.workingDir)).agents.size).toBe(0);
    expect(() => agentNamed({ agents: new Map(), broken: new Map(), warnings: [] }, 'x')).toThrow(
      'no agent "x"',
    );
  });

  it('a name that is not there is guessed, and the places are told (O10)', async ({ stage }) => {
    write(stage, '.turnout/agents/reviewer.md', 'x');
    const found = await findAgents(stage.workingDir);
    expect(agentNamed(found, 'reviewer').name).toBe('reviewer');
    try {
      agentNamed(found, 'reviewr');
      expect.unreachable();
    } catch (error) {
      const { message, hint } = error as { message: string; hint: string };
      expect(message).toBe('There is no agent "reviewr". Did you mean "reviewer"?');
      for (const place of ['chains.json', 'forge/orch/chains.json', '.turnout/agents', '.claude/agents'])
        expect(hint).toContain(place);
    }
  });

  it('a broken one hides a weaker one of its name, and hurts no other (O4)', async ({ stage }) => {
    write(stage, '.turnout/agents/a.md', '---\nbackend: codex\nmodel: opus\n---\nx');
    write(stage, '.turnout/agents/b.md', 'b');
    write(stage, '.claude/agents/a.md', claude('a', 'weaker'));
    const found = await findAgents(stage.workingDir);
    expect([...found.agents.keys()]).toEqual(['b']);
    expect(() => agentNamed(found, 'a')).toThrow(
      '.turnout/agents/a.md: model: "opus" is a model of claude, and the backend is codex',
    );
  });

  it('a chain file that is none is told, and the others are found', async ({ stage }) => {
    write(stage, 'chains.json', '[1, 2]');
    write(stage, '.turnout/agents/a.md', 'a');
    const { agents, warnings } = await findAgents(stage.workingDir);
    expect([...agents.keys()]).toEqual(['a']);
    expect(warnings).toEqual([expect.stringContaining('chains.json is wrong')]);
  });

  it('two files with one name: the first counts, and the other one is told', async ({ stage }) => {
    write(stage, '.claude/agents/one.md', claude('same', 'first'));
    write(stage, '.claude/agents/two.md', claude('same', 'second'));
    const { agents, warnings } = await findAgents(stage.workingDir);
    expect(agents.get('same')?.systemPrompt).toBe('first');
    expect(warnings).toEqual([
      '.claude/agents/two.md is not used: .claude/agents/one.md has the name same already.',
    ]);
  });

  it('hostile files are told, and none is waited for', async ({ stage }) => {
    const secret = stage.write('secret.md', 'secret');
    write(stage, '.turnout/agents/huge.md', 'x'.repeat(1024 * 1024 + 1));
    write(stage, '.turnout/agents/latin.md', Buffer.from([0x43, 0x61, 0x66, 0xe9]));
    write(stage, '.turnout/agents/wide.md', Buffer.from('\ufeffagent', 'utf16le'));
    mkdirSync(join(stage.workingDir, '.turnout/agents/folder.md'));
    symlinkSync(secret, join(stage.workingDir, '.turnout/agents/link.md'));
    symlinkSync('/nowhere', join(stage.workingDir, '.turnout/agents/dangling.md'));
    symlinkSync('latin.md', join(stage.workingDir, '.turnout/agents/inner.md'));
    execFileSync('mkfifo', [join(stage.workingDir, '.turnout/agents/pipe.md')]);
    const { agents, broken } = await findAgents(stage.workingDir);
    expect([...agents.keys()]).toEqual(['inner', 'latin']);
    expect(Object.fromEntries([...broken].map(([name, { problem }]) => [name, problem]))).toEqual({
      dangling: '.turnout/agents/dangling.md is not there',
      huge: '.turnout/agents/huge.md is larger than 1 MB',
      link: '.turnout/agents/link.md leads out of the working directory',
      pipe: '.turnout/agents/pipe.md is not a regular file',
      wide: '.turnout/agents/wide.md is UTF-16; expected UTF-8',
    });
    expect(agents.get('latin')?.warnings).toEqual([
      '.turnout/agents/latin.md is not all UTF-8: what is not is replaced.',
    ]);
  });
});

function claude(name: string, body: string): string {
  return `---\nname: ${name}\ndescription: an agent\n---\n\n${body}\n`;
}

function write(stage: Stage, path: string, content: string | Buffer): void {
  const file = join(stage.workingDir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
