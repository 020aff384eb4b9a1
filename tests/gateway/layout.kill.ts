import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directory, exitCode, startProgram, url } from './program.js';
import { demoAgent, setUpGateway } from './stage.js';

const ended = async (run: ReturnType<typeof startProgram>) => ({ code: await exitCode(run), err: run.err });

describe('the directories of a gateway', () => {
  it('it does not start where agents could write what it obeys [fault 13.5: home in the working directory]', async () => {
    const root = directory();
    for (const name of ['repo', 'apart', 'config', 'config/channels', 'config/channels/ops'])
      mkdirSync(join(root, name));
    // The real path counts, not the way that leads there.
    mkdirSync(join(root, 'repo', 'home'));
    symlinkSync(join(root, 'repo', 'home'), join(root, 'apart', 'home'));
    writeFileSync(join(root, 'config', 'channels', 'ops', 'channel.md'), `---\ncwd: ${root}\n---\n`);
    writeFileSync(join(root, 'repo', 'settings'), 'HTTP_TOKEN=a-token-for-the-tests\n');
    const env = {
      BACKEND_CLI_PATH: demoAgent,
      WORKING_DIR: join(root, 'repo'),
      TURNOUT_HOME: join(root, 'apart', 'home'),
      CONFIG_DIR: join(root, 'config'),
    };
    const done = await ended(startProgram(root, env, ['--env-file', join(root, 'repo', 'settings')]));
    expect(done.code).toBe(1);
    expect(done.err).toMatch(/- TURNOUT_HOME \(.*apart\/home\) lies in WORKING_DIR \(.*repo\)/);
    expect(done.err).toMatch(/- --env-file \(.*repo\/settings\) lies in WORKING_DIR/);
    expect(done.err).toMatch(/- CONFIG_DIR \(.*config\) lies in the cwd of channels\/ops/);
    expect(done.err).toContain('ALLOW_STATE_IN_WORKING_DIR=1');
    const told = startProgram(root, { ...env, ALLOW_STATE_IN_WORKING_DIR: '1' });
    await url(told);
    told.child.kill('SIGTERM');
    expect(await exitCode(told)).toBe(0);
  });

  it('a channel that is moved there later gets no turn [fault 13.5: home in a channel’s cwd]', async () => {
    const stage = setUpGateway();
    const client = await stage.start();
    stage.configure('channels/ops/channel.md', `---\ncwd: ${stage.root}\n---\n`);
    expect(await client.ask('ops', 'hello')).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('lies in the cwd of this channel') },
    });
    expect(await client.ask('other', 'hello')).toMatchObject({ state: 'answered' });
  });

  it('a .env where it is started is not read; one that is named, is [fault 13.5: .env of the repository]', async () => {
    const root = directory();
    writeFileSync(join(root, '.env'), 'LOG_LEVEL=loud\nBACKEND_CLI_PATH=/nowhere/claude\n');
    const env = { BACKEND_CLI_PATH: demoAgent };
    const run = startProgram(root, env);
    await url(run);
    run.child.kill('SIGTERM');
    expect(await exitCode(run)).toBe(0);
    // The usual environment of the tests names a port, which is stronger than the file.
    const named = await ended(
      startProgram(root, { WORKING_DIR: join(root, 'work') }, ['--env-file', '.env']),
    );
    expect(named).toMatchObject({ code: 1, err: expect.stringContaining('/nowhere/claude') });
    const refused = async (mode: number) => {
      chmodSync(join(root, '.env'), mode);
      return ended(startProgram(root, env, ['--settings-file', join(root, mode === 0 ? 'none' : '.env')]));
    };
    expect((await refused(0o666)).err).toContain('can be changed by other users');
    expect((await refused(0)).err).toMatch(/The settings file .*none is not there/);
  });
});

describe('turnout gateway --demo', () => {
  it('has a home of its own, and starts no CLI that nobody has asked for in it [fault 13.12: a demo starts real CLIs] (16.6)', async () => {
    const root = directory();
    const trace = join(root, 'trace');
    const bin = join(root, 'bin');
    const home = join(root, '.turnout');
    for (const path of [bin, home, join(home, 'config')]) mkdirSync(path, { mode: 0o700 });
    for (const name of ['claude', 'codex', 'hook']) {
      writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> '${trace}'\n`, { mode: 0o755 });
    }
    // Nothing of the home around it counts: hooks, settings, a backend for a channel.
    const hooks = { startup: [{ command: [join(bin, 'hook')] }] };
    mkdirSync(join(home, 'config', 'channels', 'ops'), { recursive: true });
    writeFileSync(join(home, 'config', 'channels', 'ops', 'channel.md'), '---\nbackend: codex\n---\n');
    writeFileSync(join(home, 'config', 'hooks.json'), JSON.stringify(hooks));
    writeFileSync(join(home, 'config.yaml'), 'HTTP_PORT: many\n', { mode: 0o600 });
    const env = {
      PATH: `${bin}:/usr/bin:/bin`,
      HTTP_TOKEN: 'a-token-for-the-tests',
      CONFIG_DIR: join(home, 'config'),
      AGENT_BACKEND: 'codex',
      BACKEND_CLI_PATH: join(bin, 'hook'),
      RETRY_DELAY_MS: '10',
    };
    const run = startProgram(root, env, ['--demo']);
    const at = await url(run);
    const headers = { authorization: 'Bearer a-token-for-the-tests' };
    const ask = async (channel: string, text: string) => {
      const body = JSON.stringify({ text });
      const posted = await fetch(`${at}/v1/channels/${channel}/messages`, { method: 'POST', headers, body });
      const { eventId } = (await posted.json()) as { eventId: string };
      return (await (await fetch(`${at}/v1/events/${eventId}?wait=20`, { headers })).json()) as Record<
        string,
        unknown
      >;
    };
    expect(await ask('a', 'hello')).toMatchObject({ state: 'answered' });
    expect(await ask('ops', 'hello')).toMatchObject({ state: 'answered' });
    expect(existsSync(trace)).toBe(false);
    // One word switches to the CLI on the PATH, not to the one of BACKEND_CLI_PATH, and one comes back.
    expect(await ask('a', '/backend codex')).toMatchObject({
      responseText: expect.stringContaining('codex answers from here on, in place of demo.'),
    });
    expect(await ask('a', 'hello')).toMatchObject({ state: 'failed' });
    expect(readFileSync(trace, 'utf8')).toMatch(/^codex\n/);
    rmSync(trace);
    await ask('a', '/backend demo');
    expect(await ask('a', 'hello')).toMatchObject({ state: 'answered' });
    run.child.kill('SIGTERM');
    expect(await exitCode(run)).toBe(0);
    expect(existsSync(trace)).toBe(false);
    expect(existsSync(join(home, 'turnout.db'))).toBe(false);
    expect(existsSync(join(home, 'demo', 'turnout.db'))).toBe(true);
  });
});
