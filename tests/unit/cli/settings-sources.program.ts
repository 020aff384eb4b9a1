import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { it, programPath, type Stage } from '../../contract/stage.js';
import { hostileRepository } from './hostile-repository.js';
import { buildOnce, playing, turnout } from './turnout.js';

beforeAll(buildOnce);

describe.concurrent('a cloned repository', () => {
  it('chooses no program with a .env file [fault 13.5: .env of the repository]', async ({ stage }) => {
    const { program, ran } = hostileRepository(stage);
    const lines = [`BACKEND_CLI_PATH=${program}`, 'AGENT_BACKEND=claude', 'HTTP_PORT=many'];
    writeFileSync(join(stage.workingDir, '.env'), `${lines.join('\n')}\n`);
    writeFileSync(join(stage.workingDir, 'config.yaml'), `BACKEND_CLI_PATH: ${program}\n`);
    const doctor = await turnout(stage, ['doctor']);
    expect(doctor).toMatchObject({ code: 3, stderr: '' });
    const run = await turnout(stage, ['run', 'hi', '--permission-mode', 'plan']);
    expect(run).toMatchObject({ code: 3, stdout: '' });
    expect(ran()).toBe(false);
  });

  it('is not on a PATH with an empty or a relative part [fault 13.5: "." on PATH]', async ({ stage }) => {
    const { ran } = hostileRepository(stage);
    const { PATH = '' } = stage.env;
    for (const part of ['', '.', './', '../work']) {
      const env = { PATH: [part, PATH].join(delimiter) };
      expect(await turnout(stage, ['doctor'], { env })).toMatchObject({ code: 3 });
      expect(await turnout(stage, ['run', 'hi'], { env })).toMatchObject({ code: 3 });
    }
    expect(ran()).toBe(false);
  });

  it('gives a CLI no interpreter, either: "#!/usr/bin/env node" [fault 13.5: "." on PATH]', async ({
    stage,
  }) => {
    const trace = stage.path('trace');
    writeFileSync(join(stage.workingDir, 'helper'), `#!/bin/sh\n: > '${trace}'\n`, { mode: 0o755 });
    const cli = stage.write('cli', '#!/usr/bin/env helper\n');
    chmodSync(cli, 0o755);
    const env = { PATH: `.:${stage.env['PATH']}`, BACKEND_CLI_PATH: cli };
    expect((await turnout(stage, ['run', 'hi'], { env })).code).not.toBe(0);
    expect(existsSync(trace)).toBe(false);
  });

  it('is not meant by a relative path in the environment [fault 13.5: relative paths]', async ({ stage }) => {
    const { ran } = hostileRepository(stage);
    mkdirSync(join(stage.workingDir, 'home'));
    writeFileSync(join(stage.workingDir, 'home', 'config.yaml'), 'BACKEND_MODEL: x\n');
    for (const [command, name, value] of [
      [['run', 'hi'], 'TURNOUT_HOME', 'home'],
      // A turn has no use for it, and does not look at it.
      [['service'], 'CONFIG_DIR', 'home'],
    ] as const) {
      const done = await turnout(stage, command, { env: { [name]: value } });
      expect(done, name).toMatchObject({
        code: command[0] === 'run' ? 2 : 1,
        stderr: expect.stringContaining(name),
      });
      expect(done.stderr).toContain('absolute path');
    }
    expect(ran()).toBe(false);
  });
});

describe.concurrent('a relative BACKEND_CLI_PATH', () => {
  /** `bin/cli` below `directory` plays Codex, and prints where it was. */
  const install = (directory: string, program: string) => {
    mkdirSync(join(directory, 'bin'), { recursive: true });
    symlinkSync(program, join(directory, 'bin/cli'));
  };
  const answered = { code: 0, stdout: 'Hello from the scripted model.\n' };

  it('begins in the directory of the shell that sets it, wherever the agent works (R6.4)', async ({
    stage,
  }) => {
    const { BACKEND_CLI_PATH, ...played } = playing(stage, 'codex', 'answer', 'receive.mjs');
    install(stage.path('mine'), BACKEND_CLI_PATH);
    mkdirSync(stage.path('tree'));
    for (const value of ['bin/cli', './bin/cli', '../mine/bin/cli']) {
      const env = { ...played, BACKEND_CLI_PATH: value, WORKING_DIR: stage.path('tree') };
      const done = await turnout(stage, ['run', 'hi'], { env, cwd: stage.path('mine') });
      expect(done, value).toMatchObject(answered);
      const received = JSON.parse(readFileSync(stage.path('received'), 'utf8'));
      // A `turnout` that the agent runs is elsewhere.
      expect(received.env.BACKEND_CLI_PATH).toBe(join(stage.path('mine'), 'bin/cli'));
    }
  });

  it.for(['config.yaml', '.env'])(
    'begins at the directory of %s, wherever the shell is (R6.4)',
    async (file, { stage }) => {
      const { BACKEND_CLI_PATH, AGENT_BACKEND, ...played } = playing(stage, 'codex', 'answer');
      mkdirSync(stage.home, { recursive: true, mode: 0o700 });
      install(stage.home, BACKEND_CLI_PATH);
      const [is, path] = file === '.env' ? ['=', 'bin/cli'] : [': ', './bin/cli'];
      writeFileSync(
        join(stage.home, file),
        `AGENT_BACKEND${is}${AGENT_BACKEND}\nBACKEND_CLI_PATH${is}${path}\n`,
        { mode: 0o600 },
      );
      expect(await turnout(stage, ['run', 'hi'], { env: played })).toMatchObject(answered);
    },
  );
});

