import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { it } from '../../../contract/stage.js';
import { buildOnce, demoAgent, finished, startTurnout, turnout } from '../turnout.js';

beforeAll(buildOnce);

const env = { BACKEND_CLI_PATH: demoAgent, TURNOUT_DEMO_SPEED: '0' };

describe('turnout run over a live session', () => {
  it('shows the turn as without --live', async ({ stage }) => {
    const args = ['run', 'say exactly: hello', '--output', 'stream-json'];
    const types = (stdout: string) =>
      new Set(
        stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).type),
      );
    const live = await turnout(stage, [...args, '--live'], { env });
    const oneShot = await turnout(stage, args, { env });
    expect([live.code, live.stderr]).toEqual([0, '']);
    expect(types(live.stdout)).toEqual(types(oneShot.stdout));
    expect(JSON.parse(live.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'complete',
      text: 'hello',
    });
  });

  for (const live of [true, false]) {
    it(`logs nothing of a prompt or an answer unless LOG_LEVEL is debug, then both directions (S9, live: ${live})`, async ({
      stage,
    }) => {
      const args = ['run', 'say exactly: SECRET-WORDS', '--system-prompt', 'SECRET-PROMPT'];
      if (live) args.push('--live');
      // --verbose shows the exact command (O9), which may hold the prompt where each turn starts the CLI.
      for (const more of live ? [[], ['--verbose']] : [[]]) {
        const quiet = await turnout(stage, [...args, ...more], { env });
        expect(quiet.stdout).toBe('SECRET-WORDS\n');
        expect(quiet.stderr).not.toContain('SECRET');
      }
      const loud = await turnout(stage, args, { env: { ...env, LOG_LEVEL: 'debug' } });
      if (live) expect(loud.stderr).toMatch(/"direction":"out","line":".*SECRET-WORDS/);
      expect(loud.stderr).toMatch(/"direction":"in","line":".*SECRET-WORDS/);
    });
  }

  it('--live --verbose shows the backend, the options and the exact command, without secrets (O9)', async ({
    stage,
  }) => {
    const args = ['run', 'say exactly: CANARY', '--live', '--verbose', '--model', 'opus'];
    const more = ['--system-prompt', 'CANARY'];
    const done = await turnout(stage, [...args, ...more], { env: { ...env, BACKEND_MAX_TURNS: '7' } });
    expect(done).toMatchObject({ code: 0, stdout: 'CANARY\n' });
    expect(done.stderr).toContain('backend claude (live)');
    expect(done.stderr).toContain('"model":"opus"');
    expect(done.stderr).toMatch(
      /in .*work: .*demo-agent\/main\.js -p --input-format stream-json .*--max-turns 7/,
    );
    expect(done.stderr).not.toContain('CANARY');
  });

  for (const live of [true, false]) {
    it(`shows no secret of an MCP configuration (O9, live: ${live})`, async ({ stage }) => {
      const mode = live ? '--live' : '--output=text';
      const secrets = { env: { PLAIN: 'swordfish-env' }, headers: { 'X-Any': 'swordfish-header' } };
      const config = stage.write(
        'mcp.json',
        JSON.stringify({ mcpServers: { a: { command: 'x', ...secrets } } }),
      );
      const cli = stage.program('agent', 'echo "$@" >&2; echo "$OPENCODE_CONFIG_CONTENT" >&2; exit 1');
      for (const backend of ['codex', 'opencode']) {
        const args = ['run', 'hi', '--verbose', mode, '--backend', backend, '--mcp-config', config];
        const settings = { AGENT_BACKEND: backend, BACKEND_CLI_PATH: cli, LOG_LEVEL: 'debug' };
        const done = await turnout(stage, args, { env: settings });
        const shown = done.stderr
          .split('\n')
          .filter((line) => /^(?:turnout: (?:in|backend) |\{"time":)/.test(line));
        expect(shown.length, done.stderr).toBeGreaterThan(2);
        expect(shown.join('\n')).not.toContain('swordfish');
      }
    });
  }

  it('takes LOG_LEVEL from the files of TURNOUT_HOME as well, in capitals too (S9)', async ({ stage }) => {
    mkdirSync(stage.home, { mode: 0o700 });
    writeFileSync(join(stage.home, 'config.yaml'), 'log_level: DEBUG\n', { mode: 0o600 });
    const loud = await turnout(stage, ['run', 'say exactly: words'], { env });
    const lines = loud.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ level }) => level)).toEqual(lines.map(() => 'debug'));
    expect(lines).toContainEqual(
      expect.objectContaining({
        message: 'agent line',
        backend: 'claude',
        direction: 'in',
        line: expect.stringContaining('words'),
      }),
    );
    const wrong = await turnout(stage, ['run', 'hi'], { env: { ...env, LOG_LEVEL: 'loud' } });
    expect(wrong.code).toBe(0);
    expect(wrong.stderr).toContain(
      'LOG_LEVEL="loud" in the environment: expected one of debug, info, warn, error, silent',
    );
  });

  it('counts the start of the CLI in its --timeout [fault 13.11: turnout run --live with a CLI that hangs at its start]', async ({
    stage,
  }) => {
    const cli = join(stage.directory, 'hangs.sh');
    writeFileSync(cli, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    const args = ['run', 'hello', '--live', '--timeout', '1'];
    const done = await turnout(stage, args, { env: { ...env, BACKEND_CLI_PATH: cli } });
    expect([done.code, done.stderr]).toEqual([124, 'turnout: The turn took longer than 1 s\n']);
  });

  it('denies what it can’t ask about without a terminal, and says so', async ({ stage }) => {
    const done = await turnout(stage, ['run', 'write a note: hi', '--permission-mode', 'ask'], { env });
    expect(done.code).toBe(0);
    expect(done.stderr).toContain('there is no terminal to ask in');
    expect(existsSync(join(stage.workingDir, 'demo-note.txt'))).toBe(false);
  });

  it('fails with the exit code of the failure: 1, 3, 4, 124', async ({ stage }) => {
    const run = async (args: readonly string[], more: Record<string, string> = {}) =>
      (await turnout(stage, ['run', '--live', ...args], { env: { ...env, ...more } })).code;
    expect(await run(['fail with 429'])).toBe(1);
    expect(await run(['hi'], { BACKEND_CLI_PATH: '/no/such/claude' })).toBe(3);
    expect(await run(['hi', '--thinking', 'off'])).toBe(4);
    expect(await run(['hang', '--timeout', '1'])).toBe(124);
  });

  it('leaves an agent behind when it is killed, which the next run ends', async ({ stage }) => {
    const child = startTurnout(stage, ['run', '--live', 'start a child, then hang'], { env });
    const done = finished(child);
    let begun = false;
    child.stdout?.on('data', () => {
      begun = true;
    });
    while (!begun) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGKILL');
    await done;
    expect((await turnout(stage, ['run', '--live', 'hello'], { env })).code).toBe(0);
    await stage.untilNoProcess();
  });
});
