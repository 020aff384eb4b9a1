import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, vi } from 'vitest';
import { it, programPath, type Stage } from '../../../contract/stage.js';
import { patience } from '../../../machine-speed.js';
import { NativeRun } from '../native-run.js';
import { buildOnce, type Place, program, turnout } from '../turnout.js';

beforeAll(buildOnce);

const ui = programPath('terminal-ui.mjs');

describe('turnout chat --native, in a terminal (O1)', () => {
  it('is the CLI’s own UI: its arguments, its size, its keys, its exit code', async ({ stage }) => {
    const terminal = NativeRun.chat(placeOf(stage), ['hello you', '--model', 'm', '--', '--raw']);
    await terminal.until('ready 100x40');
    expect(terminal.screen.text).toContain('arguments ["--model","m","--raw","--","hello you"]');
    expect(terminal.screen.text).toContain(`secret none, directory ${stage.workingDir}`);
    terminal.resize(77, 21);
    await terminal.until('resized 77x21');
    await terminal.type('\u0003');
    await terminal.until('got Ctrl-C');
    await terminal.type('q');
    expect(await terminal.exitCode).toBe(7);
    expect(terminal.screen.modes).toEqual(new Set([25]));
  });

  it.for<[string, string, string]>([
    ['claude', 'plan', '"--permission-mode","plan"'],
    ['claude', 'edits', '"--permission-mode","acceptEdits"'],
    ['codex', 'plan', '"--sandbox","read-only"'],
    ['gemini', 'plan', '"--approval-mode","plan"'],
    ['opencode', 'plan', '"--agent","plan"'],
  ])('%s keeps PERMISSION_MODE=%s (27.9)', async ([backend, mode, shown], { stage }) => {
    const place = placeOf(stage, { AGENT_BACKEND: backend, PERMISSION_MODE: mode });
    const terminal = NativeRun.chat(place);
    await terminal.until('ready');
    expect(readFileSync(logOf(stage), 'utf8')).toContain(shown);
    await terminal.type('q');
    expect(await terminal.exitCode).toBe(7);
  });

  it('keeps permission_mode of config.yaml, and a flag wins over it (27.9)', async ({ stage }) => {
    mkdirSync(stage.home, { recursive: true, mode: 0o700 });
    writeFileSync(join(stage.home, 'config.yaml'), 'permission-mode: plan\n', { mode: 0o600 });
    const place = placeOf(stage, { BACKEND_CLI_PATH: '/bin/echo' });
    const kept = NativeRun.chat(place);
    expect(await kept.exitCode).toBe(0);
    expect(kept.screen.text).toContain('--permission-mode plan');
    const over = NativeRun.chat(place, ['--permission-mode', 'edits']);
    expect(await over.exitCode).toBe(0);
    expect(over.screen.text).toContain('--permission-mode acceptEdits');
  });

  it('Ctrl-C as a signal reaches the UI, and Turnout goes on', async ({ stage }) => {
    const terminal = NativeRun.chat(placeOf(stage));
    await terminal.until('ready');
    await terminal.type('c');
    await terminal.until('cooked');
    await terminal.type('\u0003');
    await terminal.until('got SIGINT');
    await terminal.type('q\r');
    expect(await terminal.exitCode).toBe(7);
  });

  it('a system prompt’s file is there while the UI runs, and gone after it', async ({ stage }) => {
    const terminal = NativeRun.chat(placeOf(stage), ['--system-prompt', 'Be brief.']);
    await terminal.until('ready');
    const [, file = ''] =
      /"--append-system-prompt-file","(.+?)"/.exec(readFileSync(logOf(stage), 'utf8')) ?? [];
    expect(readFileSync(file, 'utf8')).toBe('Be brief.');
    await terminal.type('q');
    expect(await terminal.exitCode).toBe(7);
  });

  it('a UI that is killed leaves a terminal that works, and 137', async ({ stage }) => {
    const terminal = new NativeRun(placeOf(stage), ['/bin/sh', '-i']);
    const before = await modesIn(terminal, 'before');
    await terminal.type(`${chatLine()}; echo "code=$?"\r`);
    await terminal.until('ready');
    expect(terminal.screen.modes).toContain(1049);
    await terminal.type('k');
    await terminal.until('code=137');
    expect(terminal.screen.modes).toContain(25);
    expect(terminal.screen.modes).not.toContain(2004);
    expect(await modesIn(terminal, 'after')).toBe(before);
    await terminal.type('exit\r');
    await terminal.exitCode;
  });

  it.for<['SIGTERM' | 'SIGHUP', number]>([
    ['SIGTERM', 9],
    ['SIGHUP', 8],
  ])('%s that is sent to Turnout alone reaches the UI', async ([signal, code], { stage }) => {
    const terminal = NativeRun.chat(placeOf(stage));
    await terminal.until('ready');
    process.kill(terminal.pid, 'SIGUSR2');
    await terminal.until('got SIGUSR2');
    process.kill(terminal.pid, signal);
    expect(await terminal.exitCode).toBe(code);
    expect(readFileSync(logOf(stage), 'utf8')).toContain(`got ${signal}`);
  });

  it('a signal reaches the UI behind a launcher that ignores it', async ({ stage }) => {
    const launcher = stage.program('launcher', `trap '' TERM\n${process.execPath} ${ui} "$@"\nexit $?`);
    const place = placeOf(stage, { BACKEND_CLI_PATH: launcher });
    const terminal = NativeRun.chat(place);
    await terminal.until('ready');
    process.kill(terminal.pid, 'SIGTERM');
    expect(await terminal.exitCode).toBe(9);
  });

  it('a UI that does not end when it is told to is killed after a grace', async ({ stage }) => {
    const terminal = NativeRun.chat(placeOf(stage, { UI_DEAF: '1' }));
    await terminal.until('ready');
    process.kill(terminal.pid, 'SIGTERM');
    expect(await terminal.exitCode).toBe(137);
    expect(terminal.screen.modes).not.toContain(2004);
  });

  it('ends with its terminal', async ({ stage }) => {
    const terminal = NativeRun.chat(placeOf(stage));
    await terminal.until('ready');
    terminal.hangUp();
    await stage.untilNoProcess();
  });

  it('a UI that stops itself gives the terminal back to the shell, and fg continues it', async ({
    stage,
  }) => {
    const terminal = new NativeRun(placeOf(stage), ['/bin/bash', '--norc', '-i']);
    await terminal.type(`${chatLine()}; echo "code=$?"\r`);
    await terminal.until('ready');
    await terminal.type('s');
    await vi.waitFor(() => expect(statesOn(stage)).toMatch(/T.*\n.*T/), patience);
    await terminal.type('fg >/dev/null\r');
    await terminal.until('got SIGCONT');
    await terminal.type('q');
    await vi.waitFor(() => expect(statesOn(stage)).not.toContain('terminal-ui'), patience);
    await terminal.type('exit\r');
    await terminal.exitCode;
  });

  it('a UI that stops itself where no shell could continue it is continued', async ({ stage }) => {
    const terminal = NativeRun.chat(placeOf(stage));
    await terminal.until('ready');
    await terminal.type('s');
    await terminal.until('got SIGCONT');
    await terminal.type('q');
    expect(await terminal.exitCode).toBe(7);
  });

  it('a CLI that is not there: 3, with the command that installs it (O10)', async ({ stage }) => {
    const terminal = NativeRun.chat(placeOf(stage, { BACKEND_CLI_PATH: '/nowhere/claude' }));
    expect(await terminal.exitCode).toBe(3);
    expect(terminal.screen.text).toContain('npm install -g @anthropic-ai/claude-code');
  });

  it('--verbose shows the exact command (O9)', async ({ stage }) => {
    const terminal = NativeRun.chat(placeOf(stage, { BACKEND_CLI_PATH: '/bin/echo' }), ['--verbose', 'a b']);
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen.text).toContain(`turnout: in ${stage.workingDir}: /bin/echo -- 'a b'`);
  });
});

