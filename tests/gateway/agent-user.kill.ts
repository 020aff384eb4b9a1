import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directory, exitCode, startProgram, url } from './program.js';
import { demoAgent, eventually } from './stage.js';

const nobody = 65_534;
const isRoot = process.getuid?.() === 0 && existsSync('/usr/bin/setpriv');
const program = demoAgent.replace('/demo-agent/', '/cli/');

/** A place that the user `nobody` can enter, with a directory of its own to work in. */
function place() {
  const root = directory();
  chmodSync(root, 0o711);
  const work = join(root, 'work');
  mkdirSync(work);
  chownSync(work, nobody, nobody);
  return { root, work, home: join(root, '.turnout') };
}

describe.skipIf(!isRoot)('AGENT_USER', () => {
  it.each(['0', '1'])(
    'runs the CLI as that user, who finds no secret (live: %s) [fault 13.9: agents read secrets]',
    async (live) => {
      const { root, work, home } = place();
      const spy = join(root, 'spy.sh');
      const facts = join(work, 'facts');
      const look = [
        'id -u; id -G; echo "$HOME"',
        'cat /proc/$PPID/environ',
        `cat ${join(home, 'http-token')}`,
        `ls ${home}`,
        // The way to the system prompt is open, though not to those of others.
        'while [ $# -gt 0 ]; do case "$1" in --append-system-prompt-file) cat "$2"; ls -ld "$2"; ls "$(dirname "$2")/.." ;; esac; shift; done',
      ];
      const script = `#!/bin/sh\n( ${look.join('\n')}\n) > ${facts}.part 2>&1\nmv ${facts}.part ${facts}\n`;
      writeFileSync(spy, `${script}exec ${process.execPath} ${demoAgent} "$@"\n`, { mode: 0o755 });
      mkdirSync(join(home, 'config'), { recursive: true, mode: 0o700 });
      writeFileSync(join(home, 'config', 'identity.md'), 'You are the agent of the test.\n');
      writeFileSync(join(home, 'http-token'), 'the-token-of-the-gateway\n', { mode: 0o600 });
      const env = {
        AGENT_USER: 'nobody',
        BACKEND_CLI_PATH: spy,
        BACKEND_LIVE: live,
        DISCORD_BOT_TOKEN: 'the-token-of-discord',
        DISCORD_API_URL: 'http://127.0.0.1:9/api',
        TURNOUT_DEMO_SPEED: '1',
      };
      const run = startProgram(root, env);
      const at = await url(run);
      const headers = {
        authorization: 'Bearer the-token-of-the-gateway',
        'content-type': 'application/json',
      };
      const call = async (path: string, body?: object) => {
        const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
        return (await (await fetch(`${at}${path}`, { ...init, headers })).json()) as Record<string, unknown>;
      };
      const { eventId } = await call('/v1/channels/a/messages', { text: 'wait 100 seconds' });
      await eventually(() => existsSync(facts));
      const seen = readFileSync(facts, 'utf8');
      expect(seen.split('\n').slice(0, 3)).toEqual([`${nobody}`, `${nobody}`, '/nonexistent']);
      expect(seen).not.toMatch(/the-token-of/);
      expect(seen.match(/Permission denied/g)?.length).toBe(live === '0' ? 4 : 3);
      if (live === '0') {
        expect(seen).toContain('You are the agent of the test.');
        expect(seen).toMatch(/-rw------- 1 nobody /);
      }
      // The process of another user can still be ended.
      expect(await call('/v1/channels/a/interrupt', {})).toMatchObject({ interrupted: true });
      expect(await call(`/v1/events/${eventId}?wait=20`)).toMatchObject({ state: 'cancelled' });
      run.child.kill('SIGTERM');
      expect(await exitCode(run)).toBe(0);
      const left = readdirSync(join(tmpdir(), 'turnout-0-agents')).filter((name) =>
        name.includes(`-${run.child.pid}.`),
      );
      expect(left).toEqual([]);
    },
  );

  it('shows nothing that the user can’t read: not in a question, not among the changes (27.11)', async () => {
    const { root, work, home } = place();
    const note = join(work, 'demo-note.txt');
    writeFileSync(note, 'PASSWORD=1\n', { mode: 0o600 });
    const env = {
      AGENT_USER: 'nobody',
      BACKEND_CLI_PATH: demoAgent,
      BACKEND_LIVE: '1',
      PERMISSION_MODE: 'ask',
    };
    const run = startProgram(root, {
      ...env,
      HTTP_TOKEN: 'the-token-of-the-gateway',
      TURNOUT_DEMO_SPEED: '1000',
    });
    const at = await url(run);
    const headers = {
      authorization: 'Bearer the-token-of-the-gateway',
      'content-type': 'application/json',
    };
    const call = async (path: string, body?: object) => {
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      return (await fetch(`${at}${path}`, { ...init, headers })).text();
    };
    const { eventId } = JSON.parse(await call('/v1/channels/a/messages', { text: 'write a note: hello' }));
    await eventually(async () => (await call('/v1/permissions')).includes('+hello'));
    expect(await call('/v1/permissions')).not.toContain('PASSWORD');
    // What it can read is shown: the reader of the program works.
    chmodSync(note, 0o644);
    await eventually(async () => (await call('/v1/permissions')).includes('-PASSWORD=1'));
    chmodSync(note, 0o600);
    chownSync(note, nobody, nobody);
    const [{ id }] = JSON.parse(await call('/v1/permissions')).permissions;
    await call(`/v1/permissions/${id}`, { decision: 'allow' });
    expect(JSON.parse(await call(`/v1/events/${eventId}?wait=50`))).toMatchObject({ state: 'answered' });
    const changes = await call('/v1/channels/a/changes');
    expect(JSON.parse(changes).files).toMatchObject([{ path: 'demo-note.txt', status: 'added' }]);
    expect(changes).toContain('+hello');
    expect(changes).not.toContain('PASSWORD');
    run.child.kill('SIGTERM');
    expect(await exitCode(run)).toBe(0);
    expect(run.err).not.toMatch(/snapshot/);
    expect(existsSync(join(home, 'snapshots'))).toBe(true);
  });

  it('says what keeps it from doing so', async () => {
    const { root, work } = place();
    chownSync(work, 0, 0);
    const locked = startProgram(root, { AGENT_USER: String(nobody), BACKEND_CLI_PATH: demoAgent });
    expect(await exitCode(locked)).toBe(1);
    expect(locked.err).toMatch(/AGENT_USER=nobody: this user can't work in WORKING_DIR/);
    const missing = startProgram(root, { AGENT_USER: 'no-such-user', BACKEND_CLI_PATH: demoAgent });
    expect(await exitCode(missing)).toBe(1);
    expect(missing.err).toContain('AGENT_USER="no-such-user": there is no such user');
    const identity = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--'];
    const weak = spawnSync('setpriv', [...identity, process.execPath, program, 'doctor'], {
      cwd: '/',
      env: { HOME: '/nonexistent', AGENT_USER: 'root' },
      encoding: 'utf8',
    });
    expect(weak.stdout).toMatch(/AGENT_USER="root": this process runs as the user 65534 and may not/);
  });
});
