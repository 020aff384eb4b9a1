import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { it, type Stage } from '../../../contract/stage.js';
import { TerminalRun } from '../terminal-run.js';
import { buildOnce, demoAgent, finished, type Place, startTurnout, turnout } from '../turnout.js';

beforeAll(buildOnce);

/** A PATH with these CLIs alone. `demo` is the demo agent under that name, which answers as Claude does. */
function placeWith(
  stage: Stage,
  programs: Readonly<Record<string, string>>,
  env: Record<string, string> = {},
): Place {
  const bin = stage.path('bin');
  mkdirSync(bin);
  // The demo agent is started by `env node`.
  for (const name of ['node', 'env'])
    symlinkSync(name === 'node' ? process.execPath : '/usr/bin/env', join(bin, name));
  for (const [name, script] of Object.entries(programs)) {
    if (script === 'demo') symlinkSync(demoAgent, join(bin, name));
    else writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return { workingDir: stage.workingDir, env: { ...stage.env, PATH: bin, ...env } };
}

const both = { claude: 'echo "2.1.325 (Claude Code)"', codex: 'echo "codex-cli 0.166.0"' };
const config = (stage: Stage) => readFileSync(join(stage.home, 'config.yaml'), 'utf8');

describe('turnout init (18.2)', () => {
  it('asks in a terminal, with the first that is signed in as its answer', async ({ stage }) => {
    const place = placeWith(stage, both, { CODEX_API_KEY: 'dummy-key-of-a-test' });
    const terminal = new TerminalRun(place, ['init'], 80);
    await terminal.until('Enter for codex: ');
    expect(terminal.screen).toContain(
      '1  claude    2.1.325   not signed in: run `claude`, and type /login there',
    );
    expect(terminal.screen).toContain('2  codex     0.166.0   signed in: CODEX_API_KEY');
    expect(terminal.screen).toContain('-  gemini    not installed: npm install -g @google/gemini-cli@0.61.0');
    expect(existsSync(join(stage.home, 'config.yaml'))).toBe(false);
    terminal.type('clod\r');
    await terminal.until('Type its number or its name. Did you mean claude?');
    await terminal.until('Enter for codex: ', 2);
    terminal.type('1\r');
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen).toContain('claude answers from now on');
    expect(terminal.screen).toContain('First sign in: run `claude`');
    expect(config(stage)).toContain('AGENT_BACKEND: claude\n');
    // The key is nowhere.
    expect(terminal.screen + config(stage)).not.toContain('dummy-key');
  });

  it.for([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ] as const)('changes nothing after %s', async ([, key], { stage }) => {
    const terminal = new TerminalRun(placeWith(stage, both), ['init']);
    await terminal.until('Which one is to answer?');
    terminal.type(key);
    expect(await terminal.exitCode).toBe(130);
    expect(terminal.screen).toContain('nothing was changed');
    expect(existsSync(join(stage.home, 'config.yaml'))).toBe(false);
  });

  it('asks nothing without a terminal, and a second run changes only what was chosen', async ({ stage }) => {
    const place = placeWith(stage, both, { CODEX_API_KEY: 'k' });
    const first = await turnout(place, ['init']);
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('codex is chosen') });
    expect(first.stdout).toContain('turnout service  ');
    const again = await turnout(place, ['init', '--yes']);
    expect(again.stdout).toMatch(/\ncodex answers already: nothing was changed in .*config\.yaml\n$/);
    writeFileSync(
      join(stage.home, 'config.yaml'),
      `${config(stage)}# mine\nHTTP_PORT: 1 # y\nBACKEND_MODEL: gpt\n`,
    );
    const second = await turnout(place, ['init', '-b', 'Claude-CLI', '--permission-mode', 'edits', '--json']);
    expect(JSON.parse(second.stdout)).toMatchObject({
      backend: 'claude',
      changed: ['BACKEND_MODEL', 'AGENT_BACKEND', 'PERMISSION_MODE'],
      notes: ["BACKEND_MODEL=gpt was the former CLI's, and is taken out."],
      clis: [{ backend: 'claude', signedIn: 'no' }, { backend: 'codex', signedIn: 'yes' }, {}, {}],
    });
    expect(config(stage)).toMatch(
      /AGENT_BACKEND: claude\n# mine\nHTTP_PORT: 1 # y\nPERMISSION_MODE: edits\n$/,
    );
    const third = await turnout(place, ['init', '--yes', '-m', 'opus']);
    expect(third).toMatchObject({ code: 0, stderr: '' });
    expect(third.stdout).toContain('\nwith the model opus\n');
    expect(third.stdout).not.toContain('permission');
    expect(config(stage)).toContain('AGENT_BACKEND: claude\n');
    expect(config(stage)).toContain('BACKEND_MODEL: opus\n');
  });

  it('says what is stronger than the file, and leaves a wrong file alone', async ({ stage }) => {
    const place = placeWith(stage, both, { AGENT_BACKEND: 'codex' });
    expect((await turnout(place, ['init', '-b', 'claude'])).stdout).toContain(
      'But AGENT_BACKEND=codex in the environment is stronger',
    );
    writeFileSync(join(stage.home, 'config.yaml'), 'agent_bakend: claude\n');
    expect(await turnout(place, ['init', '--yes'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"agent_bakend" is no setting'),
    });
    expect(config(stage)).toBe('agent_bakend: claude\n');
  });

  it('offers the demo where no CLI is installed', async ({ stage }) => {
    const done = await turnout(placeWith(stage, {}), ['init']);
    expect(done).toMatchObject({ code: 3, stderr: expect.stringContaining('turnout run --backend demo') });
    // What installs each is in the table.
    expect(done.stderr).not.toContain('npm install');
    expect(existsSync(join(stage.home, 'config.yaml'))).toBe(false);
  });

  it.for([['init'], ['chat'], []] as const)(
    'and starts it in a terminal where no CLI is installed: turnout %s',
    async (args, { stage }) => {
      const place = placeWith(stage, {});
      const left = new TerminalRun(place, args, 80);
      await left.until('Enter starts the demo');
      left.type('\u0003');
      expect(await left.exitCode).toBe(3);
      const terminal = new TerminalRun(place, args, 80);
      await terminal.until('Enter starts the demo (no account needed), Ctrl-C leaves: ');
      terminal.type('\r');
      await terminal.until('/help lists the commands');
      expect(terminal.screen).toContain('demo · ');
      terminal.type('\u0004');
      expect(await terminal.exitCode).toBe(0);
    },
  );

  it('takes nothing from the directory that it is started in', async ({ stage }) => {
    const place = placeWith(stage, both);
    mkdirSync(join(stage.workingDir, '.claude'));
    const settings = { apiKeyHelper: 'touch pwned', env: { ANTHROPIC_API_KEY: 'x' } };
    writeFileSync(join(stage.workingDir, '.claude', 'settings.json'), JSON.stringify(settings));
    writeFileSync(join(stage.workingDir, 'config.yaml'), 'AGENT_BACKEND: gemini\n');
    const { stdout } = await turnout(place, ['init', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ clis: [{ backend: 'claude', signedIn: 'no' }, {}, {}, {}] });
    expect(existsSync(join(stage.workingDir, 'pwned'))).toBe(false);
  });

  it.for([
    ['--nonsense', 'There is no option --nonsense'],
    ['--backend=codx', 'Did you mean codex?'],
    ['--model=-x', '--model: '],
    ['--permission-mode=yolo', '--permission-mode expects one of'],
    ['claude', 'a CLI is named with --backend'],
  ] as const)('refuses %s', async ([flag, said], { stage }) => {
    expect(await turnout(placeWith(stage, both), ['init', flag])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(said),
    });
  });
});