describe('turnout chat, refused before anything starts', () => {
  it.for<[string, readonly string[], number, string]>([
    ['without a terminal', ['chat'], 2, 'Use `turnout run`'],
    ['without a terminal', ['chat', '--native'], 2, 'stdin and stdout are not a terminal'],
    [
      'an SDK, which has no UI (O2)',
      ['chat', '--native', '--backend', 'codex-sdk'],
      4,
      'codex-sdk has no terminal UI',
    ],
    [
      'what a UI can’t do (O4)',
      ['chat', '--native', '--max-turns', '3'],
      4,
      'claude does not support maxTurns',
    ],
    ['a session id that is none', ['chat', '--native', '--resume='], 2, '--resume expects a value'],
    ['an empty prompt', ['chat', '--native', ''], 2, 'prompt is empty'],
    ['a prompt that is too long', ['chat', '--native', 'x'.repeat(100_000)], 2, '96 KiB'],
    ['MCP servers that are not there', ['chat', '--native', '--mcp-config', 'no.json'], 2, 'no.json'],
    ['a directory that is not there', ['chat', '--native', '--cwd', 'nowhere'], 2, 'is not there'],
    ['no session to continue', ['chat', '--native', '--continue'], 1, 'has no session in'],
    [
      'settings, but not Claude’s',
      ['chat', '--native', '--backend', 'gemini', '--settings', '{}'],
      4,
      '--settings',
    ],
  ])('%s', async ([, args, code, words], { stage }) => {
    const { stdout, stderr, ...ended } = await turnout(placeOf(stage), args);
    expect({ ...ended, stdout, stderr }).toMatchObject({ code, stdout: '' });
    expect(stderr).toContain(words);
  });
});

function placeOf(stage: Stage, env: Record<string, string> = {}): Place {
  const chosen = {
    AGENT_BACKEND: 'claude',
    BACKEND_CLI_PATH: ui,
    HTTP_TOKEN: 'hidden',
    UI_LOG: logOf(stage),
  };
  return { workingDir: stage.workingDir, env: { ...stage.env, ...chosen, ...env } };
}

function logOf(stage: Stage): string {
  return stage.path('ui.log');
}

function chatLine(): string {
  return `${process.execPath} ${program} chat --native`;
}

/** The terminal's modes as the shell in it sees them. */
async function modesIn(terminal: NativeRun, name: string): Promise<string> {
  await terminal.type(`echo "${name}=$(stty -g)."\r`);
  const pattern = new RegExp(`${name}=([0-9a-f:]+)\\.`);
  await terminal.until(pattern);
  return pattern.exec(terminal.screen.text.replaceAll(/\n(?=[0-9a-f:]+\.)/g, ''))?.[1] ?? '';
}

/** The states of Turnout and the UI: T is stopped. */
function statesOn(stage: Stage): string {
  const pids = stage.processes().flatMap((row) => (/node /.test(row) ? [row.split(' ')[0] ?? ''] : []));
  if (pids.length === 0) return '';
  try {
    return execFileSync('ps', ['-o', 'stat=,args=', '-p', pids.join(',')], { encoding: 'utf8' });
  } catch {
    return '';
  }
}