describe.concurrent('a HOME that is no absolute path', () => {
  it('does not lead into the repository [fault 13.5: an empty HOME]', async ({ stage }) => {
    const { program, ran } = hostileRepository(stage);
    for (const directory of ['.turnout', 'h/.turnout', ' /.turnout']) {
      mkdirSync(join(stage.workingDir, directory), { recursive: true, mode: 0o700 });
      const file = join(stage.workingDir, directory, 'config.yaml');
      writeFileSync(file, `BACKEND_CLI_PATH: ${program}\n`, { mode: 0o600 });
    }
    for (const HOME of ['', ' ', 'h', '.']) {
      // `doctor` leaves nothing in the tester's own home, which the user database names.
      const { stdout, stderr } = await turnout(stage, ['doctor'], { env: { HOME, TURNOUT_HOME: '' } });
      expect(stdout + stderr, JSON.stringify(HOME)).not.toContain(stage.workingDir);
    }
    expect(ran()).toBe(false);
  });

  it('is not given to the agent [fault 13.5: an empty HOME]', async ({ stage }) => {
    const env = { ...playing(stage, 'claude', 'answer', 'receive.mjs'), TURNOUT_HOME: stage.home, HOME: ' ' };
    expect(await turnout(stage, ['run', 'hi'], { env })).toMatchObject({ code: 0 });
    const received = JSON.parse(readFileSync(stage.path('received'), 'utf8'));
    expect(received.env).not.toHaveProperty('HOME');
  });
});

