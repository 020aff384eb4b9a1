import { copyFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildOnce, turnout } from '../unit/cli/turnout.js';
import { type Client, setUpGateway } from './stage.js';

const readiness = (client: Client) => client.call('/readyz').then(String, String);

/** What a person's `turnout` says about the gateway. */
function ask({ gateway }: Client, home: string, args: readonly string[]) {
  const { host, port } = gateway.address;
  const env = { PATH: '/usr/bin:/bin', HOME: home, HTTP_TOKEN: 'a-token-for-the-tests' };
  return turnout({ workingDir: home, env }, [...args, '--url', `http://${host}:${port}`]);
}

beforeAll(buildOnce);

describe('a file of a running gateway', () => {
  const harms: readonly { file: string; fate: string; harm: (path: string) => void }[] = [
    ...['turnout.db', 'turnout.db-wal', 'gateway.lock'].flatMap((file) => [
      { file, fate: 'removed', harm: (path: string) => rmSync(path) },
      {
        file,
        fate: 'replaced',
        harm: (path: string) => {
          copyFileSync(path, `${path}.copy`);
          renameSync(`${path}.copy`, path);
        },
      },
    ]),
    ...['turnout.db', 'turnout.db-wal'].map((file) => ({
      file,
      fate: 'truncated',
      harm: (path: string) => truncateSync(path, 0),
    })),
  ];

  it.each(harms)(
    '$file $fate: the idle gateway notices, answers 503 and says why (27.13) [fault 27.13: a file of the store removed, replaced or truncated]',
    async ({ file, fate, harm }) => {
      const stage = setUpGateway();
      const client = await stage.start();
      await client.ask('a', 'hello');
      expect(await client.call('/readyz')).toMatchObject({ ready: true });
      harm(join(stage.home, file));
      await expect.poll(() => readiness(client)).toMatch(/^Error: 503/);
      expect(await readiness(client)).toContain(`${file} was ${fate} while the gateway was running.`);
      expect(await readiness(client)).toMatch(
        fate === 'removed' || file === 'gateway.lock' ? /restart the gateway/i : /restore a backup/,
      );
      await expect(client.post('a', 'again')).rejects.toThrow(
        new RegExp(
          `The message was NOT accepted: the gateway's file ${file} was ${fate}\\. (?!.*Try again later).*(restart the gateway|restore a backup)`,
          'i',
        ),
      );
      const told = stage.log.filter(({ message }) => message === 'the store fails');
      expect(told).toHaveLength(1);
      expect(JSON.stringify(told)).toContain(`${file} was ${fate}`);
    },
  );

  it.each(harms)(
    '$file $fate: `turnout status` says that the gateway is not ready, why and what to do, and a read says no less (27.13)',
    async ({ file, fate, harm }) => {
      const stage = setUpGateway();
      const client = await stage.start();
      await client.ask('a', 'hello');
      harm(join(stage.home, file));
      await expect.poll(() => readiness(client)).toMatch(/^Error: 503/);
      const shown = await ask(client, stage.root, ['status']);
      expect(shown).toMatchObject({ code: 1, stderr: '' });
      expect(shown.stdout).toContain('gateway:  up, but not ready');
      const remedy =
        fate === 'removed' || file === 'gateway.lock' ? /restart the gateway/i : /restore a backup/;
      expect(shown.stdout).toMatch(new RegExp(`problem: .*${file} was ${fate}.*${remedy.source}`, 'i'));
      const printed = await ask(client, stage.root, ['status', '--json']);
      expect(JSON.parse(printed.stdout)).toMatchObject({ running: true, gateway: { ready: false } });
      const read = String(await client.call('/v1/queue').catch(String));
      expect(read).not.toMatch(/Nothing was changed|Try again later/);
      if (fate === 'truncated') {
        expect(read).toContain(`This can't be read now: the gateway's file ${file} was truncated.`);
        expect(read).toMatch(remedy);
        const sent = await ask(client, stage.root, ['send', 'a', 'again', '--wait']);
        expect(sent).toMatchObject({ code: 1, stdout: '' });
        expect(sent.stderr).toMatch(/The message was not sent\. .* was truncated\. .*restore a backup/);
      }
    },
  );

  it('removed a moment ago: nothing is acknowledged any more, and the gateway goes on once the same file is back (27.13)', async () => {
    const stage = setUpGateway();
    const client = await stage.start();
    await client.ask('a', 'hello');
    const path = join(stage.home, 'turnout.db-wal');
    renameSync(path, `${path}.aside`);
    await expect(client.post('a', 'lost')).rejects.toThrow(/503 .*NOT accepted.*turnout\.db-wal was removed/);
    renameSync(`${path}.aside`, path);
    await expect.poll(() => readiness(client)).not.toMatch(/^Error/);
    expect(await client.ask('a', 'say exactly: kept')).toMatchObject({ responseText: 'kept' });
    expect((await client.messages('a')).map(({ text }) => text)).not.toContain('lost');
  });

  it('removed, and a backup put in its place: the backup is left as it is (27.13)', async () => {
    const stage = setUpGateway();
    const first = await stage.start();
    await first.ask('a', 'say exactly: in the backup');
    await first.stop();
    const path = join(stage.home, 'turnout.db');
    copyFileSync(path, `${path}.backup`);
    const client = await stage.start();
    await client.ask('a', 'say exactly: later');
    rmSync(path);
    await expect.poll(() => readiness(client)).toMatch(/^Error: 503/);
    renameSync(`${path}.backup`, path);
    await client.stop();
    const next = await stage.start();
    const texts = (await next.messages('a')).map(({ text }) => text);
    expect(texts).toContain('in the backup');
    expect(texts).not.toContain('later');
  });

  it('its lock removed while a turn runs: the turn ends and is written, and nothing new begins (27.13)', async () => {
    const stage = setUpGateway();
    const client = await stage.start();
    const running = await client.post('a', 'wait 5 seconds');
    await client.until(running, 'running');
    rmSync(join(stage.home, 'gateway.lock'));
    await expect(client.post('b', 'hello')).rejects.toThrow(/503 .*gateway\.lock was removed/);
    expect(await client.ended(running)).toMatchObject({ state: 'answered' });
    await client.stop();
    const next = await stage.start();
    expect(await next.event(running)).toMatchObject({ state: 'answered', attempts: 1 });
    expect(await next.call('/readyz')).toMatchObject({ ready: true });
  });
});
