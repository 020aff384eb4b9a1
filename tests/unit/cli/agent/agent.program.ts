import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { it, type Stage } from '../../../contract/stage.js';
import { buildOnce, demoAgent, type Finished, finished, playing, turnout } from '../turnout.js';

beforeAll(buildOnce);

describe.concurrent('turnout agent', () => {
  it('list shows the agents, and tells what is wrong with the others (O11)', async ({ stage }) => {
    put(
      stage,
      '.turnout/agents/reviewer.md',
      '---\nbackend: codex\ndescription: Reviews\u001b[31m code\n---\nx',
    );
    put(stage, '.claude/agents/writer.md', '---\nname: writer\ndescription: a: b\nmodel: opus\n---\nx');
    put(stage, '.turnout/agents/bad.md', '---\nmodle: x\n---\nx');
    put(stage, 'chains.json', JSON.stringify({ agents: { planner: { systemPromptText: '' } }, chains: {} }));
    const done = await turnout(stage, ['agent', 'list']);
    expect(done.code).toBe(0);
    expect(done.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['NAME', 'BACKEND', 'MODEL', 'FILE', 'DESCRIPTION'],
      ['planner', '-', '-', 'chains.json'],
      ['reviewer', 'codex', '-', '.turnout/agents/reviewer.md', 'Reviews␛[31m code'],
      ['writer', '-', 'opus', '.claude/agents/writer.md', 'a: b'],
      [''],
    ]);
    expect(done.stderr).toContain("The agent bad can't be used");
    expect(done.stderr).toContain('did you mean model?');
    const json = await turnout(stage, ['agent', 'list', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      agents: [
        { name: 'planner' },
        { name: 'reviewer', backend: 'codex' },
        { name: 'writer', model: 'opus' },
      ],
      broken: [{ name: 'bad', source: '.turnout/agents/bad.md' }],
    });
  });

  it('run gives the CLI what the agent says, and flags win (O11)', async ({ stage }) => {
    put(stage, '.turnout/agents/a.md', '---\nmodel: gpt-5\n---\nYou are a.');
    const env = playing(stage, 'codex', 'answer', 'receive.sh');
    const plain = await turnout(stage, ['agent', 'run', 'a', 'hi'], { env });
    expect(plain).toMatchObject({ code: 0, stdout: 'Hello from the scripted model.\n', stderr: '' });
    expect(received(stage)).toContain('developer_instructions="You are a."');
    expect(received(stage).join(' ')).toContain('gpt-5');
    const more = ['--append-system-prompt', '- briefly', '--model', 'gpt-6', '--unattended'];
    await turnout(stage, ['agent', 'run', 'a', 'hi', ...more], { env });
    const instructions = received(stage).find((word) => word.startsWith('developer_instructions=')) ?? '';
    expect(instructions).toMatch(/ORCHESTRA_COMPLETE.*You are a\.\\n\\n- briefly"$/);
    expect(received(stage).join(' ')).toContain('gpt-6');
  });

  it('run takes the prompt of the agent where there is no other (O11)', async ({ stage }) => {
    put(stage, '.turnout/agents/a.md', '---\nprompt: look around\n---\nYou are a.');
    const env = playing(stage, 'opencode', 'answer', 'receive.sh');
    const prompt = () => readFileSync(stage.path('received.stdin'), 'utf8');
    await turnout(stage, ['agent', 'run', 'a'], { env });
    expect(prompt()).toBe('look around');
    await turnout(stage, ['agent', 'run', 'a'], { env, stdin: 'piped' });
    expect(prompt()).toBe('piped');
    await turnout(stage, ['agent', 'run', 'a', 'typed'], { env });
    expect(prompt()).toBe('typed');
  });

  it('run leaves out a model of another vendor, and says so (O4)', async ({ stage }) => {
    put(stage, '.claude/agents/a.md', '---\nname: a\nmodel: opus\n---\nYou are a.');
    const env = playing(stage, 'codex', 'answer', 'receive.sh');
    const done = await turnout(stage, ['agent', 'run', 'a', 'hi'], { env });
    expect(done.code).toBe(0);
    expect(done.stderr).toContain('"opus" of the agent a is one of claude: codex runs with its own default');
    expect(received(stage).join(' ')).not.toContain('opus');
  });

  it('run keeps what the person has set, where the agent asks for more, and says so (27.9)', async ({
    stage,
  }) => {
    put(stage, '.turnout/agents/rev.md', '---\npermissionMode: bypass\ntools: Bash\n---\nx');
    put(stage, '.claude/agents/c.md', '---\nname: c\npermissionMode: bypassPermissions\ntools: Bash\n---\nx');
    const env = playing(stage, 'claude', 'answer', 'receive.sh');
    const set = { ...env, PERMISSION_MODE: 'plan', ALLOWED_TOOLS: 'Read' };
    const wants = (words: string) => expect(received(stage).join(' ')).toContain(words);
    for (const name of ['rev', 'c']) {
      const done = await turnout(stage, ['agent', 'run', name, 'x'], { env: set });
      expect(done.code).toBe(0);
      expect(done.stderr).toMatch(
        /^turnout: PERMISSION_MODE=plan is kept: .*: --permission-mode bypass\nturnout: ALLOWED_TOOLS=Read is kept: .*: --allowed-tools "Bash"\n$/,
      );
      wants('--permission-mode plan');
      wants('--allowedTools Read --tools Read');
      expect(received(stage).join(' ')).not.toContain('Bash');
    }
    const flags = ['--permission-mode', 'bypass', '--allowed-tools', 'Bash'];
    const over = await turnout(stage, ['agent', 'run', 'rev', 'x', ...flags], { env: set });
    expect(over).toMatchObject({ code: 0, stderr: '' });
    wants('--allowedTools Bash --tools Bash');
    const free = await turnout(stage, ['agent', 'run', 'rev', 'x'], { env });
    expect(free).toMatchObject({ code: 0, stderr: '' });
    wants('--dangerously-skip-permissions');
  });

  it('run uses the fallback only where the agent names one (O12)', async ({ stage }) => {
    put(stage, '.turnout/agents/a.md', '---\nbackend: gemini\nfallback: claude\n---\nx');
    put(stage, '.turnout/agents/b.md', '---\nbackend: gemini\n---\nx');
    const env = { BACKEND_CLI_PATH: demoAgent };
    const done = await turnout(stage, ['agent', 'run', 'a', 'hello'], { env });
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("Turnout's demo agent") });
    expect(done.stderr).toContain('gemini is not installed: the agent a runs with claude, its fallback.');
    expect(await turnout(stage, ['agent', 'run', 'b', 'hello'], { env })).toMatchObject({
      code: 3,
      stdout: '',
    });
    const chosen = await turnout(stage, ['agent', 'run', 'a', 'hello', '--backend', 'gemini'], { env });
    expect(chosen).toMatchObject({ code: 3, stdout: '' });
  });

  it('says what is wrong, with exit code 2 (O10)', async ({ stage }) => {
    put(stage, '.turnout/agents/reviewer.md', 'x');
    put(stage, '.turnout/agents/bad.md', '---\nbackend: codex\nmodel: opus\n---\nx');
    put(stage, '.turnout/agents/claude.md', 'x');
    const wrong: readonly (readonly [readonly string[], string])[] = [
      [[], 'list, run and install'],
      [['runn'], 'Did you mean "run"?'],
      [['run'], 'The name of an agent is missing'],
      [['run', 'reviewr', 'hi'], 'Did you mean "reviewer"?'],
      [['run', 'bad', 'hi'], 'model: "opus" is a model of claude, and the backend is codex'],
      [['run', 'reviewer', 'a', 'b'], 'one prompt is expected, got 2'],
      [['list', '--jsn'], 'Did you mean --json?'],
      [['install', 'reviewer'], '--to is missing'],
      [['install', 'claude', '--to', 'bin'], 'in the place of the real one'],
      [['install', 'reviewer', '--to', '/proc/nowhere'], "can't be written"],
    ];
    for (const [args, said] of wrong) {
      const done = await turnout(stage, ['agent', ...args]);
      expect(done, args.join(' ')).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(said),
      });
    }
  });
});

