import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { helpText } from '../../../../src/cli/command/help-text.js';
import { main, page } from '../../../../src/cli/gateway/service.js';
import { describeUnit, type UnitFacts } from '../../../../src/cli/gateway/systemd-unit.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'turnout-unit-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

const facts: UnitFacts = {
  node: '/usr/bin/node',
  program: '/opt/turnout/dist/cli/main.js',
  workingDir: '/srv/agents',
  path: '/home/ada/bin:/usr/bin',
  home: '/home/ada/.turnout',
  shutdownGraceMs: 30_000,
  user: undefined,
};

const lines = (unit: string) => unit.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('the systemd unit', () => {
  it('runs the gateway for a user', () => {
    expect(lines(describeUnit(facts))).toEqual([
      '[Unit]',
      'Description=Turnout gateway: coding agents behind chat and HTTP',
      'StartLimitIntervalSec=300',
      'StartLimitBurst=5',
      '[Service]',
      'Type=exec',
      'WorkingDirectory=/srv/agents',
      'Environment="WORKING_DIR=/srv/agents"',
      'Environment="TURNOUT_HOME=/home/ada/.turnout"',
      'Environment="PATH=/home/ada/bin:/usr/bin"',
      'ExecStart="/usr/bin/node" "/opt/turnout/dist/cli/main.js" gateway',
      'Restart=on-failure',
      'RestartSec=5',
      'KillMode=mixed',
      'Delegate=yes',
      'TimeoutStopSec=60',
      'UMask=0077',
      '[Install]',
      'WantedBy=default.target',
    ]);
    expect(describeUnit(facts)).toContain('#   systemctl --user enable --now turnout\n');
    expect(describeUnit(facts)).toContain('#LoadCredential=HTTP_TOKEN:');
  });

  it('runs it for the system, as a user', () => {
    const unit = describeUnit({ ...facts, user: 'ada', home: '/var/lib/turnout' });
    expect(lines(unit)).toEqual(
      expect.arrayContaining([
        'After=network-online.target',
        'User=ada',
        'Environment="TURNOUT_HOME=/var/lib/turnout"',
        'WantedBy=multi-user.target',
      ]),
    );
    expect(unit).toContain('sudo systemctl enable --now turnout');
    expect(unit).not.toContain('--user');
  });

  it('stops only after the grace period', () => {
    expect(describeUnit({ ...facts, shutdownGraceMs: 600_500 })).toContain('TimeoutStopSec=631\n');
  });

  it('quotes what systemd would read as something else', () => {
    const node = '/a b/50%/$HOME/node';
    const odd = '/a b/50%/$HOME/"q"/back\\slash';
    const unit = lines(describeUnit({ ...facts, node, program: odd, workingDir: odd, path: odd }));
    const quotedPath = '/a b/50%%/$HOME/\\"q\\"/back\\\\slash';
    expect(unit).toContain('WorkingDirectory=/a b/50%%/$HOME/"q"/back\\slash');
    expect(unit).toContain(`Environment="PATH=${quotedPath}"`);
    expect(unit).toContain(`ExecStart="/a b/50%%/$HOME/node" "${quotedPath.replace('$', '$$$')}" gateway`);
    expect(() => describeUnit({ ...facts, workingDir: '/a\nExecStartPre=/bin/evil' })).toThrow(
      'control character',
    );
  });

  const analyze = spawnSync('systemd-analyze', ['--version']).status === 0;
  it.skipIf(!analyze).each([
    [undefined, 'plain'],
    [undefined, 'a b%h $x'],
    ['root', 'a b%h $x'],
    ['root', `a b%h $x "q" it's`],
  ])('is accepted by systemd: user %s, directory %s', (user, name) => {
    const directory = join(root, name);
    mkdirSync(directory);
    const node = join(directory, 'node');
    writeFileSync(node, '#!/bin/sh\n');
    chmodSync(node, 0o755);
    const file = join(root, 'turnout.service');
    const verify = (unit: UnitFacts) => {
      writeFileSync(file, describeUnit(unit));
      const manager = user === undefined ? '--user' : '--system';
      const env = { ...process.env, XDG_RUNTIME_DIR: root };
      const { status, stderr } = spawnSync('systemd-analyze', [manager, 'verify', file], {
        encoding: 'utf8',
        env,
      });
      return { status, said: stderr.split('\n').filter((line) => line.includes('turnout.service')) };
    };
    const mine = { ...facts, user, node, program: node, workingDir: directory, path: directory };
    expect(verify(mine)).toEqual({ status: 0, said: [] });
    // It does look: a program that is not there is told.
    expect(verify({ ...mine, node: join(root, 'missing') })).not.toEqual({ status: 0, said: [] });
  });
});

