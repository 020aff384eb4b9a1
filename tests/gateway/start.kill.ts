import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { directory, exitCode, type Run, startProgram, url } from './program.js';
import { demoAgent, eventually } from './stage.js';

/** A gateway with patience, and a turn that runs. */
async function startTurn(text: string): Promise<Run> {
  const env = { HTTP_TOKEN: 'a-token-for-the-tests', SHUTDOWN_GRACE_MS: '60000' };
  const run = startProgram(directory(), env, ['--demo']);
  const at = await url(run);
  const headers = { authorization: 'Bearer a-token-for-the-tests' };
  const body = JSON.stringify({ text });
  const posted = await fetch(`${at}/v1/channels/a/messages`, { method: 'POST', headers, body });
  const { eventId } = (await posted.json()) as { eventId: string };
  await eventually(async () => {
    const look = await fetch(`${at}/v1/events/${eventId}`, { headers });
    return ((await look.json()) as { state: string }).state === 'running';
  });
  return run;
}

describe('turnout gateway', () => {
  it('a data directory that can not be used: named, with what to do, and no stack trace', async () => {
    const root = directory();
    writeFileSync(join(root, 'file'), '');
    for (const home of [join(root, 'file'), join(root, 'file', 'below')]) {
      const run = startProgram(root, {}, ['--demo', '--home', home]);
      expect(await exitCode(run)).toBe(1);
      expect(run.err).toMatch(/^turnout: The data directory .*file.* can't be used: .*\n.*TURNOUT_HOME/m);
      expect(run.err).not.toContain('    at ');
    }
  });

  it('a missing binary: the name, the path and the install command; exit code 1 (R9.1, R9.2)', async () => {
    const run = startProgram(directory(), { AGENT_BACKEND: 'codex', BACKEND_CLI_PATH: '/nowhere/codex' });
    expect(await exitCode(run)).toBe(1);
    expect(run.err).toMatch(/codex.*\/nowhere\/codex[\s\S]*npm install -g @openai\/codex/);
  });

  it('a bad name and bad settings: all at once, with what is valid; exit code 1 (R6.5)', async () => {
    const run = startProgram(directory(), { AGENT_BACKEND: 'cursor', HTTP_PORT: 'x', MAX_QUEUE_DEPTH: '0' });
    expect(await exitCode(run)).toBe(1);
    expect(run.err).toMatch(/The gateway can't start:/);
    expect(run.err).toMatch(/"cursor".*claude, codex, gemini, opencode/);
    expect(run.err).toMatch(/HTTP_PORT="x"/);
    expect(run.err).toMatch(/MAX_QUEUE_DEPTH="0"/);
  });

  it('--backend with the path of another one: its own program is looked for, and the path is not run (R6.4, O5)', async () => {
    for (const settings of [{}, { AGENT_BACKEND: 'claude-cli' }, { FORGE_BACKEND: 'claude' }]) {
      const run = startProgram(directory(), { ...settings, BACKEND_CLI_PATH: demoAgent }, [
        '--backend',
        'codex-cli',
      ]);
      expect(await exitCode(run)).toBe(1);
      expect(run.err).toMatch(
        /The backend codex \(codex\) can't be used: The Codex CLI was not found: codex/,
      );
      expect(run.err).toContain('BACKEND_CLI_PATH belongs to claude and is not used for codex.');
    }
  });

  it('--backend with a program of its own on the PATH: what is left out is warned about by name (R7.3, O5)', async () => {
    const root = directory();
    mkdirSync(join(root, 'bin'));
    writeFileSync(join(root, 'bin', 'codex'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { BACKEND_CLI_PATH: demoAgent, BACKEND_MODEL: 'large', PATH: `${root}/bin:/usr/bin:/bin` };
    const run = startProgram(root, env, ['--backend', 'codex']);
    await url(run);
    expect(run.out).toContain('(codex)');
    expect(run.err).toContain(
      'BACKEND_CLI_PATH and BACKEND_MODEL belong to claude and are not used for codex.',
    );
    run.child.kill('SIGTERM');
    expect(await exitCode(run)).toBe(0);
  });

  it('what is wrong in the files is listed together with the rest', async () => {
    const root = directory();
    mkdirSync(join(root, 'config'));
    writeFileSync(
      join(root, 'config', 'cron.md'),
      '## Report\n- schedule: `every day`\n- channel: ops\n\nDo it.\n',
    );
    writeFileSync(join(root, 'config', 'hooks.json'), '{"massage": []}');
    const run = startProgram(root, {
      BACKEND_CLI_PATH: '/nowhere/claude',
      CONFIG_DIR: join(root, 'config'),
      WORKING_DIR: 'gone',
      HTTP_PORT: 'x',
    });
    expect(await exitCode(run)).toBe(1);
    for (const part of [
      '/nowhere/claude',
      'cron.md',
      'every day',
      'hooks.json',
      'massage',
      'WORKING_DIR',
      'HTTP_PORT',
    ])
      expect(run.err).toContain(part);
  });

  it('nothing that is wrong hides anything else: tokens, ids, hooks and the programs that they name', async () => {
    const root = directory();
    mkdirSync(join(root, 'config'));
    const hooks = {
      massage: [],
      message: [{ command: ['./gone.sh'] }, { command: ['./also-gone.sh'], color: 'red' }],
      turn_end: [{ module: './gone.mjs', timeoutMs: 0 }],
    };
    writeFileSync(join(root, 'config', 'hooks.json'), JSON.stringify(hooks));
    const run = startProgram(root, {
      BACKEND_CLI_PATH: demoAgent,
      CONFIG_DIR: join(root, 'config'),
      HTTP_TOKEN: 'no token at all',
      OUTPUT_CHANNEL_ID: 'no/channel',
      BACKEND_MODEL: '--mcp-config=/x',
      HTTP_PORT: 'x',
    });
    expect(await exitCode(run)).toBe(1);
    for (const part of [
      /- HTTP_PORT="x" in the environment: expected/,
      /- HTTP_TOKEN in the environment: .*visible ASCII/,
      /- OUTPUT_CHANNEL_ID="no\/channel" in the environment: .*characters A-Z/,
      /- BACKEND_MODEL="--mcp-config=\/x" in the environment: .*begin/,
      /- hooks\.json: unknown key "massage"/,
      /- hooks\.json: message\.1: unknown key "color"/,
      /- hooks\.json: turn_end\.0\.timeoutMs: expected at least 1 ms/,
      /- hooks\.json: message\.0: .*config\/gone\.sh was not found/,
      /- hooks\.json: message\.1: .*config\/also-gone\.sh was not found/,
      /- hooks\.json: turn_end\.0: .*config\/gone\.mjs was not found/,
    ])
      expect(run.err).toMatch(part);
    expect(run.err).not.toContain('no token at all');
  });

  it('a CONFIG_DIR that is a file, a token file that holds none: both at once', async () => {
    const root = directory();
    mkdirSync(join(root, '.turnout'));
    writeFileSync(join(root, '.turnout', 'http-token'), 'no token\n', { mode: 0o600 });
    writeFileSync(join(root, 'config'), '');
    const run = startProgram(root, { BACKEND_CLI_PATH: demoAgent, CONFIG_DIR: join(root, 'config') });
    expect(await exitCode(run)).toBe(1);
    expect(run.err).toMatch(/- CONFIG_DIR=.*config: this is no directory/);
    expect(run.err).toMatch(/- .*http-token is no token: .*\n.*delete it/);
  });

  it('a CONFIG_DIR that is not there: it starts, and says that nothing is read', async () => {
    const env = { BACKEND_CLI_PATH: demoAgent, CONFIG_DIR: '/nowhere/confg' };
    const run = startProgram(directory(), env);
    await url(run);
    expect(run.err).toMatch(/"warn".*CONFIG_DIR=.*confg: there is no such directory/);
    run.child.kill('SIGTERM');
    expect(await exitCode(run)).toBe(0);
  });

  it('runs with no token of any kind, and keeps the one that it makes to itself', async () => {
    const root = directory();
    const run = startProgram(root, {}, ['--demo']);
    const at = await url(run);
    const file = join(root, '.turnout', 'demo', 'http-token');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const token = readFileSync(file, 'utf8').trim();
    expect(run.out + run.err).not.toContain(token);
    expect((await fetch(`${at}/v1/permissions`)).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${at}/v1/permissions`, { headers })).status).toBe(200);
    run.child.kill('SIGTERM');
    expect(await exitCode(run)).toBe(0);
    const again = startProgram(root, {}, ['--demo']);
    expect((await fetch(`${await url(again)}/v1/permissions`, { headers })).status).toBe(200);
    again.child.kill('SIGTERM');
    expect(await exitCode(again)).toBe(0);
  });

  it('a second one on the same directory is refused; after kill -9 the lock is free', async () => {
    const root = directory();
    const first = startProgram(root, {}, ['--demo']);
    await url(first);
    const second = startProgram(root, {}, ['--demo']);
    expect(await exitCode(second)).toBe(1);
    expect(second.err).toContain(String(first.child.pid));
    first.child.kill('SIGKILL');
    await exitCode(first);
    const third = startProgram(root, {}, ['--demo']);
    await url(third);
    third.child.kill('SIGTERM');
    expect(await exitCode(third)).toBe(0);
  });

  it('kill -9 mid-turn: the orphan is ended at the next start, and the message is answered once', async () => {
    const root = directory();
    const env = { BACKEND_CLI_PATH: demoAgent, HTTP_TOKEN: 'a-token-for-the-tests' };
    const first = startProgram(root, env);
    const headers = { authorization: 'Bearer a-token-for-the-tests', 'content-type': 'application/json' };
    const post = async (at: string, text: string) => {
      const response = await fetch(`${at}/v1/channels/a/messages`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ text }),
      });
      return ((await response.json()) as { eventId: string }).eventId;
    };
    const event = async (at: string, id: string) =>
      (await (await fetch(`${at}/v1/events/${id}?wait=20`, { headers })).json()) as Record<string, unknown>;
    const at = await url(first);
    const id = await post(at, 'wait 20 seconds');
    await eventually(async () => {
      const look = await fetch(`${at}/v1/events/${id}`, { headers });
      return ((await look.json()) as { state: string }).state === 'running';
    });
    first.child.kill('SIGKILL');
    await exitCode(first);
    const second = startProgram(root, { ...env, TURNOUT_DEMO_SPEED: '100' });
    const there = await url(second);
    expect(await event(there, id)).toMatchObject({ state: 'answered', attempts: 1 });
    const page = await fetch(`${there}/v1/channels/a/messages`, { headers });
    const { messages } = (await page.json()) as { messages: { role: string }[] };
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    second.child.kill('SIGTERM');
    expect(await exitCode(second)).toBe(0);
    expect(existsSync(join(root, '.turnout', 'turnout.db'))).toBe(true);
  });

  it('a port that is taken: which, and what to do; exit code 1, and nothing is left locked', async () => {
    const root = directory();
    const first = startProgram(root, {}, ['--demo']);
    const { port } = new URL(await url(first));
    const other = directory();
    const second = startProgram(other, { HTTP_PORT: port }, ['--demo']);
    expect(await exitCode(second)).toBe(1);
    expect(second.err).toContain(port);
    const third = startProgram(other, {}, ['--demo']);
    await url(third);
    for (const run of [first, third]) {
      run.child.kill('SIGTERM');
      expect(await exitCode(run)).toBe(0);
    }
  });

  it('SIGTERM during the start-up: it stops in order, whatever a hook has left behind', async () => {
    const root = directory();
    mkdirSync(join(root, 'config'));
    const hooks = { startup: [{ module: './startup.mjs' }] };
    writeFileSync(join(root, 'config', 'hooks.json'), JSON.stringify(hooks));
    writeFileSync(
      join(root, 'config', 'startup.mjs'),
      `setInterval(() => {}, 1000);
      export default () => new Promise((resolve) => {
        console.error('the hook runs');
        Promise.reject(new Error('forgotten by the hook'));
        setTimeout(resolve, 500);
      });`,
    );
    const run = startProgram(root, { BACKEND_CLI_PATH: demoAgent, CONFIG_DIR: join(root, 'config') });
    await eventually(() => run.err.includes('the hook runs'));
    run.child.kill('SIGTERM');
    expect(await exitCode(run)).toBe(0);
    expect(run.err).toContain('gateway stopped');
    expect(run.err).toContain('forgotten by the hook');
  });

  it('two signals in a row are one: npm hands on what its process group has got', async () => {
    const run = await startTurn('wait 20 seconds');
    run.child.kill('SIGINT');
    await sleep(100);
    run.child.kill('SIGINT');
    expect(await exitCode(run)).toBe(0);
    expect(run.err).toMatch(/"turn ended".*"state":"answered"/);
  });

  it('a signal that comes later does not wait for the running turns', async () => {
    const run = await startTurn('wait 3000 seconds');
    run.child.kill('SIGTERM');
    await sleep(1200);
    run.child.kill('SIGTERM');
    expect(await exitCode(run)).toBe(0);
    expect(run.err).toMatch(/"turn ended".*"state":"postponed"/);
  });

  it('SIGHUP, because its terminal is gone: running turns end as after SIGTERM [fault 13.10: SIGHUP leaves agents of the gateway]', async () => {
    const run = await startTurn('wait 5 seconds');
    run.child.kill('SIGHUP');
    expect(await exitCode(run)).toBe(0);
    expect(run.err).toMatch(/"turn ended".*"state":"answered"/);
  });

  it('SIGQUIT: nothing is waited for [fault 13.10: SIGQUIT leaves agents of the gateway]', async () => {
    const run = await startTurn('wait 3000 seconds');
    run.child.kill('SIGQUIT');
    expect(await exitCode(run)).toBe(0);
    expect(run.err).toMatch(/"turn ended".*"state":"postponed"/);
  });

  it('goes on when nobody reads its log any more', async () => {
    const root = directory();
    const run = startProgram(root, { HTTP_TOKEN: 'a-token-for-the-tests' }, ['--demo']);
    const at = await url(run);
    run.child.stderr?.destroy();
    const headers = { authorization: 'Bearer a-token-for-the-tests' };
    const post = (text: string) =>
      fetch(`${at}/v1/channels/a/messages`, { method: 'POST', headers, body: JSON.stringify({ text }) });
    // Each of these is worth a line in the log.
    for (const text of ['fail with 401', 'fail with 401', 'hello']) {
      const { eventId } = (await (await post(text)).json()) as { eventId: string };
      await fetch(`${at}/v1/events/${eventId}?wait=20`, { headers });
    }
    run.child.kill('SIGTERM');
    expect(await exitCode(run)).toBe(0);
  });

  it('the agent gets none of the gateway’s secrets', async () => {
    const root = directory();
    const spy = join(root, 'spy.sh');
    writeFileSync(
      spy,
      `#!/bin/sh\nenv > ${join(root, 'environment')}\nexec ${process.execPath} ${demoAgent} "$@"\n`,
      {
        mode: 0o755,
      },
    );
    const secrets = {
      HTTP_TOKEN: 'http-secret-http-secret',
      DISCORD_BOT_TOKEN: 'discord-secret',
      DATABASE_URL: 'postgres://secret',
    };
    const run = startProgram(root, {
      ...secrets,
      DISCORD_API_URL: 'http://127.0.0.1:9/api',
      BACKEND_CLI_PATH: spy,
      OWN_SETTING: 'kept',
    });
    const at = await url(run);
    const headers = { authorization: `Bearer ${secrets.HTTP_TOKEN}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ text: 'hello' });
    await fetch(`${at}/v1/channels/a/messages`, { method: 'POST', headers, body });
    await eventually(() => existsSync(join(root, 'environment')));
    run.child.kill('SIGTERM');
    expect(await exitCode(run)).toBe(0);
    const environment = readFileSync(join(root, 'environment'), 'utf8');
    expect(environment).toContain('OWN_SETTING=kept');
    for (const secret of Object.values(secrets)) expect(environment).not.toContain(secret);
    expect(run.err).not.toContain(secrets.HTTP_TOKEN);
  });
});