describe.concurrent('an installed agent', () => {
  it("is a program that takes Claude's flags from any directory, by path, link and PATH (O5, O11)", async ({
    stage,
  }) => {
    const prompt = 'You\'re "a" $(touch pwned)\n\n```\n=== system prompt ===\n```\nEOF';
    put(stage, '.turnout/agents/a.md', prompt);
    expect(await turnout(stage, ['agent', 'install', 'a', '--to', stage.path('bin')])).toMatchObject({
      code: 0,
      stdout: `${stage.path('bin/a')}\n`,
    });
    expect(statSync(stage.path('bin/a')).mode & 0o777).toBe(0o755);
    symlinkSync(stage.path('bin/a'), stage.path('link'));
    const env = playing(stage, 'codex', 'answer', 'receive.sh');
    const flags = ['-p', 'hi', '--output-format', 'json', '--permission-mode', 'acceptEdits'];
    for (const [program, cwd] of [
      [stage.path('bin/a'), '/'],
      ['../link', stage.workingDir],
      ['a', stage.directory],
    ] as const) {
      const PATH = `${stage.path('bin')}:${stage.env['PATH']}`;
      const done = await call(program, flags, { ...stage.env, ...env, PATH }, cwd);
      expect(done, program).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(done.stdout)).toMatchObject({
        type: 'result',
        is_error: false,
        result: 'Hello from the scripted model.',
        session_id: expect.any(String),
      });
      const instructions = received(stage).find((word) => word.startsWith('developer_instructions=')) ?? '';
      expect(instructions).toContain('ORCHESTRA_COMPLETE');
      expect(instructions.slice(0, -1)).toMatch(/EOF$/);
    }
    expect(existsSync(join(stage.workingDir, 'pwned'))).toBe(false);
  });

  it('changes its backend by one word, its own before that of the environment (O5)', async ({ stage }) => {
    put(stage, '.turnout/agents/a.md', '---\nbackend: claude\n---\nx');
    await turnout(stage, ['agent', 'install', 'a', '--to', stage.path('bin')]);
    const env = { ...stage.env, ...playing(stage, 'codex', 'answer', 'receive.sh') };
    const own = await call(stage.path('bin/a'), ['-p', 'hi'], env);
    expect(own).toMatchObject({ code: 3, stderr: expect.stringContaining('The Claude CLI was not found') });
    const other = await call(stage.path('bin/a'), ['-p', 'hi', '--backend', 'codex-cli'], env);
    expect(other).toMatchObject({ code: 0, stdout: 'Hello from the scripted model.\n' });
  });

  it('is written anew, but nothing else is replaced without --force', async ({ stage }) => {
    put(stage, '.turnout/agents/a.md', 'one');
    const install = (...more: string[]) =>
      turnout(stage, ['agent', 'install', 'a', '--to', stage.path('bin'), ...more]);
    expect((await install()).code).toBe(0);
    put(stage, '.turnout/agents/a.md', 'two');
    expect((await install()).code).toBe(0);
    expect(readFileSync(stage.path('bin/a'), 'utf8')).toMatch(/\ntwo$/);
    writeFileSync(stage.path('bin/a'), '#!/bin/sh\necho mine\n');
    chmodSync(stage.path('bin/a'), 0o755);
    const refused = await install();
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    expect(readFileSync(stage.path('bin/a'), 'utf8')).toContain('mine');
    expect((await install('--force')).code).toBe(0);
  });

  it('passes exit codes on, and refuses what it does not translate by name (O5)', async ({ stage }) => {
    put(stage, '.turnout/agents/a.md', 'x');
    await turnout(stage, ['agent', 'install', 'a', '--to', stage.path('bin')]);
    const agent = (args: readonly string[], more = {}) =>
      call(stage.path('bin/a'), args, { ...stage.env, ...playing(stage, 'codex', 'http-429'), ...more });
    expect((await agent(['-p', 'hi'])).code).toBe(1);
    expect(await agent(['-p', 'hi', '--add-dir', '.'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('--add-dir is an option of Claude Code'),
    });
    expect((await agent(['-p', 'hi', '--max-turns', '3'])).code).toBe(4);
    expect((await agent(['-p', 'hi', '--nonsense'])).code).toBe(2);
    expect(await agent(['--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: a [prompt]'),
    });
  });
});

function put(stage: Stage, path: string, content: string): void {
  const file = join(stage.workingDir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function received(stage: Stage): readonly string[] {
  return readFileSync(stage.path('received.argv'), 'utf8').split('\0');
}

function call(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = '/',
): Promise<Finished> {
  return finished(spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}