describe('turnout service', () => {
  const run = async (...argv: string[]) => {
    let stdout = '';
    let stderr = '';
    const write = (text: string | Uint8Array, ...more: unknown[]) => {
      stdout += text;
      for (const written of more) if (typeof written === 'function') written();
      return true;
    };
    vi.spyOn(process.stdout, 'write').mockImplementation(write);
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      stderr += text;
      return true;
    });
    const code = await main(argv);
    vi.restoreAllMocks();
    return { code, stdout, stderr };
  };

  beforeEach(() => {
    vi.spyOn(process, 'cwd').mockReturnValue(root);
    for (const name of Object.keys(process.env)) vi.stubEnv(name, undefined);
    vi.stubEnv('HOME', root);
    vi.stubEnv('PATH', '/bin:/usr/bin');
    vi.stubEnv('TURNOUT_HOME', `${root}-home`);
    mkdirSync(`${root}-home`, { mode: 0o700 });
    onTestFinished(() => rmSync(`${root}-home`, { recursive: true, force: true }));
  });

  it('prints the unit of this place', async () => {
    const done = await run();
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(lines(done.stdout)).toContain(`WorkingDirectory=${root}`);
    expect(lines(done.stdout)).toContain(`Environment="TURNOUT_HOME=${root}-home"`);
    expect(done.stdout).toMatch(/^ExecStart="\/.*node" "\/.*cli\/main\.js" gateway$/m);
    expect(done.stdout).not.toMatch(/^User=/m);
  });

  it('names what the environment has and the unit has not, without values', async () => {
    vi.stubEnv('AGENT_BACKEND', 'codex');
    vi.stubEnv('QUEUE_MODE', 'steer');
    vi.stubEnv('HTTP_TOKEN', 'swordfish-swordfish');
    vi.stubEnv('OPENAI_API_KEY', 'swordfish-key');
    vi.stubEnv('EDITOR', 'vi');
    writeFileSync(join(`${root}-home`, '.env'), 'QUEUE_MODE=steer\n', { mode: 0o600 });
    const { code, stdout, stderr } = await run();
    expect(code).toBe(0);
    expect(stderr).toContain('not in the unit: AGENT_BACKEND, HTTP_TOKEN, OPENAI_API_KEY.\n');
    expect(stderr).toContain(`${root}-home/.env`);
    expect(stderr).toContain('LoadCredential=');
    expect(stdout + stderr).not.toContain('swordfish');
  });

  it('takes the grace period and the data directory from the settings', async () => {
    writeFileSync(join(`${root}-home`, '.env'), 'SHUTDOWN_GRACE_MS=90000 # long\n', { mode: 0o600 });
    const { stdout } = await run('--system');
    expect(stdout).toContain('TimeoutStopSec=120\n');
    expect(stdout).toMatch(/^User=\S+$/m);
  });

  it('is refused where the agents could write what the gateway obeys [fault 13.5: home in the working directory]', async () => {
    vi.stubEnv('TURNOUT_HOME', join(root, 'data'));
    expect(await run()).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('lies in WORKING_DIR'),
    });
  });

  it('tells its usage, wrong usage and wrong settings', async () => {
    expect(await run('--help')).toEqual({ code: 0, stdout: helpText(page), stderr: '' });
    for (const word of ['--nope', 'install']) {
      expect(await run(word)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(word) });
    }
    vi.spyOn(process, 'cwd').mockReturnValue(root);
    writeFileSync(join(`${root}-home`, '.env'), 'SHUTDOWN_GRACE_MS=soon\n', { mode: 0o600 });
    expect(await run()).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('SHUTDOWN_GRACE_MS'),
    });
  });
});
