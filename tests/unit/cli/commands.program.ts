import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { it, type Stage } from '../../contract/stage.js';
import { appearance, buildOnce, demoAgent, finished, startTurnout, turnout } from './turnout.js';

beforeAll(buildOnce);

describe.concurrent('turnout', () => {
  it('tells its version and its usage', async ({ stage }) => {
    expect(await turnout(stage, ['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
    for (const args of [['--help'], ['help'], ['run', '--help'], ['help', 'run'], ['doctor', '-h']]) {
      expect(await turnout(stage, args)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Usage:'),
        stderr: '',
      });
    }
  });

  it('is wrong usage without a command, and with one that it does not know', async ({ stage }) => {
    expect(await turnout(stage, [])).toMatchObject({ code: 2 });
    for (const command of ['runn', 'constructor', '__proto__']) {
      const done = await turnout(stage, [command]);
      expect(done).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(command) });
    }
  });

  it('is wrong usage to ask for help on a command that there is not', async ({ stage }) => {
    for (const args of [['help', 'docter'], ['--help', 'docter'], ['docter']]) {
      const done = await turnout(stage, args);
      expect(done).toMatchObject({ code: 2, stdout: '' });
      expect(done.stderr).toContain('unknown command "docter". Did you mean "doctor"?\nTo talk to an agent');
    }
    const nope = await turnout(stage, ['help', 'nope']);
    expect(nope).toMatchObject({ code: 2, stdout: '' });
    expect(nope.stderr).toMatch(
      /^turnout: unknown command "nope"\.\nTo talk .* `turnout chat "…"` or `turnout run "…"`/,
    );
    expect((await turnout(stage, ['help', 'help'])).code).toBe(0);
  });

  it('demo takes no option as a part of its prompt', async ({ stage }) => {
    for (const args of [['--output', 'json', 'hi'], ['hi', '--output=json'], ['-x']]) {
      const done = await turnout(stage, ['demo', ...args]);
      expect(done).toMatchObject({ code: 2, stdout: '' });
      expect(done.stderr).toMatch(/^turnout: There is no option (--output|-x)\./);
    }
    const quoted = await turnout(stage, ['demo', '--', 'say exactly:', '--output', 'json']);
    expect(quoted).toMatchObject({ code: 0, stdout: '--output json\n' });
    expect(await turnout(stage, ['demo', 'hi', '--help'])).toMatchObject({ code: 0 });
    const wrong = await turnout(stage, ['demo', 'hi'], { env: { LOG_LEVEL: 'loud' } });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('LOG_LEVEL="loud"') });
    expect(wrong.stderr).not.toContain('    at ');
  });
});

