import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { vendorNames } from '../../src/backends/registry.js';
import { buildOnce, finished, turnout } from '../unit/cli/turnout.js';
import { processesOf, setUpLab } from './set-up-lab.js';

beforeAll(buildOnce);

const agent = `---
name: reviewer
description: Reviews code: all of it. <example>user: "check: this"</example>
color: blue
model: inherit
---
You are the reviewer with the word heron.
`;

describe.each(vendorNames)('one agent file with %s', (backend) => {
  const lab = setUpLab(backend);

  beforeAll(() => {
    const directory = join(lab.home.workingDir, '.claude/agents');
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'reviewer.md'), agent);
  });

  it('runs by one word, and its system prompt reaches the model (O5, O11)', async () => {
    lab.model.use(['Reviewed.']);
    lab.model.forget();
    const flags = ['--backend', backend, '--append-system-prompt', '- and the word egret'];
    const done = await turnout(lab.place, ['agent', 'run', 'reviewer', 'review this', ...flags]);
    expect(done).toMatchObject({ code: 0, stdout: 'Reviewed.\n' });
    const [turn] = lab.model.turns;
    expect(turn?.rawBody).toContain('You are the reviewer with the word heron.');
    expect(turn?.rawBody).toContain('and the word egret');
    expect(turn?.rawBody).not.toContain('ORCHESTRA_COMPLETE');
    lab.model.forget();
    await turnout(lab.place, ['run', 'review this']);
    expect(lab.model.turns[0]?.rawBody).not.toContain('the word heron');
  });

  it("is a program that takes Claude's flags (O5, O11, O14)", async () => {
    lab.model.use(['Reviewed.\nORCHESTRA_COMPLETE']);
    lab.model.forget();
    const bin = join(lab.home.directory, 'bin');
    const installed = await turnout(lab.place, ['agent', 'install', 'reviewer', '--to', bin]);
    expect(installed.code, installed.stderr).toBe(0);
    const flags = ['-p', '--output-format', 'json', '--permission-mode', 'bypassPermissions'];
    const child = spawn(join(bin, 'reviewer'), [...flags, '--backend', `${backend}-cli`, 'review this'], {
      cwd: lab.home.directory,
      env: lab.place.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const done = await finished(child);
    expect(done.code, done.stderr).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({
      type: 'result',
      subtype: 'success',
      is_error: false,
      // In an object the answer is for a script: the line for orchestrators is in text only.
      result: 'Reviewed.',
      session_id: expect.any(String),
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    });
    const [turn] = lab.model.turns;
    expect(turn?.prompt).toContain('review this');
    expect(turn?.rawBody).toContain('the word heron');
    // Nobody watches: it is told so, and how to finish.
    expect(turn?.rawBody).toContain('ORCHESTRA_COMPLETE');
    expect(processesOf(lab.home)).toEqual([]);
  });
});

describe("an agent with Claude's names of tools", () => {
  const lab = setUpLab('opencode');

  it('has these tools with OpenCode, and no others (O3, O11)', async () => {
    lab.model.use(['Done.']);
    lab.model.forget();
    mkdirSync(join(lab.home.workingDir, '.turnout/agents'), { recursive: true });
    writeFileSync(join(lab.home.workingDir, '.turnout/agents/a.md'), '---\ntools: Read, Bash\n---\nx');
    const done = await turnout(lab.place, ['agent', 'run', 'a', 'hi', '--backend', 'opencode']);
    expect(done).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(lab.model.turns[0]?.tools.map(({ name }) => name).sort()).toEqual(['bash', 'read']);
  });
});