describe('a backend that nobody has chosen, where Claude is not installed (R6.3, O5, O14)', () => {
  /** Codex and Gemini are there, and Gemini has a key: neither is to be started. */
  const withoutClaude = (stage: Stage, env: Record<string, string> = {}) => {
    const started = stage.path('started');
    const place = placeWith(
      stage,
      { codex: `echo codex >> ${started}`, gemini: `echo gemini >> ${started}` },
      { GEMINI_API_KEY: 'dummy', HTTP_PORT: '0', ...env },
    );
    return { place, started };
  };

  it('is no other CLI for a gateway: it says that Claude is missing, and exits', async ({ stage }) => {
    const { place, started } = withoutClaude(stage, { ALLOWED_TOOLS: 'Read' });
    const done = await turnout(place, ['gateway']);
    expect(done).toMatchObject({ code: 1, stdout: '' });
    expect(done.stderr).toMatch(
      /can't start:\n {2}- Claude is not installed, and no other backend was chosen\./,
    );
    expect(done.stderr).toMatch(/Installed here: codex, gemini\. .*turnout init/);
    expect(done.stderr.match(/turnout init|npm install -g/g)).toEqual(['turnout init', 'npm install -g']);
    expect(existsSync(started)).toBe(false);
  });

  it('is no other CLI for an agent, a chain, or a run without a terminal', async ({ stage }) => {
    const { place, started } = withoutClaude(stage);
    mkdirSync(join(stage.workingDir, '.turnout/agents'), { recursive: true });
    writeFileSync(join(stage.workingDir, '.turnout/agents/a.md'), 'You are a.');
    const chains = { chains: { one: { prompt: 'x', steps: [{ agent: 'a' }] } } };
    writeFileSync(join(stage.workingDir, 'chains.json'), JSON.stringify(chains));
    for (const args of [
      ['agent', 'run', 'a', 'hi'],
      ['run', 'hi'],
      ['chain', 'run', 'one'],
    ]) {
      const done = await turnout(place, args);
      expect(done, args.join(' ')).toMatchObject({ code: 3, stdout: '' });
      expect(done.stderr).toMatch(/claude/i);
      expect(done.stderr).toContain('npm install -g @anthropic-ai/claude-code@');
    }
    // A person at a terminal would not see which one a part of an agent is run with.
    const agent = new TerminalRun(place, ['agent', 'run', 'a', 'hi']);
    expect(await agent.exitCode).toBe(3);
    expect(existsSync(started)).toBe(false);
  });

  it('is the one that is there for a person at a terminal, who reads which', async ({ stage }) => {
    const { place } = withoutClaude(stage);
    const terminal = new TerminalRun(place, ['run', 'hi', '--verbose'], 200);
    await terminal.exitCode;
    expect(terminal.screen).toContain('turnout: using gemini: Claude is not installed.');
  });

  it('is the one that `init` has saved, for the gateway too', async ({ stage }) => {
    const { place } = withoutClaude(stage);
    expect(await turnout(place, ['init', '--backend', 'codex'])).toMatchObject({ code: 0 });
    const gateway = startTurnout(place, ['gateway']);
    const over = finished(gateway);
    gateway.stdout?.on('data', (said) => String(said).includes('(codex)') && gateway.kill('SIGTERM'));
    expect(await over).toMatchObject({ code: 0, stdout: expect.stringContaining('(codex)') });
  });
});

