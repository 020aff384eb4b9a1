import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directory, exitCode, startProgram, url } from './program.js';
import { demoAgent, eventually } from './stage.js';

describe('the files of a running gateway', () => {
  it('removed altogether: a second gateway still does not start, until the first one has stopped (27.13) [fault 27.13: the home removed, then a second gateway]', async () => {
    const root = directory();
    const home = join(root, '.turnout', 'demo');
    const first = startProgram(root, {}, ['--demo']);
    await url(first);
    for (const lost of [join(home, 'gateway.lock'), home]) {
      rmSync(lost, { recursive: true });
      const second = startProgram(root, {}, ['--demo']);
      expect(await exitCode(second)).toBe(1);
      expect(second.err).toContain(`Another gateway (process ${first.child.pid}) is at work in ${home}.`);
    }
    first.child.kill('SIGKILL');
    await exitCode(first);
    const third = startProgram(root, {}, ['--demo']);
    await url(third);
    third.child.kill('SIGTERM');
    expect(await exitCode(third)).toBe(0);
  });

  it.each([
    { names: ['turnout.db'] },
    { names: ['turnout.db-wal'] },
    { names: ['turnout.db', 'turnout.db-wal', 'turnout.db-shm', 'gateway.lock'] },
  ])(
    '$names removed: what was accepted is answered after a restart (27.13) [fault 27.13: the database removed, then a restart]',
    async ({ names }) => {
      const root = directory();
      const home = join(root, '.turnout');
      const headers = { authorization: 'Bearer a-token-for-the-tests' };
      const env = {
        HTTP_TOKEN: 'a-token-for-the-tests',
        BACKEND_CLI_PATH: demoAgent,
        SHUTDOWN_GRACE_MS: '0',
      };
      const call = async (at: string, path: string, text?: string) => {
        const post = text === undefined ? {} : { method: 'POST', body: JSON.stringify({ text }) };
        return (await (await fetch(`${at}${path}`, { headers, ...post })).json()) as Record<string, string>;
      };
      const first = startProgram(root, env);
      const at = await url(first);
      const running = await call(at, '/v1/channels/a/messages', 'wait 500 seconds');
      await eventually(
        async () => (await call(at, `/v1/events/${running['eventId']}`))['state'] === 'running',
      );
      const waiting = await call(at, '/v1/channels/a/messages', 'say exactly: waited');
      for (const name of names) rmSync(join(home, name));
      await eventually(async () => (await fetch(`${at}/readyz`)).status === 503);
      first.child.kill('SIGTERM');
      expect(await exitCode(first)).toBe(0);
      expect(statSync(join(home, 'turnout.db')).mode & 0o777).toBe(0o600);
      const second = startProgram(root, { ...env, TURNOUT_DEMO_SPEED: '1000' });
      const there = await url(second);
      expect(await call(there, `/v1/events/${running['eventId']}?wait=50`)).toMatchObject({
        state: 'answered',
      });
      expect(await call(there, `/v1/events/${waiting['eventId']}?wait=50`)).toMatchObject({
        ...{ state: 'answered', responseText: 'waited' },
      });
      expect((await fetch(`${there}/readyz`)).status).toBe(200);
      second.child.kill('SIGTERM');
      expect(await exitCode(second)).toBe(0);
    },
  );
});