describe.concurrent('turnout on Windows', () => {
  const fake = 'Object.defineProperty(process, "platform", { value: "win32" })';
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fake)}` };

  it('refuses every command by name, and points to WSL [fault 13.13: Windows is half supported]', async ({
    stage,
  }) => {
    for (const args of [['run', 'hi'], ['gateway'], ['doctor'], ['nonsense']]) {
      const done = await turnout(stage, args, { env });
      expect(done).toMatchObject({ code: 3, stdout: '' });
      expect(done.stderr).toMatch(/^turnout: Turnout does not run on Windows itself\.\n.*WSL 2/);
    }
  });
});

describe.concurrent('turnout doctor', () => {
  it('--backend takes the names with -cli too, and says whose path it did not look at (O2, O5)', async ({
    stage,
  }) => {
    const doctor = (names: string, env: Record<string, string>) =>
      turnout(stage, ['doctor', '--json', '--backend', names], { env });
    const path = stage.program('agent', 'echo 1.2.3');
    const done = await doctor('codex-cli,gemini', { BACKEND_CLI_PATH: path });
    const { clis, warnings } = JSON.parse(done.stdout);
    expect(clis).toMatchObject([
      { backend: 'codex', usable: false, path: 'codex' },
      { backend: 'gemini', usable: false, path: 'gemini' },
    ]);
    expect(warnings).toEqual(
      expect.arrayContaining([
        expect.stringContaining('BACKEND_CLI_PATH belongs to claude and is not used for codex.'),
      ]),
    );
    const twice = await doctor('codex-cli,Codex', { BACKEND_CLI_PATH: path });
    expect(twice.stdout.split('is not used for codex.')).toHaveLength(2);
    const own = await doctor('codex-cli', { AGENT_BACKEND: 'codex-cli', BACKEND_CLI_PATH: path });
    expect(JSON.parse(own.stdout).clis).toMatchObject([{ backend: 'codex', usable: true, path }]);
    expect(await doctor('codex,', {})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--backend: Unknown backend ""'),
    });
  });

  it('names the setting of a path that leads nowhere, with where it is set', async ({ stage }) => {
    const doctor = (env: Record<string, string>) =>
      turnout(stage, ['doctor', '--backend', 'claude'], { env });
    const { stdout } = await doctor({ BACKEND_CLI_PATH: '/nope' });
    expect(stdout).toMatch(
      /\/nope: not found[\s\S]*npm install.*; or correct BACKEND_CLI_PATH in the environment/,
    );
    expect((await doctor({})).stdout).not.toContain('BACKEND_CLI_PATH');
    mkdirSync(stage.home, { recursive: true, mode: 0o700 });
    writeFileSync(join(stage.home, 'config.yaml'), 'BACKEND_CLI_PATH: /nope\n', { mode: 0o600 });
    expect((await doctor({})).stdout).toContain(`BACKEND_CLI_PATH in ${join(stage.home, 'config.yaml')}`);
  });

  it('does not call the demo agent a vetted CLI', async ({ stage }) => {
    const { stdout } = await turnout(stage, ['doctor', '--backend', 'claude'], {
      env: { BACKEND_CLI_PATH: demoAgent },
    });
    expect(stdout).toContain('the demo agent: it calls no model');
    expect(stdout).not.toMatch(/\bvetted\b/);
  });

  it('says in a line what can not be promised without /proc, and nothing with it [fault 13.13: no word of it on a Mac]', async ({
    stage,
  }) => {
    const env = { ...withPrograms(stage, { claude: 'echo 2.1.325' }), ANTHROPIC_API_KEY: 'dummy' };
    // The path of macOS needs ps, which is looked up in the system's own directories.
    const without = await turnout(stage, ['doctor'], { env: { ...env, TURNOUT_PROCESSES: 'ps' } });
    expect(without).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^warning: There is no \/proc/m),
    });
    expect((await turnout(stage, ['doctor'], { env })).stdout).not.toContain('/proc');
  });

  it('tells which CLIs are here, their versions, and what each can do', async ({ stage }) => {
    const env = withPrograms(stage, {
      claude: 'echo "2.1.325 (Claude Code)"',
      codex: 'echo "WARNING: something"; echo "codex-cli 0.166.0"',
      gemini: 'echo "no node" >&2; exit 1',
    });
    const done = await turnout(stage, ['doctor', '--json'], { env });
    // The one that would be used is not signed in.
    expect(done).toMatchObject({ code: 1, stderr: '' });
    const report = JSON.parse(done.stdout);
    expect(report).toMatchObject({
      node: process.version,
      home: stage.home,
      defaultBackend: 'claude',
      problems: [],
      warnings: [],
    });
    expect(report.clis).toMatchObject([
      {
        backend: 'claude',
        usable: true,
        version: '2.1.325 (Claude Code)',
        vetting: 'vetted',
        capabilities: { textDeltas: true, maxTurns: true },
      },
      { backend: 'codex', usable: true, version: 'codex-cli 0.166.0', path: stage.path('bin/codex') },
      { backend: 'gemini', usable: false, problem: expect.stringContaining('no node') },
      { backend: 'opencode', usable: false, install: 'npm install -g opencode-ai@1.18.33' },
    ]);
  });

  it('says the same in words', async ({ stage }) => {
    const env = withPrograms(stage, { opencode: 'echo 1.18.33' });
    const done = await turnout(stage, ['doctor'], { env: { ...env, AGENT_BACKEND: 'opencode' } });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toContain('1.18.33');
    expect(done.stdout).toContain('npm install -g @anthropic-ai/claude-code');
    expect(done.stdout).toMatch(/modes: bypass, .*; live: bypass, ask, edits, plan\n/);
  });

  it('says of each version whether it was vetted, and what to do if not', async ({ stage }) => {
    const env = withPrograms(stage, {
      claude: 'echo "2.1.287 (Claude Code)"',
      codex: 'echo "codex-cli 999.0.0"',
      gemini: 'echo 0.61.0',
      opencode: 'echo hello',
    });
    const { stdout } = await turnout(stage, ['doctor'], { env });
    const lines = stdout.split('\n').map((line) => line.trim());
    const below = (backend: string) =>
      lines[lines.findIndex((line) => line.slice(9).startsWith(backend)) + 1];
    expect(below('claude')).toBe(
      'older than the vetted 2.1.325: update it with `npm install -g @anthropic-ai/claude-code@2.1.325`, or check it with `turnout doctor --deep --backend claude`',
    );
    expect(below('codex')).toBe(
      'newer than the vetted 0.166.0: check it with `turnout doctor --deep --backend codex`, or go back with `npm install -g @openai/codex@0.166.0`',
    );
    expect(below('gemini')).toBe('vetted');
    expect(below('opencode')).toBe(
      'not vetted: the version is not known; a vetted one: npm install -g opencode-ai@1.18.33',
    );
    const { clis } = JSON.parse((await turnout(stage, ['doctor', '--json'], { env })).stdout);
    expect(clis.map(({ vetting }: { vetting?: string }) => vetting)).toEqual([
      'older',
      'newer',
      'vetted',
      undefined,
    ]);
  });

  it('says of a version that passed --deep here that it did', async ({ stage }) => {
    const env = withPrograms(stage, { codex: 'echo "codex-cli 999.0.0"' });
    mkdirSync(stage.home, { recursive: true });
    writeFileSync(join(stage.home, 'checked-versions.json'), '{"codex":["999.0.0"]}');
    const { stdout } = await turnout(stage, ['doctor'], { env });
    expect(stdout).toMatch(/\n {19}newer than the vetted [\d.]+; it passed `turnout doctor --deep` here\n/);
  });

  it.for(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
    'leaves no CLI behind that it has asked for its version, after %s [fault 13.10: a signal leaves CLIs of turnout doctor]',
    async (signal, { stage }) => {
      const env = withPrograms(stage, { claude: 'echo here > "$0.pid"; exec /bin/sleep 60' });
      const child = startTurnout(stage, ['doctor'], { env });
      const done = finished(child);
      await appearance(stage.path('bin/claude.pid'));
      child.kill(signal);
      expect(await done).toMatchObject({ code: 130 });
      await stage.untilNoProcess();
    },
  );

  it('exits with 3 when none is usable, with 1 for bad settings, with 2 for wrong options', async ({
    stage,
  }) => {
    const env = withPrograms(stage, {});
    expect(await turnout(stage, ['doctor', '--json'], { env })).toMatchObject({ code: 3 });
    const wrong = { ...env, AGENT_BACKEND: 'gpt', BACKEND_CLI_PATH: stage.program('agent', 'echo 1.2.3') };
    expect(await turnout(stage, ['doctor'], { env: wrong })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('WRONG    AGENT_BACKEND in the environment: Unknown backend "gpt"'),
    });
    expect(await turnout(stage, ['doctor', '--nonsense'], { env })).toMatchObject({ code: 2 });
  });
});

/** A PATH with these programs alone. */
function withPrograms(stage: Stage, programs: Record<string, string>): Record<string, string> {
  const bin = stage.path('bin');
  mkdirSync(bin);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return { PATH: bin };
}
