import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { describeSettings } from '../../../../src/config/describe-settings.js';
import { it, programPath, type Stage } from '../../../contract/stage.js';
import { TerminalRun } from '../terminal-run.js';
import { buildOnce, demoAgent, type Finished, type Place, playing, program, turnout } from '../turnout.js';

beforeAll(buildOnce);

const env = { BACKEND_CLI_PATH: demoAgent, TURNOUT_DEMO_SPEED: '0' };

/** A turn with some settings, and what has to be seen of them. */
interface Effect {
  readonly args?: readonly string[];
  readonly env: (stage: Stage) => Record<string, string | undefined>;
  /** Somebody could be asked. */
  readonly inTerminal?: true;
  readonly seen: (done: Finished, stage: Stage) => void | Promise<void>;
}

const verbose = ['run', 'say exactly: words', '--verbose'];

function shows(text: string): Effect['seen'] {
  return ({ code, stderr }) => {
    expect(stderr).toContain(text);
    expect(code).toBe(0);
  };
}

function timesOut(text: string): Effect['seen'] {
  return ({ code, stderr }) => expect([code, stderr]).toEqual([124, expect.stringContaining(text)]);
}

/** The program that plays a CLI, under the CLI's own name. */
function onPath(
  stage: Stage,
  name: string,
  { BACKEND_CLI_PATH: program, ...env }: ReturnType<typeof playing>,
) {
  mkdirSync(stage.path('bin'));
  symlinkSync(program, join(stage.path('bin'), name));
  return { ...env, PATH: `${stage.path('bin')}:${stage.env['PATH']}` };
}