describe('a chat with a CLI that nobody is signed in to (18.2)', () => {
  it('says so, and what to type', async ({ stage }) => {
    const terminal = new TerminalRun(placeWith(stage, { codex: 'sleep 10' }), ['chat'], 80);
    await terminal.until('codex is not signed in: run `codex login`');
    terminal.type('\u0004');
    expect(await terminal.exitCode).toBe(0);
  });
});

describe('turnout config (18.2)', () => {
  it('shows every setting, its value and where it comes from, and no secret', async ({ stage }) => {
    const place = placeWith(stage, {}, { HTTP_TOKEN: 'a-very-secret-token', LOG_LEVEL: 'warn' });
    await turnout(place, ['config', 'set', 'http-port', '9000']);
    const { stdout } = await turnout(place, ['config', 'list']);
    expect(stdout).toMatch(/^ {2}HTTP_PORT +9000 +config\.yaml$/m);
    expect(stdout).toMatch(/^ {2}LOG_LEVEL +warn +environment$/m);
    expect(stdout).toMatch(/^ {2}HTTP_TOKEN +\(set, not shown\) +environment$/m);
    expect(stdout).toMatch(/^Turns\n {2}QUERY_TIMEOUT_MS +600000 +default; chat: none$/m);
    const json = await turnout(place, ['config', '--output', 'json']);
    expect(JSON.parse(json.stdout)).toContainEqual(
      expect.objectContaining({ name: 'HTTP_PORT', value: '9000', origin: 'file', defaultValue: '8420' }),
    );
    const one = await turnout(place, ['config', 'get', 'HTTP_TOKEN', '--json']);
    expect(stdout + json.stdout + one.stdout).not.toContain('very-secret');
    expect((await turnout(place, ['config', 'path'])).stdout).toBe(`${join(stage.home, 'config.yaml')}\n`);
  });

  it.for(['config', 'sessions', 'init'])(
    '%s ends without a word when its reader leaves',
    async (name, { stage }) => {
      const child = startTurnout(placeWith(stage, both), [name, '--json']);
      child.stdout?.destroy();
      expect(await finished(child)).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it('shows and repairs a file that is wrong, and marks a wrong value', async ({ stage }) => {
    const place = placeWith(stage, {}, { CONFIG_DIR: './x', QUERY_TIMEOUT_MS: 'soon' });
    mkdirSync(stage.home, { recursive: true });
    writeFileSync(join(stage.home, 'config.yaml'), 'http-port: 9000\nagent_bakend: claude\n');
    const list = await turnout(place, ['config', 'list', '--long']);
    expect(list).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('line 2: "agent_bakend" is no setting. Did you mean AGENT_BACKEND?'),
    });
    expect(list.stdout).toMatch(/HTTP_PORT +9000 +config\.yaml\n {4}the port of the HTTP API/);
    expect(list.stdout).toMatch(/CONFIG_DIR +\.\/x +environment\n {4}WRONG: expected an absolute path\n/);
    expect((await turnout(place, ['config', 'unset', 'agent_bakend'])).code).toBe(0);
    expect(config(stage)).toBe('http-port: 9000\n');
    expect(await turnout(place, ['config', 'get', 'query-timeout-ms'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('expected a whole number'),
    });
    expect(await turnout(place, ['agent', 'list'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('gets, sets and takes out', async ({ stage }) => {
    const place = placeWith(stage, {}, { PERMISSION_MODE: 'plan' });
    expect(await turnout(place, ['config', 'get', 'http-port'])).toMatchObject({ code: 0, stdout: '8420\n' });
    expect(await turnout(place, ['config', 'get', 'backend-model'])).toMatchObject({ code: 1, stdout: '' });
    expect(await turnout(place, ['config', 'set', 'permission-mode', 'edits'])).toMatchObject({
      code: 0,
      stderr: 'turnout: PERMISSION_MODE in the environment is stronger than config.yaml.\n',
    });
    // A path that is typed begins here, not in the file's directory.
    await turnout(place, ['config', 'set', 'working-dir', '.']);
    expect(config(stage)).toContain(`WORKING_DIR: ${realpathSync(stage.workingDir)}\n`);
    expect((await turnout(place, ['config', 'set', 'working-dir', './sub'])).stderr).toContain(
      'is not there',
    );
    expect((await turnout(place, ['config', 'set', 'http-token', 'x'])).stderr).toContain('history');
    await turnout(place, ['config', 'set', 'http-token', '-'], { stdin: 'a-very-secret-token\n' });
    expect(await turnout(place, ['config', 'get', 'http-token'])).toMatchObject({ code: 1, stdout: '' });
    expect(config(stage)).toContain('HTTP_TOKEN: a-very-secret-token\n');
    expect(await turnout(place, ['config', 'unset', 'http-token'])).toMatchObject({ code: 0 });
    expect(config(stage)).not.toContain('HTTP_TOKEN');
    expect((await turnout(place, ['config', 'unset', 'http-token'])).stdout).toContain('was not in');
  });

  it.for([
    [['set', 'http-prot', '1'], 'Did you mean HTTP_PORT?'],
    [['set', 'http-port', 'abc'], 'HTTP_PORT="abc": expected a whole number'],
    [['set', 'agent-backend', 'codx'], 'Did you mean codex?'],
    [['set', 'backend-max-turns', '0'], 'expected a whole number'],
    [['set', 'turnout-home', '/x'], 'a file of TURNOUT_HOME'],
    [['set', 'http-token', 'a b'], 'HTTP_TOKEN: '],
    [['set', 'backend-model', ''], 'turnout config unset BACKEND_MODEL'],
    [['set', 'http-port'], 'expected: turnout config set <name> <value>'],
    [['gett', 'http-port'], 'Did you mean "get"?'],
    [['list', '--jsn'], 'Did you mean --json?'],
  ] as const)('refuses %s', async ([args, said], { stage }) => {
    const done = await turnout(placeWith(stage, {}), ['config', ...args]);
    expect(done).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) });
    expect(existsSync(join(stage.home, 'config.yaml'))).toBe(false);
  });
});

describe('a turn that somebody wants to go on with (18.4)', () => {
  it('ends with a line on the terminal, and goes on with --continue and with the id', async ({ stage }) => {
    const place = placeWith(stage, { claude: 'demo' });
    const terminal = new TerminalRun(place, ['run', 'remember: the word is turnip'], 80);
    expect(await terminal.exitCode).toBe(0);
    // Claude needs no words.
    expect(terminal.screen).not.toContain('using claude');
    const dim = terminal.screen.split('\u001b[2m').at(-1)?.split('\u001b[0m')[0] ?? '';
    const [, id = ''] = /^session (\S+) · .*turnout run --continue "…"$/.exec(dim) ?? [];
    expect(id).not.toBe('');
    const listed = JSON.parse((await turnout(place, ['sessions', '--json'])).stdout);
    expect(listed).toMatchObject([{ backend: 'claude', title: 'remember: the word is turnip' }]);
    expect(listed[0].sessionId.startsWith(id)).toBe(true);
    for (const flags of [['--continue'], ['--resume', id]]) {
      const done = await turnout(place, ['run', '--output', 'json', ...flags, 'what did I say?']);
      expect(done).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(done.stdout).sessionId).toBe(listed[0].sessionId);
    }
    expect(JSON.parse((await turnout(place, ['sessions', '--json'])).stdout)).toHaveLength(1);
    const plain = new TerminalRun({ ...place, env: { ...place.env, NO_COLOR: '1' } }, ['run', 'hello']);
    expect(await plain.exitCode).toBe(0);
    expect(plain.screen).toMatch(/\nsession \S+ · /);
    expect(plain.screen).not.toContain('\u001b[2m');
  });

  it('tells nothing of it to a pipe, nor in JSON', async ({ stage }) => {
    const place = placeWith(stage, { claude: 'demo' }, { AGENT_BACKEND: 'claude' });
    expect((await turnout(place, ['run', 'hello'])).stderr).toBe('');
    const terminal = new TerminalRun(place, ['run', '--output', 'json', 'hello']);
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen).not.toContain('session ');
  });

  it('is kept by directory and backend, also of several turns at once', async ({ stage }) => {
    const place = placeWith(stage, { claude: 'demo' }, { AGENT_BACKEND: 'claude' });
    const other = stage.path('other');
    mkdirSync(other);
    const turns = ['one', 'two', 'three'].map((word) => turnout(place, ['run', `say ${word}`]));
    await Promise.all([...turns, turnout(place, ['run', '--backend', 'demo', 'elsewhere'], { cwd: other })]);
    const here = await turnout(place, ['sessions']);
    expect(here.stdout.match(/^just now +claude /gm)).toHaveLength(3);
    expect(here.stdout).toContain('1 more in other directories: turnout sessions --all');
    const all = JSON.parse((await turnout(place, ['sessions', '--all', '--output', 'json'])).stdout);
    expect(all.at(-1)).toMatchObject({ backend: 'demo', directory: other, title: 'elsewhere' });
    const wrong = await turnout(place, ['run', '--continue', 'x'], { cwd: other });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain(
      'the last session here is demo’s (just now): --backend demo goes on with it.',
    );
    expect((await turnout(place, ['run', '--continue', '--backend', 'demo', 'x'], { cwd: other })).code).toBe(
      0,
    );
  });

  it('is no session of the person if an agent has run it', async ({ stage }) => {
    const place = placeWith(stage, { claude: 'demo' }, { AGENT_BACKEND: 'claude', TURNOUT_OWNER: '1.1.x' });
    expect((await turnout(place, ['run', 'hello'])).code).toBe(0);
    expect(existsSync(join(stage.home, 'sessions.jsonl'))).toBe(false);
  });

  it('is explained if nobody knows it, and the list says where to begin', async ({ stage }) => {
    const place = placeWith(stage, { claude: 'demo' }, { AGENT_BACKEND: 'claude' });
    const unknown = '11111111-2222-4333-8444-555555555555';
    expect(await turnout(place, ['run', '--resume', unknown, 'x'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('`turnout sessions --all` lists the sessions that there are.'),
    });
    expect(await turnout(place, ['sessions'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('turnout run "…" begins one'),
    });
    expect(await turnout(place, ['sessions', 'x'])).toMatchObject({ code: 2 });
  });

  it('runs where its home can’t be written', async ({ stage }) => {
    const place = placeWith(stage, { claude: 'demo' }, { AGENT_BACKEND: 'claude' });
    mkdirSync(join(stage.home, 'sessions.jsonl'), { recursive: true });
    expect(await turnout(place, ['run', 'hello'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('is with the demo agent, or refused with what to install, where there is no CLI (18.2)', async ({
    stage,
  }) => {
    const place = placeWith(stage, {});
    expect((await turnout(place, ['run', '--backend', 'demo', 'hello'])).code).toBe(0);
    const wrong = await turnout(place, ['run', '--backend', 'demoo', 'hello']);
    expect(wrong.stderr).toMatch(/Valid backends: .*demo.*Did you mean demo\?/);
    const none = await turnout(place, ['run', 'hello']);
    expect(none).toMatchObject({ code: 3, stdout: '' });
    expect(none.stderr).toMatch(
      /No agent CLI was found[\s\S]*npm install -g opencode-ai@[\s\S]*turnout chat --backend demo/,
    );
  });
});

describe('turnout doctor (18.2)', () => {
  it('says who is not signed in and what to type, and shows on a terminal whom it waits for', async ({
    stage,
  }) => {
    const place = placeWith(stage, both, { CODEX_API_KEY: 'k' });
    const { stdout, stderr } = await turnout(place, ['doctor']);
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /^sign in {2}claude .*\n.*\n +not signed in: run `claude`, and type \/login there\n/m,
    );
    expect(stdout).toMatch(/^sign in {2}claude .*\(default\)$/m);
    expect(stdout).toMatch(/^ok {7}codex [^(]*$/m);
    expect(stdout).toContain('signed in: CODEX_API_KEY');
    expect(stdout).toMatch(/install it with: npm install -g opencode-ai@\d/);
    const terminal = new TerminalRun(place, ['doctor'], 80);
    // Claude would be used, whoever else is signed in.
    expect(await terminal.exitCode).toBe(1);
    expect((await turnout(place, ['doctor', '-b', 'codex'])).code).toBe(0);
    expect(terminal.screen).toContain('asking for versions: claude');
    // The last of it is taken away before the table begins.
    expect(terminal.screen).toContain('\r\u001b[KTurnout ');
    const rows = terminal.screen
      .slice(terminal.screen.lastIndexOf('\u001b[K') + 3)
      .split('\r\n')
      .slice(1);
    for (const row of rows)
      if (!row.includes(dirname(stage.home))) expect(row.length).toBeLessThanOrEqual(80);
  });

  it('begins with what is wrong in the settings files', async ({ stage }) => {
    const place = placeWith(stage, both, { CODEX_API_KEY: 'k', HTTP_PORT: 'of another program' });
    mkdirSync(stage.home, { recursive: true });
    writeFileSync(join(stage.home, 'config.yaml'), 'http_prot: 1\nLEASE_MS: soon\nAGENT_BACKEND: codex\n');
    const { code, stdout, stderr } = await turnout(place, ['doctor']);
    expect([code, stderr]).toEqual([1, '']);
    const [, , first = '', second = ''] = stdout.split('\n');
    expect(first).toBe(`WRONG    ${join(stage.home, 'config.yaml')} is wrong:`);
    expect(second).toBe('           - line 1: "http_prot" is no setting. Did you mean HTTP_PORT?');
    expect(stdout).toContain(
      `WRONG    LEASE_MS in ${join(stage.home, 'config.yaml')}: expected a whole number`,
    );
    expect(stdout).not.toContain('another program');
    // What can be read counts.
    expect(stdout).toMatch(/^ok {7}codex .*\(default\)$/m);
  });
});
