import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { beforeAll, describe, expect } from 'vitest';
import { commands } from '../../../src/cli/commands.js';
import { it, type Stage } from '../../contract/stage.js';
import { TerminalRun } from './terminal-run.js';
import { buildOnce, demoAgent, program, turnout } from './turnout.js';

beforeAll(buildOnce);

const names = Object.keys(commands);

describe.concurrent('conventions of every command (18.8)', () => {
  it.for(names)('turnout help %s is its --help and -h', async (name, { stage }) => {
    const [help, long, short] = await Promise.all([
      turnout(stage, ['help', name]),
      turnout(stage, [name, '--help']),
      turnout(stage, [name, '-h']),
    ]);
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Examples:') });
    expect([long, short]).toEqual([help, help]);
  });

  it.for([...names, ...subcommands()])(
    'turnout %s names a flag that there is not, with exit code 2',
    async (line, { stage }) => {
      const done = await turnout(stage, [...line.split(' '), '--no-such-flag']);
      expect(done).toMatchObject({ code: 2, stdout: '' });
      expect(done.stderr).toMatch(/^turnout: There is no option --no-such-flag\./);
      expect(done.stderr).toContain(`turnout help ${line.split(' ')[0]}`);
    },
  );

  it.for([
    ...names.map((name) => `${name} --help`),
    ...[
      'help',
      '--version',
      'version --json',
      'capabilities',
      'capabilities --json',
      'doctor',
      'doctor --json',
    ],
    ...[
      'chain list',
      'chain runs',
      'agent list',
      'history',
      'usage',
      'pair list',
      'service',
      'completion bash',
    ],
    ...['run hi', 'run --json hi', 'demo --text hi'],
    ...['sessions', 'sessions --all --json', 'config', 'config --json', 'config path', 'init --yes'],
    ...['status', 'permissions', 'schedule', 'host status', 'host stop --json'],
  ])('turnout %s ends quietly if nobody reads it', async (line, { stage }) => {
    mkdirSync(stage.home, { recursive: true, mode: 0o700 });
    const { code, stderr } = await unread(stage, line.split(' '));
    expect(stderr).not.toMatch(/EPIPE|Unhandled|\n {4}at /);
    // Without any data of a gateway or CLI a command may fail: in its own words.
    expect([0, 1, 2, 3]).toContain(code);
    if (code !== 0) expect(stderr).toMatch(/^turnout: /);
  });

  it('--json and --output json are the same, and contradict text', async ({ stage }) => {
    for (const line of [
      'capabilities',
      'doctor',
      'version',
      'agent list',
      'chain runs',
      'sessions',
      'config',
      'schedule',
      'host status',
    ]) {
      const args = line.split(' ');
      const [short, long] = await Promise.all([
        turnout(stage, [...args, '--json']),
        turnout(stage, [...args, '--output', 'json']),
      ]);
      expect(JSON.parse(short.stdout)).toEqual(JSON.parse(long.stdout));
      const both = await turnout(stage, [...args, '--json', '--output', 'text']);
      expect(both).toMatchObject({ code: 2, stdout: '' });
      expect(both.stderr).toContain('--json and --output text were both given');
    }
  });

  it('run takes -b, -m, -p and --json', async ({ stage }) => {
    const env = { BACKEND_CLI_PATH: demoAgent };
    const args = ['run', '-b', 'claude', '-m', 'demo', '--json', '-p', 'say exactly: short'];
    const done = await turnout(stage, args, { env });
    expect(JSON.parse(done.stdout)).toMatchObject({
      responseText: 'short',
      isError: false,
      backend: 'claude',
    });
    const wrong = await turnout(stage, ['run', '-b', 'cluade', 'hi']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean claude?') });
  });

  it('a directory that was removed is told in a sentence', async ({ stage }) => {
    const gone = stage.path('gone');
    const line = `mkdir "${gone}" && cd "${gone}" && rmdir "${gone}" && exec "$@"`;
    const args = ['-c', line, 'sh', process.execPath, program, 'sessions'];
    const { status, stderr } = spawnSync('/bin/sh', args, { env: stage.env, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'turnout: The current directory was removed. Go to one that is there.\n',
    });
  });

  it('version says the same in three ways', async ({ stage }) => {
    const [command, flag, json] = await Promise.all([
      turnout(stage, ['version']),
      turnout(stage, ['--version']),
      turnout(stage, ['version', '--json']),
    ]);
    expect(flag).toEqual(command);
    expect(JSON.parse(json.stdout)).toEqual({
      turnout: command.stdout.trim(),
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
    });
  });
});

describe('turnout run in a terminal (18.8)', () => {
  it('shows a spinner while nothing has come, and nothing of it is left', async ({ stage }) => {
    const slow = stage.program('slow-agent', `sleep 1; exec '${demoAgent}' "$@"`);
    const env = { ...stage.env, TERM: 'xterm', BACKEND_CLI_PATH: slow };
    const run = new TerminalRun({ ...stage, workingDir: stage.workingDir, env }, [
      'run',
      'say exactly: here',
    ]);
    expect(await run.exitCode).toBe(0);
    expect(run.screen).toMatch(/⠋ claude 0 s/);
    expect(lastRows(run.screen)).toContain('here');
    expect(lastRows(run.screen)).not.toMatch(/⠋|claude \d s/);
  });

  it('shows none in a dumb terminal', async ({ stage }) => {
    const slow = stage.program('slow-agent', `sleep 0.6; exec '${demoAgent}' "$@"`);
    const env = { ...stage.env, TERM: 'dumb', BACKEND_CLI_PATH: slow };
    const run = new TerminalRun({ ...stage, workingDir: stage.workingDir, env }, [
      'run',
      'say exactly: here',
    ]);
    expect(await run.exitCode).toBe(0);
    expect(run.screen).not.toContain('\u001b');
  });
});

describe('turnout gateway in a terminal (18.8)', () => {
  it.for([
    ['text', {}, /^\d\d:\d\d:\d\d info {2}\S/m],
    ['JSON if it is asked for', { LOG_FORMAT: 'json' }, /^\{"time":"[^"]+","level":"info"/m],
  ] as const)('has a log of %s', async ([, more, expected], { stage }) => {
    const env = {
      ...stage.env,
      ...more,
      TERM: 'xterm',
      NO_COLOR: '1',
      HTTP_PORT: '0',
      BACKEND_CLI_PATH: demoAgent,
    };
    const run = new TerminalRun({ ...stage, workingDir: stage.workingDir, env }, ['gateway']);
    await run.until('Open http');
    run.type('\u0003');
    expect(await run.exitCode).toBe(0);
    expect(run.screen).toMatch(expected);
    expect(run.screen).toContain('turnout: stopping.');
  });
});

function subcommands(): readonly string[] {
  return ['run', 'plan', 'list', 'runs', 'show', 'resume']
    .map((name) => `chain ${name}`)
    .concat(['agent list', 'agent run', 'agent install', 'pair list', 'host status', 'host stop'])
    .concat(['config list', 'config get', 'config set', 'config unset', 'config path'])
    .concat(['permissions list', 'permissions show', 'permissions allow', 'permissions deny']);
}

/** Runs a command whose stdout nobody reads: the pipe is closed before it starts to write. */
async function unread(stage: Stage, args: readonly string[]) {
  const env = { ...stage.env, BACKEND_CLI_PATH: demoAgent };
  const child = spawn(process.execPath, [program, ...args], {
    cwd: stage.workingDir,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stderr };
}

/** The screen behind what was erased last. */
function lastRows(screen: string): string {
  return screen.split('\r\u001b[K').at(-1) ?? '';
}