const effects: Readonly<Record<string, Effect>> = {
  AGENT_BACKEND: {
    args: ['run', 'hi', '--output', 'json'],
    env: (stage) => playing(stage, 'gemini', 'answer'),
    seen: ({ stdout }) => expect(JSON.parse(stdout)).toMatchObject({ backend: 'gemini' }),
  },
  FORGE_BACKEND: {
    args: ['run', 'hi', '--output', 'json'],
    // As with --backend, the path is that of AGENT_BACKEND's CLI.
    env: (stage) => ({
      ...onPath(stage, 'codex', playing(stage, 'codex', 'answer')),
      AGENT_BACKEND: 'gemini',
      BACKEND_CLI_PATH: '/no/such/program',
      FORGE_BACKEND: 'Codex-CLI',
    }),
    seen: ({ stdout, stderr }) => {
      expect(JSON.parse(stdout)).toMatchObject({ backend: 'codex', isError: false });
      expect(stderr).toContain('BACKEND_CLI_PATH belongs to gemini and is not used for codex.');
    },
  },
  BACKEND_CLI_PATH: {
    env: () => ({ BACKEND_CLI_PATH: '/no/such/program' }),
    seen: ({ code, stderr }) =>
      expect([code, stderr]).toEqual([3, expect.stringContaining('/no/such/program')]),
  },
  BACKEND_MODEL: { env: () => ({ BACKEND_MODEL: 'opus' }), seen: shows('--model opus') },
  BACKEND_MAX_TURNS: { env: () => ({ BACKEND_MAX_TURNS: '7' }), seen: shows('--max-turns 7') },
  ALLOWED_TOOLS: {
    env: () => ({ ALLOWED_TOOLS: 'Read, Edit' }),
    seen: shows('"allowedTools":["Read","Edit"]'),
  },
  ALLOW_UNSUPPORTED: {
    args: ['run', 'hi', '--max-turns', '3'],
    env: (stage) => ({ ...playing(stage, 'codex', 'answer'), ALLOW_UNSUPPORTED: '1' }),
    seen: shows('it is left out'),
  },
  QUERY_TIMEOUT_MS: {
    args: ['run', 'hang'],
    env: () => ({ QUERY_TIMEOUT_MS: '400' }),
    seen: timesOut('timed out'),
  },
  MODEL_SILENCE_MS: {
    args: ['run', 'hang'],
    env: () => ({ MODEL_SILENCE_MS: '300' }),
    seen: timesOut('No output from the model for 0.3 s'),
  },
  TOOL_TIMEOUT_MS: {
    args: ['run', 'run a tool for 20 seconds'],
    env: () => ({ TOOL_TIMEOUT_MS: '300' }),
    seen: timesOut('tool'),
  },
  PERMISSION_TIMEOUT_MS: {
    args: ['run', 'write a note: hi', '--permission-mode', 'ask'],
    env: () => ({ PERMISSION_TIMEOUT_MS: '200' }),
    inTerminal: true,
    seen: shows('Nobody answered the permission request for Write within 0.2 s'),
  },
  PERMISSION_MODE: { env: () => ({ PERMISSION_MODE: 'plan' }), seen: shows('--permission-mode plan') },
  BACKEND_LIVE: { env: () => ({ BACKEND_LIVE: '1' }), seen: shows('backend claude (live)') },
  RUN_WARM: {
    args: ['run', 'say exactly: words'],
    env: () => ({ RUN_WARM: '1' }),
    seen: ({ code }, stage) => {
      expect(code).toBe(0);
      const stop = [program, 'host', 'stop'];
      const { stdout } = spawnSync(process.execPath, stop, { env: stage.env, encoding: 'utf8' });
      expect(stdout).toContain('has ended');
      return stage.untilNoProcess();
    },
  },
  MAX_OUTPUT_MB: {
    args: ['run', 'hi'],
    env: (stage) => ({
      ...playing(stage, 'opencode', 'answer'),
      BACKEND_CLI_PATH: programPath('flood.sh'),
      MAX_OUTPUT_MB: '1',
      FLOOD_LINES: '3000',
      FLOOD_LONG_LINE: '10',
    }),
    seen: ({ code, stderr }) =>
      expect([code, stderr]).toEqual([1, expect.stringMatching(/1 MB|MAX_OUTPUT_MB/)]),
  },
  LOG_LEVEL: { env: () => ({ LOG_LEVEL: 'DEBUG' }), seen: shows('"level":"debug"') },
  WORKING_DIR: {
    env: (stage) => {
      mkdirSync(stage.path('elsewhere'));
      return { WORKING_DIR: stage.path('elsewhere') };
    },
    seen: (done, stage) => shows(`in ${stage.path('elsewhere')}: `)(done, stage),
  },
  AGENT_USER: {
    env: () => ({ AGENT_USER: 'nobody-of-this-name' }),
    seen: ({ code, stderr }) => expect([code, stderr]).toEqual([2, expect.stringContaining('AGENT_USER')]),
  },
  TURNOUT_HOME: {
    env: (stage) => {
      mkdirSync(stage.path('other'), { mode: 0o700 });
      writeFileSync(stage.path('other/config.yaml'), 'backend_model: sonnet\n', { mode: 0o600 });
      return { TURNOUT_HOME: stage.path('other') };
    },
    seen: shows('--model sonnet'),
  },
};

async function onTerminal(place: Place, args: readonly string[]): Promise<Finished> {
  const terminal = new TerminalRun(place, args);
  const code = await terminal.exitCode;
  return { code, stdout: terminal.screen, stderr: terminal.screen };
}

describe.concurrent('the settings of `turnout run` (18.3)', () => {
  it('are all in this file', () => {
    const used = describeSettings().filter(({ usedBy }) => usedBy.includes('run'));
    expect(Object.keys(effects).sort()).toEqual(used.map(({ name }) => name).sort());
  });

  for (const [name, { args = verbose, env: given, inTerminal, seen }] of Object.entries(effects)) {
    it(`${name} has its effect`, async ({ stage }) => {
      const variables = { ...env, ...given(stage) };
      const done = inTerminal
        ? await onTerminal({ workingDir: stage.workingDir, env: { ...stage.env, ...variables } }, args)
        : await turnout(stage, args, { env: variables });
      await seen(done, stage);
    });
  }

  it('come from config.yaml of the home, under the environment, under a flag', async ({ stage }) => {
    mkdirSync(stage.home, { mode: 0o700 });
    writeFileSync(join(stage.home, 'config.yaml'), 'permission_mode: plan\nbackend_live: 1\n', {
      mode: 0o600,
    });
    shows('"permissionMode":"plan"')(await turnout(stage, verbose, { env }), stage);
    const over = { ...env, PERMISSION_MODE: 'edits', BACKEND_LIVE: '0' };
    const second = await turnout(stage, verbose, { env: over });
    shows('"permissionMode":"edits"')(second, stage);
    expect(second.stderr).toContain('(one-shot)');
    const third = await turnout(stage, [...verbose, '--permission-mode', 'bypass', '--live'], { env: over });
    shows('"permissionMode":"bypass"')(third, stage);
    expect(third.stderr).toContain('(live)');
  });

  it('BACKEND_LIVE gives way to what a live session can’t do, and says so', async ({ stage }) => {
    const done = await turnout(stage, ['run', 'hi', '--', '--raw'], {
      env: { ...env, ...playing(stage, 'codex', 'answer'), BACKEND_LIVE: '1' },
    });
    expect(done.stderr).toContain(
      'BACKEND_LIVE is not used for this turn: a live session takes no arguments',
    );
    expect(done.code).toBe(0);
  });
});

