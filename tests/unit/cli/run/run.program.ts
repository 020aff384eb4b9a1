import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { vendorNames } from '../../../../src/backends/names.js';
import { openCodeAdvice } from '../../../../src/backends/opencode/advice.js';
import type { ChatEvent } from '../../../../src/core/chat-event.js';
import { readRecording, stdoutOf } from '../../../contract/recordings.js';
import { it, programPath, type Stage } from '../../../contract/stage.js';
import { appearance, buildOnce, finished, playing, startTurnout, turnout } from '../turnout.js';

beforeAll(buildOnce);

describe.concurrent('turnout run', () => {
  describe('shows a turn', () => {
    for (const name of vendorNames) {
      it(`as text: ${name}`, async ({ stage }) => {
        const done = await turnout(stage, ['run', 'hi'], { env: playing(stage, name, 'tool') });
        expect(done).toEqual({ code: 0, stdout: 'Looking. \nThe tool said it.\n', stderr: '' });
      });
    }

    it('as one JSON object', async ({ stage }) => {
      const done = await turnout(stage, ['run', 'hi', '--output', 'json'], {
        env: playing(stage, 'claude', 'answer-plain'),
      });
      expect(done).toMatchObject({ code: 0, stderr: '' });
      expect(done.stdout).toMatch(/^[^\n]*\n$/);
      expect(JSON.parse(done.stdout)).toEqual({
        responseText: 'Hello from the scripted model.',
        sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        isError: false,
        usage: { inputTokens: 60, outputTokens: 7, cachedInputTokens: 30, costUsd: expect.any(Number) },
        backend: 'claude',
      });
    });

    it('as events', async ({ stage }) => {
      const env = playing(stage, 'gemini', 'tool');
      const done = await turnout(stage, ['run', 'hi', '--output', 'stream-json'], { env });
      expect(done).toMatchObject({ code: 0, stderr: '' });
      const events: ChatEvent[] = done.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(events.map(({ type }) => type)).toEqual([
        ...['session', 'text', 'tool_start', 'tool_end', 'text', 'text', 'usage', 'complete'],
      ]);
    });

    it('as JSON on failure too, with the code', async ({ stage }) => {
      const env = playing(stage, 'codex', 'http-429');
      const done = await turnout(stage, ['run', 'hi', '--output', 'json'], { env });
      expect(done.code).toBe(1);
      const message = 'Codex CLI error (exit 1): exceeded retry limit, last status: 429 Too Many Requests';
      expect(JSON.parse(done.stdout)).toMatchObject({
        responseText: message,
        isError: true,
        error: { code: 'rate_limit', message },
        backend: 'codex',
      });
    });

    it('and its failure in words on stderr', async ({ stage }) => {
      const done = await turnout(stage, ['run', 'hi'], { env: playing(stage, 'opencode', 'http-401') });
      expect(done).toEqual({
        code: 1,
        stdout: '',
        stderr: `turnout: OpenCode CLI error (exit 1): invalid key\n${openCodeAdvice.signIn}\n`,
      });
    });
  });

  describe('has an exit code of its own for', () => {
    it('2: a wrong option, two prompts, a bad value, bad settings, no prompt', async ({ stage }) => {
      const env = playing(stage, 'claude', 'answer', 'receive.sh');
      const wrong: readonly (readonly [
        args: readonly string[],
        said: string,
        env?: Record<string, string>,
      ])[] = [
        [['run', 'hi', '--nonsense'], '--nonsense'],
        [['run', 'two', 'prompts'], 'one prompt is expected'],
        [['run', ''], 'There is no prompt'],
        [['run', 'hi', '--system-prompt-file', '/no/such/file'], '/no/such/file'],
        [['run', 'hi', '--backend', 'gpt'], 'claude, codex, gemini, opencode'],
        [['run', 'hi'], 'QUERY_TIMEOUT_MS', { QUERY_TIMEOUT_MS: 'soon' }],
      ];
      for (const [args, said, more] of wrong) {
        const done = await turnout(stage, args, { env: { ...env, ...more } });
        expect(done, args.join(' ')).toMatchObject({
          code: 2,
          stdout: '',
          stderr: expect.stringContaining(said),
        });
      }
      expect(existsSync(stage.path('received.argv'))).toBe(false);
    });

    it('3: a backend that is not there', async ({ stage }) => {
      const env = { BACKEND_CLI_PATH: '/no/such/claude' };
      const done = await turnout(stage, ['run', 'hi', '--output', 'json'], { env });
      expect(done.code).toBe(3);
      expect(JSON.parse(done.stdout)).toMatchObject({ isError: true, error: { code: 'not_installed' } });
      expect(JSON.parse(done.stdout).error.message).toMatch(
        /npm install -g @anthropic-ai\/claude-code@\d+\.\d+\.\d+`/,
      );
    });

    it('4: a flag that the backend can not honour (R7.3, O4)', async ({ stage }) => {
      const env = playing(stage, 'codex', 'answer', 'receive.sh');
      const done = await turnout(stage, ['run', 'hi', '--max-turns', '3'], { env });
      expect(done).toMatchObject({ code: 4, stdout: '' });
      expect(done.stderr).toContain('codex does not support maxTurns');
      expect(existsSync(stage.path('received.argv'))).toBe(false);
    });

    it('0 with --allow-unsupported, which leaves it out by name, and nothing else does (O4)', async ({
      stage,
    }) => {
      const env = playing(stage, 'codex', 'answer', 'receive.sh');
      const args = ['run', 'hi', '--max-turns', '3', '--disallowed-tools', 'x', '--allow-unsupported'];
      const done = await turnout(stage, args, { env });
      expect(done).toMatchObject({ code: 0, stdout: 'Hello from the scripted model.\n' });
      expect(done.stderr).toMatch(
        /^turnout: codex does not support maxTurns \(--max-turns\): it is left out/m,
      );
      expect(done.stderr).toMatch(/^turnout: codex does not support tools.disallowed .*: it is left out/m);
    });

    it('2: a file that can’t be used, before anything starts (O3)', async ({ stage }) => {
      const env = playing(stage, 'claude', 'answer', 'receive.sh');
      const file = stage.write('mcp.json', '{"mcpServers": []}');
      const done = await turnout(stage, ['run', 'hi', '--mcp-config', file], { env });
      expect(done).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(file) });
      expect(existsSync(stage.path('received.argv'))).toBe(false);
    });

    it('3: an SDK that is not there, whatever CLI the settings name (O2)', async ({ stage }) => {
      const env = playing(stage, 'claude', 'answer', 'receive.sh');
      const done = await turnout(stage, ['run', 'hi', '--backend', 'Codex-SDK'], { env });
      expect(done).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('npm install @openai/codex-sdk'),
      });
      expect(existsSync(stage.path('received.argv'))).toBe(false);
    });

    it('an option from the environment is only warned about (R7.3)', async ({ stage }) => {
      const env = { ...playing(stage, 'codex', 'answer'), BACKEND_MAX_TURNS: '3' };
      const done = await turnout(stage, ['run', 'hi'], { env });
      expect(done).toMatchObject({ code: 0, stdout: 'Hello from the scripted model.\n' });
      expect(done.stderr).toContain('BACKEND_MAX_TURNS');
    });

    it('124: a time-out, after which nothing is left', async ({ stage }) => {
      const done = await turnout(stage, ['run', 'hi', '--timeout', '0.3', '--output', 'json'], {
        env: waiting(stage),
      });
      expect(done.code).toBe(124);
      expect(JSON.parse(done.stdout)).toMatchObject({
        responseText: 'Query timed out',
        error: { code: 'timeout' },
      });
      await stage.expectNothingLeft();
    });

    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
      it(`130: ${signal}, after which nothing is left [fault 13.10: ${signal} leaves agents of turnout run]`, async ({
        stage,
      }) => {
        const child = startTurnout(stage, ['run', 'hi', '--output', 'json'], { env: waiting(stage) });
        const done = finished(child);
        await appearance(stage.path('pid'));
        child.kill(signal);
        expect(await done).toMatchObject({ code: 130 });
        expect(JSON.parse((await done).stdout)).toMatchObject({
          isError: true,
          error: { code: 'interrupted' },
        });
        await stage.expectNothingLeft();
      });
    }

    it('130: a second SIGINT does not wait for a CLI that ignores the first, and leaves nothing either', async ({
      stage,
    }) => {
      const env = {
        ...playing(stage, 'claude', 'answer', 'stubborn.mjs'),
        STUBBORN_PIDS: stage.path('pids'),
      };
      const child = startTurnout(stage, ['run', 'hi', '--system-prompt', 'x'], { env });
      const done = finished(child);
      await appearance(stage.path('pids'));
      child.kill('SIGINT');
      setTimeout(() => child.kill('SIGINT'), 300);
      expect(await done).toMatchObject({ code: 130 });
      // It did not stay to see them die.
      await stage.untilNoProcess();
    });
  });

  it('logs raw lines and their events with LOG_LEVEL=debug, and nothing of them without (S9)', async ({
    stage,
  }) => {
    const env = playing(stage, 'claude', 'answer');
    const quiet = await turnout(stage, ['run', 'hi'], { env });
    expect(quiet.stderr).toBe('');
    const loud = await turnout(stage, ['run', 'hi'], { env: { ...env, LOG_LEVEL: 'debug' } });
    expect(loud.stdout).toBe(quiet.stdout);
    expect(loud.stderr).toContain('"type":"line"');
    expect(loud.stderr).toContain('"events":[{"type":"session"');
  });

  it('ends the agent that a killed turnout left behind, and removes its files', async ({ stage }) => {
    const env = { ...playing(stage, 'claude', 'answer', 'stubborn.mjs'), STUBBORN_PIDS: stage.path('pids') };
    const child = startTurnout(stage, ['run', 'hi', '--system-prompt', 'x'], { env });
    const done = finished(child);
    await appearance(stage.path('pids'));
    child.kill('SIGKILL');
    await done;
    const next = await turnout(stage, ['run', 'hi'], { env: playing(stage, 'claude', 'answer') });
    expect(next.code).toBe(0);
    await stage.untilNoProcess();
  });

  describe("understands Claude's flags", () => {
    it('--output-format json has .result with every backend (O5)', async ({ stage }) => {
      const flags = ['-p', 'hi', '--output-format', 'json'];
      const done = await turnout(stage, ['run', ...flags], { env: playing(stage, 'gemini', 'answer') });
      expect(done).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(done.stdout)).toMatchObject({
        type: 'result',
        subtype: 'success',
        result: 'Hello from the scripted model.',
        responseText: 'Hello from the scripted model.',
        duration_ms: expect.any(Number),
        backend: 'gemini',
      });
      const failed = await turnout(stage, ['run', 'hi', '--output-format', 'json', '--backend', 'codex'], {
        env: { BACKEND_CLI_PATH: '/no/such' },
      });
      expect(failed.code).toBe(3);
      expect(JSON.parse(failed.stdout)).toMatchObject({ subtype: 'error_during_execution', is_error: true });
    });

    it('--mcp-config takes several files and JSON text, and nothing of it is left (O5, O8)', async ({
      stage,
    }) => {
      const file = stage.write('b.json', '{"mcpServers":{"b":{"command":"two"}}}');
      const text = '{"mcpServers":{"a":{"command":"one"},"b":{"command":"no"}}}';
      const env = playing(stage, 'codex', 'answer', 'receive.sh');
      const done = await turnout(stage, ['run', '--mcp-config', text, file, 'hi'], { env });
      expect(done).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('The MCP server a could not start: one'),
      });
      const argv = readFileSync(stage.path('received.argv'), 'utf8');
      expect(argv).toContain('one');
      expect(argv).toContain('two');
      expect(argv).not.toContain('"no"');
      expect(readFileSync(stage.path('received.stdin'), 'utf8')).toBe('hi');
    });

    it("Claude's own are passed on to Claude as they are, one-shot and live (O5, O14)", async ({ stage }) => {
      const own = [
        ...[
          '--add-dir',
          '..',
          '../a dir',
          '--fallback-model',
          'haiku',
          '--strict-mcp-config',
          '--debug',
          'api',
        ],
        ...['--session-id', '0199a213-81c0-7800-8aa1-bbab2a035a53', '--max-thinking-tokens', '2000'],
        ...['--setting-sources', 'user', '--tools', 'Read,Bash', '--name=a b', '--no-session-persistence'],
      ];
      const argv = () => readFileSync(stage.path('received.argv'), 'utf8');
      const env = playing(stage, 'claude', 'answer', 'receive.sh');
      const run = ['run', '-p', 'hi', '--allowedTools', 'Bash(git:*)', ...own];
      expect(await turnout(stage, run, { env })).toMatchObject({ code: 0 });
      expect(argv()).toContain(`\0${own.join('\0')}\0`);
      expect(
        argv()
          .split('\0')
          .filter((word) => word === '--tools'),
      ).toHaveLength(1);
      // The program that is played does not speak the live protocol: it has been started, and that is what counts here.
      await turnout(stage, [...run, '--live', '--timeout', '60'], { env });
      expect(argv()).toContain('\0--input-format\0stream-json\0');
      expect(argv()).toContain(`\0${own.join('\0')}\0`);
    });

    it('what is wrong or not translated ends before anything is started (O5)', async ({ stage }) => {
      const env = playing(stage, 'claude', 'answer', 'receive.sh');
      const wrong: readonly (readonly [readonly string[], number, string])[] = [
        [['--backend', 'codex', '--add-dir', '..'], 4, '--add-dir is an option of Claude Code'],
        [['--bg'], 4, '--bg of Claude Code'],
        [['--dangerously-skip-permissions', '--permission-mode', 'plan'], 2, 'contradict'],
        [['--modle', 'x'], 2, 'Did you mean --model?'],
        [['--mcp-config', '{"mcpServers":'], 2, 'The MCP configuration of --mcp-config'],
        [['--mcp-config', 'a.json', 'b.json'], 2, 'a.json'],
        [['--settings', '{]'], 2, '--settings is not valid JSON'],
        [['--append-system-prompt-file', '/no/such'], 2, '/no/such'],
      ];
      for (const [flags, code, said] of wrong) {
        const done = await turnout(stage, ['run', '-p', 'hi', ...flags], { env });
        expect(done, flags.join(' ')).toMatchObject({
          code,
          stdout: '',
          stderr: expect.stringContaining(said),
        });
      }
      expect(existsSync(stage.path('received.argv'))).toBe(false);
    });
  });

  describe('takes the prompt', () => {
    const prompts: readonly (readonly [
      what: string,
      args: readonly string[],
      stdin: string | undefined,
      prompt: string,
    ])[] = [
      ['from the command line', ['hi there'], undefined, 'hi there'],
      ['from stdin', [], 'piped\n', 'piped\n'],
      ['from both, the command line first', ['explain'], 'the file\n', 'explain\nthe file\n'],
      ['from an empty stdin beside it', ['explain'], '', 'explain'],
      ['from --prompt=', ['--prompt=-x --help'], undefined, '-x --help'],
      ['with all of its characters', [], ' é😀\u2028\r\n"\0', ' é😀\u2028\r\n"\0'],
    ];
    for (const [what, args, stdin, prompt] of prompts) {
      it(what, async ({ stage }) => {
        const env = playing(stage, 'opencode', 'answer', 'receive.sh');
        const done = await turnout(stage, ['run', ...args], {
          env,
          ...(stdin === undefined ? {} : { stdin }),
        });
        expect(done).toMatchObject({ code: 0, stderr: '' });
        expect(readFileSync(stage.path('received.stdin'), 'utf8')).toBe(prompt);
      });
    }

    it('refuses an empty stdin', async ({ stage }) => {
      const env = playing(stage, 'opencode', 'answer', 'receive.sh');
      expect(await turnout(stage, ['run'], { env, stdin: '' })).toMatchObject({ code: 2, stdout: '' });
    });

    it('goes on without a stdin that stays silent and open', async ({ stage }) => {
      const env = playing(stage, 'opencode', 'answer', 'receive.sh');
      const child = startTurnout(stage, ['run', 'hi'], { env, stdin: '', keepStdinOpen: true });
      const done = await finished(child);
      expect(done).toMatchObject({ code: 0, stdout: 'Hello from the scripted model.\n' });
      expect(done.stderr).toContain('nothing on stdin');
    });
  });

  describe('settings', () => {
    it('for the path and the model are not used for another backend (O5)', async ({ stage }) => {
      const env = { ...playing(stage, 'codex', 'answer', 'receive.sh'), BACKEND_MODEL: 'gpt' };
      const done = await turnout(stage, ['run', 'hi', '--backend', 'claude'], { env });
      expect(done).toMatchObject({ code: 3, stdout: '' });
      expect(done.stderr).toContain('The Claude CLI was not found: claude');
      expect(done.stderr).toContain('BACKEND_CLI_PATH and BACKEND_MODEL belong to codex');
      expect(existsSync(stage.path('received.argv'))).toBe(false);
    });

    it('for the path are those of claude where no backend is configured (O5)', async ({ stage }) => {
      const env = { ...playing(stage, 'codex', 'answer', 'receive.sh'), AGENT_BACKEND: undefined };
      const done = await turnout(stage, ['run', 'hi', '--backend', 'codex-cli'], { env });
      expect(done).toMatchObject({ code: 3, stdout: '' });
      expect(done.stderr).toContain('BACKEND_CLI_PATH belongs to claude and is not used for codex.');
      expect(existsSync(stage.path('received.argv'))).toBe(false);
    });

    it('of a weaker source don’t reach the backend of a stronger one (O5)', async ({ stage }) => {
      const { BACKEND_CLI_PATH: path, AGENT_BACKEND: _, ...env } = playing(stage, 'codex', 'answer');
      const lines = (backend: string) => `AGENT_BACKEND=${backend}\nBACKEND_CLI_PATH=${path}\n`;
      mkdirSync(stage.home, { mode: 0o700 });
      writeFileSync(join(stage.home, '.env'), lines('claude'), { mode: 0o600 });
      const other = await turnout(stage, ['run', 'hi'], { env: { ...env, AGENT_BACKEND: 'codex' } });
      expect(other.code).toBe(3);
      expect(other.stderr).toContain('BACKEND_CLI_PATH belongs to claude and is not used for codex.');
      writeFileSync(join(stage.home, '.env'), lines('codex-cli'), { mode: 0o600 });
      const same = await turnout(stage, ['run', 'hi'], { env: { ...env, AGENT_BACKEND: 'codex' } });
      expect(same).toMatchObject({ code: 0, stdout: 'Hello from the scripted model.\n', stderr: '' });
    });

    it('of a weaker source that names no backend are claude’s (O5)', async ({ stage }) => {
      const { BACKEND_CLI_PATH: path, AGENT_BACKEND: _, ...env } = playing(stage, 'codex', 'answer');
      mkdirSync(stage.home, { mode: 0o700 });
      const lines = `BACKEND_CLI_PATH=${path}\nBACKEND_MODEL=opus\n`;
      writeFileSync(join(stage.home, '.env'), lines, { mode: 0o600 });
      const other = await turnout(stage, ['run', 'hi'], { env: { ...env, AGENT_BACKEND: 'codex' } });
      expect(other).toMatchObject({ code: 3, stdout: '' });
      expect(other.stderr).toContain(
        'BACKEND_CLI_PATH and BACKEND_MODEL belong to claude and are not used for codex.',
      );
      const own = { AGENT_BACKEND: 'codex', BACKEND_CLI_PATH: path };
      const given = await turnout(stage, ['run', 'hi'], { env: { ...env, ...own } });
      expect(given).toMatchObject({ code: 0, stdout: 'Hello from the scripted model.\n' });
      expect(given.stderr).not.toContain('BACKEND_CLI_PATH');
    });

    it('for the directory: --cwd stands over WORKING_DIR', async ({ stage }) => {
      const env = { ...playing(stage, 'claude', 'answer', 'receive.mjs'), WORKING_DIR: '/usr' };
      await turnout(stage, ['run', 'hi', '--cwd', stage.directory], { env });
      expect(JSON.parse(readFileSync(stage.path('received'), 'utf8')).cwd).toBe(stage.directory);
    });
  });

  it('with --output json a version that was not vetted is told of on stderr', async ({ stage }) => {
    const env = playing(stage, 'claude', 'answer');
    const old = stdoutOf(readRecording('claude', 'answer')).replaceAll('2.1.325', '2.1.9');
    const done = await turnout(stage, ['run', 'hi', '--output', 'json'], {
      env: { ...env, ...stage.replay(old) },
    });
    expect(JSON.parse(done.stdout)).toMatchObject({ isError: false });
    expect(done.stderr).toContain('turnout: Claude 2.1.9 is older than the vetted');
  });

  it('--verbose shows the backend, the options and the exact command, without secrets (O9)', async ({
    stage,
  }) => {
    const env = playing(stage, 'claude', 'answer');
    const raw = ['--', '--api-key=sk-verysecretvalue', '--token', 'anothersecretvalue'];
    const done = await turnout(stage, ['run', 'say hi', '--verbose', '--model', 'opus', ...raw], { env });
    expect(done).toMatchObject({ code: 0, stdout: 'Hello from the scripted model.\n' });
    expect(done.stderr).toContain('backend claude');
    expect(done.stderr).toContain(programPath('replay.sh'));
    expect(done.stderr).toContain('-p --output-format stream-json');
    expect(done.stderr).toContain('--model opus');
    expect(done.stderr).toContain('--api-key=[redacted]');
    expect(done.stderr).not.toMatch(/verysecret|anothersecret/);
  });

  it('--verbose shows only the options that the backend has (O9)', async ({ stage }) => {
    for (const backend of ['codex', 'gemini', 'opencode', 'claude'] as const) {
      const done = await turnout(stage, ['run', 'hi', '--verbose'], {
        env: playing(stage, backend, 'answer'),
      });
      expect(done.stderr).toContain(`backend ${backend} (one-shot)`);
      expect(done.stderr.includes('"maxTurns":25'), backend).toBe(backend === 'claude');
    }
  });

  it('a reader that goes away, as with `| head -1`, ends the turn', async ({ stage }) => {
    const line = JSON.stringify({ type: 'message', role: 'assistant', content: 'again\n', delta: true });
    const agent = stage.program('agent', `while :; do printf '%s\\n' '${line}'; done`);
    const child = startTurnout(stage, ['run', 'hi'], {
      env: { AGENT_BACKEND: 'gemini', BACKEND_CLI_PATH: agent },
    });
    const [first] = await once(child.stdout ?? child, 'data');
    expect(String(first)).toContain('again\n');
    child.stdout?.destroy();
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    await stage.expectNothingLeft();
  });
});

/** A CLI that says that it is there, and then waits for ever. */
function waiting(stage: Stage): Record<string, string> {
  return {
    ...playing(stage, 'claude', 'answer', 'pause.sh'),
    PAUSE_FIRST: stage.write('first', ''),
    PAUSE_REST: stage.path('never'),
    PAUSE_UNTIL: stage.path('never'),
    PAUSE_PID: stage.path('pid'),
  };
}
