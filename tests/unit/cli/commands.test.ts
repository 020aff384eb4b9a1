import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { it, type Stage } from '../../contract/stage.js';
import { appearance, buildOnce, finished, startTurnout, turnout } from './turnout.js';

beforeAll(buildOnce, 60_000);

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
  it('says in a line what can not be promised without /proc, and nothing with it [fault 13.13: no word of it on a Mac]', async ({
    stage,
  }) => {
    const env = withPrograms(stage, { claude: 'echo 2.1.325' });
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
    expect(done).toMatchObject({ code: 0, stderr: '' });
    const report = JSON.parse(done.stdout);
    expect(report).toMatchObject({
      node: process.version,
      home: stage.home,
      defaultBackend: 'claude',
      warnings: [],
    });
    expect(report.clis).toMatchObject([
      {
        backend: 'claude',
        usable: true,
        version: '2.1.325 (Claude Code)',
        capabilities: { textDeltas: true, maxTurns: true },
      },
      { backend: 'codex', usable: true, version: 'codex-cli 0.166.0', path: stage.path('bin/codex') },
      { backend: 'gemini', usable: false, problem: expect.stringContaining('no node') },
      { backend: 'opencode', usable: false, install: 'npm install -g opencode-ai' },
    ]);
  });

  it('says the same in words', async ({ stage }) => {
    const env = withPrograms(stage, { opencode: 'echo 1.18.33' });
    const done = await turnout(stage, ['doctor'], { env: { ...env, AGENT_BACKEND: 'opencode' } });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toContain('1.18.33');
    expect(done.stdout).toContain('npm install -g @anthropic-ai/claude-code');
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

  it('exits with 3 when none is usable, with 2 for bad settings and wrong options', async ({ stage }) => {
    const env = withPrograms(stage, {});
    expect(await turnout(stage, ['doctor', '--json'], { env })).toMatchObject({ code: 3 });
    expect(await turnout(stage, ['doctor'], { env: { ...env, AGENT_BACKEND: 'gpt' } })).toMatchObject({
      code: 2,
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