describe.concurrent('FORGE_BACKEND, the default of --backend (O2, O5)', () => {
  it('names any runner, and a wrong name is told with where it came from', async ({ stage }) => {
    const sdk = await turnout(stage, ['run', 'hi', '--live'], {
      env: { ...env, FORGE_BACKEND: 'codex-sdk' },
    });
    expect(sdk).toMatchObject({ code: 4, stderr: expect.stringContaining('codex-sdk') });
    const wrong = await turnout(stage, ['run', 'hi'], { env: { ...env, FORGE_BACKEND: 'codx' } });
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toMatch(
      /FORGE_BACKEND in the environment: Unknown backend "codx".*Did you mean codex\?/,
    );
    const flag = await turnout(stage, ['run', 'say exactly: words', '--backend', 'claude'], {
      env: { ...env, FORGE_BACKEND: 'codx' },
    });
    expect(flag).toEqual({ code: 0, stdout: 'words\n', stderr: '' });
  });

  it('is weaker than the backend of an agent, and stronger than AGENT_BACKEND', async ({ stage }) => {
    const played = onPath(stage, 'codex', playing(stage, 'codex', 'answer'));
    const variables = { ...played, AGENT_BACKEND: 'gemini', FORGE_BACKEND: 'codex' };
    mkdirSync(join(stage.workingDir, '.turnout/agents'), { recursive: true });
    const agent = (name: string, text: string) =>
      writeFileSync(join(stage.workingDir, '.turnout/agents', `${name}.md`), text);
    agent('own', '---\nbackend: opencode\n---\nYou are own.');
    agent('none', 'You are none.');
    const run = (name: string) =>
      turnout(stage, ['agent', 'run', name, 'hi', '--output', 'json'], { env: variables });
    const none = await run('none');
    expect(JSON.parse(none.stdout)).toMatchObject({ backend: 'codex', isError: false });
    expect(await run('own')).toMatchObject({ code: 3, stdout: expect.stringContaining('opencode') });
  });
});