describe.concurrent('settings', () => {
  async function argvOf(stage: Stage, args: readonly string[], env: Record<string, string> = {}) {
    const given = { ...playing(stage, 'codex', 'answer', 'receive.sh'), ...env };
    const done = await turnout(stage, ['run', 'hi', ...args], { env: given });
    expect(done).toMatchObject({ code: 0 });
    return readFileSync(stage.path('received.argv'), 'utf8').split('\0');
  }

  const modelOf = (argv: readonly string[]) => argv[argv.indexOf('--model') + 1];

  it('of config.yaml are under those of .env, the environment, and the flags', async ({ stage }) => {
    mkdirSync(stage.home, { mode: 0o700 });
    const file = (name: string, text: string) => writeFileSync(join(stage.home, name), text, { mode: 0o600 });
    file('config.yaml', 'agent_backend: codex\nbackend_model: of config.yaml\n');
    expect(modelOf(await argvOf(stage, []))).toBe('of config.yaml');
    file('.env', 'BACKEND_MODEL="of .env"\n');
    expect(modelOf(await argvOf(stage, []))).toBe('of .env');
    const environment = { BACKEND_MODEL: 'of the environment' };
    expect(modelOf(await argvOf(stage, [], environment))).toBe('of the environment');
    expect(modelOf(await argvOf(stage, ['--model', 'of the flag'], environment))).toBe('of the flag');
  });

  it('that are wrong are refused with where they are set, one or several (R6.5)', async ({ stage }) => {
    mkdirSync(stage.home, { mode: 0o700 });
    const file = join(stage.home, 'config.yaml');
    writeFileSync(file, 'AGENT_BACKEND: codx\n', { mode: 0o600 });
    const one = await turnout(stage, ['run', 'hi']);
    expect(one).toMatchObject({ code: 2, stdout: '' });
    expect(one.stderr).toContain(
      `A setting is wrong:\n  - AGENT_BACKEND in ${file}: Unknown backend "codx".`,
    );
    expect(one.stderr).toContain('Correct it where it is set');
    const two = await turnout(stage, ['run', 'hi'], { env: { QUERY_TIMEOUT_MS: 'soon' } });
    expect(two.stderr).toContain('- QUERY_TIMEOUT_MS="soon" in the environment: expected a whole number');
    expect(two.stderr).toContain('Correct them where they are set');
    const gateway = await turnout(stage, ['gateway']);
    expect(gateway.stderr).toContain(`- AGENT_BACKEND in ${file}: Unknown backend "codx".`);
    const flag = await turnout(stage, ['run', 'hi', '--backend', 'Claude'], {
      env: { AGENT_BACKEND: 'codx', PATH: '/nowhere' },
    });
    expect(flag.code).toBe(3);
    expect(flag.stderr).toContain('AGENT_BACKEND in the environment: Unknown backend "codx".');
  });

  it('PERMISSION_MODE counts for `run`, and the flag over it [fault 13.5: PERMISSION_MODE]', async ({
    stage,
  }) => {
    expect(await argvOf(stage, [], { PERMISSION_MODE: 'plan' })).toContain('read-only');
    const flag = await argvOf(stage, ['--permission-mode', 'edits'], { PERMISSION_MODE: 'plan' });
    expect(flag).toContain('workspace-write');
  });

  it('of .env go to the agent, those of config.yaml don’t', async ({ stage }) => {
    mkdirSync(stage.home, { mode: 0o700 });
    writeFileSync(join(stage.home, '.env'), 'ANTHROPIC_API_KEY=key-of-the-file\n', { mode: 0o600 });
    writeFileSync(join(stage.home, 'config.yaml'), 'QUERY_TIMEOUT_MS: 30000\n', { mode: 0o600 });
    await turnout(stage, ['run', 'hi'], { env: playing(stage, 'claude', 'answer', 'receive.mjs') });
    const { env } = JSON.parse(readFileSync(stage.path('received'), 'utf8'));
    expect(env).toMatchObject({ ANTHROPIC_API_KEY: 'key-of-the-file' });
    expect(env).not.toHaveProperty('QUERY_TIMEOUT_MS');
  });

  it('that nothing would read are refused [fault 13.5: a restriction in .env that is not read]', async ({
    stage,
  }) => {
    mkdirSync(stage.home, { mode: 0o700 });
    const refusal = async (name: string, text: string) => {
      const path = join(stage.home, name);
      writeFileSync(path, text, { mode: 0o600 });
      const { code, stderr } = await turnout(stage, ['run', 'hi'], {
        env: playing(stage, 'codex', 'answer'),
      });
      rmSync(path);
      expect(code, name).toBe(2);
      return stderr;
    };
    expect(await refusal('.env', 'A=1\nPERMISSION_MODE: plan\n')).toContain('.env is wrong:\n  - line 2');
    expect(await refusal('.env', 'ALLOWED_TOOLS=,\n')).toContain('expected at least one tool');
    expect(await refusal('config.yaml', 'ALLOWED_TOOLS: []\n')).toContain('ALLOWED_TOOLS');
    for (const name of ['config.yml', 'Config.yaml', 'config.json', '.ENV'])
      expect(await refusal(name, 'PERMISSION_MODE: plan\n')).toContain(join(stage.home, name));
  });

  it('of files hold if the environment has an empty one [fault 13.5: a restriction in .env that is not read]', async ({
    stage,
  }) => {
    mkdirSync(stage.home, { mode: 0o700 });
    for (const [name, text] of [
      ['.env', '\uFEFFPERMISSION_MODE=plan\rBACKEND_MODEL=x\r'],
      ['config.yaml', '\uFEFFPERMISSION_MODE: plan\r\n'],
    ] as const) {
      writeFileSync(join(stage.home, name), text, { mode: 0o600 });
      expect(await argvOf(stage, [], { PERMISSION_MODE: '' }), name).toContain('read-only');
      rmSync(join(stage.home, name));
    }
  });

  it('in a file that somebody else can change are refused [fault 13.5: settings file of another user]', async ({
    stage,
  }) => {
    mkdirSync(stage.home, { mode: 0o700 });
    for (const name of ['config.yaml', '.env']) {
      const path = join(stage.home, name);
      writeFileSync(path, '# nothing\n', { mode: 0o600 });
      chmodSync(path, 0o620);
      const env = { BACKEND_CLI_PATH: programPath('fail.sh') };
      const done = await turnout(stage, ['run', 'hi'], { env });
      expect(done).toMatchObject({ code: 2, stderr: expect.stringMatching(`${name}.*\n?.*chmod go-w`) });
      // The doctor explains it, and takes nothing from there.
      expect((await turnout(stage, ['doctor'], { env })).stdout).toMatch(`WRONG    ${path}`);
      chmodSync(path, 0o600);
      if (process.getuid?.() !== 0) continue;
      chownSync(path, 65534, 65534);
      const owned = await turnout(stage, ['run', 'hi']);
      expect(owned).toMatchObject({ code: 2, stderr: expect.stringContaining(`${name} belongs to`) });
      chownSync(path, 0, 0);
    }
    chmodSync(stage.home, 0o777);
    expect(await turnout(stage, ['run', 'hi'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('chmod go-w'),
    });
  });
});
