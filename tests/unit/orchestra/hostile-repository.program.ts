import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findAgents } from '../../../src/orchestra/agents/find-agents.js';
import { ChainStage } from './chain-stage.js';

let stage: ChainStage;
beforeEach(() => {
  stage = new ChainStage();
});
afterEach(() => stage.close());

const file = (name: string) => join(stage.workingDir, name);
const ran = () => existsSync(stage.path('ran'));

function git(...args: string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@t'];
  execFileSync('git', [...who, ...args], { cwd: stage.workingDir, env: stage.env });
}

describe('a hostile repository', () => {
  it('with pipes and devices for files keeps nobody waiting (O6)', async () => {
    execFileSync('mkfifo', [file('chains.json')]);
    await expect(stage.resolve('c')).rejects.toThrow('chains.json is not a regular file');
    expect((await findAgents(stage.workingDir)).warnings.join()).toContain('is not a regular file');
    execFileSync('rm', [file('chains.json')]);
    symlinkSync('/dev/zero', file('chains.json'));
    await expect(stage.resolve('c')).rejects.toThrow('chains.json is not a regular file');
    execFileSync('rm', [file('chains.json')]);
    execFileSync('mkfifo', [file('p.md')]);
    stage.chains({
      agents: { a: { systemPromptText: '' } },
      chains: { c: { promptFile: 'p.md', steps: [{ agent: 'a' }] } },
    });
    await expect(stage.resolve('c')).rejects.toThrow('p.md is not a regular file');
  });

  it('has no program of its own started: no git in the directory, no filter, no hook (O6)', async () => {
    git('init', '-q');
    writeFileSync(file('f'), '1');
    writeFileSync(file('.gitattributes'), '* filter=evil\n');
    git('add', '.');
    git('commit', '-q', '-m', 'x');
    for (const kind of ['clean', 'smudge'])
      git('config', `filter.evil.${kind}`, `touch ${stage.path('ran')}; cat`);
    utimesSync(file('f'), 1, 1);
    writeFileSync(file('git'), `#!/bin/sh\ntouch ${stage.path('ran')}\nexec /usr/bin/git "$@"\n`);
    chmodSync(file('git'), 0o755);
    stage.agent('planner', 'echo same');
    stage.chains({ chains: { c: { steps: [{ agent: 'planner', iterations: 3, noProgress: 2 }] } } });
    const path = process.env['PATH'];
    const before = process.cwd();
    try {
      process.chdir(stage.workingDir);
      process.env['PATH'] = `.:${path}`;
      expect(await stage.run('c')).toMatchObject({ steps: [{ reason: 'no_progress' }] });
      await stage.run('c', {}, { worktree: true });
    } finally {
      process.env['PATH'] = path;
      process.chdir(before);
    }
    expect(ran()).toBe(false);
  });

  it('a directory that is not committed has no worktree, and none is left behind (O6)', async () => {
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'x');
    mkdirSync(file('new'));
    stage.agent('planner', 'true');
    const request = { cwd: file('new') };
    await expect(stage.run('planner', request, { worktree: true })).rejects.toThrow(
      'is not part of the last commit',
    );
    const listed = execFileSync('git', ['worktree', 'list'], {
      cwd: stage.workingDir,
      env: stage.env,
      encoding: 'utf8',
    });
    expect(listed.trim().split('\n')).toHaveLength(1);
  });

  it('a word that may be a misspelt command is no program (O6)', async () => {
    stage.agent('lst', `touch ${stage.path('ran')}`);
    await expect(stage.resolve('lst', { mayBeProgram: false })).rejects.toThrow('There is no chain "lst"');
    expect((await stage.resolve('lst')).groups.flat()).toHaveLength(1);
    expect(ran()).toBe(false);
  });
});

describe('--demo', () => {
  it('stands for executables, too: nothing of the user’s is started (O6)', async () => {
    stage.agent('planner', `touch ${stage.path('ran')}`);
    const report = await stage.run('planner:2 -> nobody-has-this', { demo: true, prompt: 'list files' });
    expect(report).toMatchObject({
      status: 'completed',
      steps: [{ backend: 'claude' }, { backend: 'claude' }],
    });
    expect(ran()).toBe(false);
  });
});