describe.concurrent('a restriction that is set for AGENT_BACKEND (R7.3, O12)', () => {
  const restricted = { ALLOWED_TOOLS: 'Read', GEMINI_API_KEY: 'dummy' };
  const refusal = "codex can't be restricted by ALLOWED_TOOLS, and does not run without.";
  const received = (stage: Stage) => existsSync(stage.path('received'));

  it.for([
    ['run', ['run', 'hi', '--backend', 'codex'], {}],
    ['FORGE_BACKEND', ['run', 'hi'], { FORGE_BACKEND: 'codex' }],
    ['the SDK', ['run', 'hi', '--backend', 'codex-sdk'], {}],
    ['an agent', ['agent', 'run', 'a', 'hi'], {}],
    ['a step', ['chain', 'run', 'one'], {}],
    ['a gateway', ['gateway', '--backend', 'codex'], {}],
  ] as const)('is not dropped by another backend: %s', async ([, args, more], { stage }) => {
    const played = onPath(stage, 'codex', playing(stage, 'codex', 'answer', 'receive.sh'));
    mkdirSync(join(stage.workingDir, '.turnout/agents'), { recursive: true });
    writeFileSync(join(stage.workingDir, '.turnout/agents/a.md'), '---\nbackend: codex\n---\nYou are a.');
    const chains = { chains: { one: { prompt: 'x', steps: [{ agent: 'a' }] } } };
    writeFileSync(join(stage.workingDir, 'chains.json'), JSON.stringify(chains));
    const variables = { ...played, ...restricted, ...more, AGENT_BACKEND: 'claude' };
    const done = await turnout(stage, args, { env: variables });
    expect(done).toMatchObject({ code: args[0] === 'gateway' ? 1 : 4, stdout: '' });
    expect(done.stderr).toContain(refusal);
    expect(received(stage)).toBe(false);
    if (args[0] === 'gateway') return;
    const allowed = await turnout(stage, [...args, '--allow-unsupported'], { env: variables });
    expect(allowed.stderr).toContain("codex can't be restricted by ALLOWED_TOOLS, and runs here without.");
  });

  it('is not dropped by another AGENT_BACKEND of a stronger source, unless that source sets it too', async ({
    stage,
  }) => {
    const played = onPath(stage, 'codex', playing(stage, 'codex', 'answer', 'receive.sh'));
    mkdirSync(stage.home, { mode: 0o700 });
    const file = 'agent_backend: claude\nallowed_tools: Read\n';
    writeFileSync(join(stage.home, 'config.yaml'), file, { mode: 0o600 });
    for (const [args, code] of [
      [['run', 'hi'], 4],
      [['gateway'], 1],
    ] as const) {
      const done = await turnout(stage, args, { env: played });
      expect(done).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(refusal) });
    }
    expect(received(stage)).toBe(false);
    const same = await turnout(stage, ['run', 'hi'], { env: { ...played, ALLOWED_TOOLS: 'Edit' } });
    expect(same).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('ALLOWED_TOOLS is not supported'),
    });
  });

  it('is not dropped where a person at a terminal gets the CLI that is there', async ({ stage }) => {
    const played = onPath(stage, 'codex', playing(stage, 'codex', 'answer', 'receive.sh'));
    const { AGENT_BACKEND: _, ...variables } = { ...played, ...restricted };
    const place = { workingDir: stage.workingDir, env: { ...stage.env, ...variables } };
    const terminal = new TerminalRun(place, ['run', 'hi']);
    expect(await terminal.exitCode).toBe(4);
    expect(terminal.screen).toContain(refusal);
    expect(received(stage)).toBe(false);
  });
});

describe.concurrent('what was exported for another program (18.3)', () => {
  const leftovers = {
    HTTP_PORT: 'abc',
    HTTP_HOST: '',
    HTTP_TOKEN: 'with a blank',
    HTTP_TOKEN_FILE: 'not/there',
    DATABASE_URL: 'postgres://user:pass@host/db',
    DATABASE_URL_FILE: '/not/there',
    DISCORD_ALLOWED_USERS: 'me',
    CONFIG_DIR: './config',
    QUEUE_MODE: 'fifo',
    LEASE_MS: 'long',
    POOL_MAX_PROCESSES: 'many',
    RETENTION_DAYS: '7d',
    PORT: 'x',
  };

  it('does not break `turnout run`', async ({ stage }) => {
    const done = await turnout(stage, ['run', 'say exactly: words'], { env: { ...env, ...leftovers } });
    expect(done).toEqual({ code: 0, stdout: 'words\n', stderr: '' });
  });

  it('LOG_LEVEL of another program is a warning', async ({ stage }) => {
    const run = ['run', 'say exactly: words'];
    const upper = await turnout(stage, run, { env: { ...env, LOG_LEVEL: 'INFO' } });
    expect(upper).toEqual({ code: 0, stdout: 'words\n', stderr: '' });
    const unknown = await turnout(stage, run, { env: { ...env, LOG_LEVEL: 'verbose' } });
    expect(unknown).toEqual({
      code: 0,
      stdout: 'words\n',
      stderr:
        'turnout: LOG_LEVEL="verbose" in the environment: expected one of debug, info, warn, error, silent; it counts as not set.\n',
    });
  });

  it('is refused by the gateway, which uses it', async ({ stage }) => {
    const done = await turnout(stage, ['gateway'], {
      env: { ...env, HTTP_PORT: 'abc', LOG_LEVEL: 'verbose' },
    });
    expect(done.code).not.toBe(0);
    expect(done.stderr).toContain('HTTP_PORT="abc"');
    expect(done.stderr).toContain('LOG_LEVEL="verbose"');
  });
});
