import { spawnSync } from 'node:child_process';
import { chownSync, lchownSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OpenCodeBackend } from '../../../../src/backends/opencode-backend.js';
import { readHead } from '../../../../src/backends/record/last-session.js';
import { readTail } from '../../../../src/backends/record/read-tail.js';
import { directoryWith } from '../../gateway/temporary-directory.js';

it('reads no link and no pipe in the place of a record, and does not wait for one [fault 13.8: a hostile session record]', async () => {
  const directory = await directoryWith({ secret: '{"a":1}\n' });
  symlinkSync(join(directory, 'secret'), join(directory, 'link'));
  spawnSync('mkfifo', [join(directory, 'pipe')]);
  await expect(readTail(join(directory, 'link'))).rejects.toThrow();
  await expect(readTail(join(directory, 'pipe'))).rejects.toThrow(/is no file/);
  expect(await readTail(join(directory, 'missing'))).toBeUndefined();
  writeFileSync(join(directory, 'record'), 'one\ntwo\n');
  expect(await readTail(join(directory, 'record'))).toEqual({ lines: ['one', 'two'], fromStart: true });
});

it('follows no link of an agent’s user to the files of another, and people’s own links (27.11)', async (test) => {
  if (process.geteuid?.() !== 0) return test.skip('only root can make files of others');
  const directory = realpathSync(await directoryWith({}));
  const agent = 65_534;
  const made = (name: string, owner: number) => {
    mkdirSync(join(directory, name));
    writeFileSync(join(directory, name, 'record'), `of ${owner}\n`);
    chownSync(join(directory, name, 'record'), owner, owner);
  };
  const link = (name: string, to: string, owner: number) => {
    symlinkSync(to, join(directory, name));
    lchownSync(join(directory, name), owner, owner);
  };
  made('roots', 0);
  made('agents', agent);
  link('root-to-root', 'roots', 0);
  link('root-to-agent', join(directory, 'agents'), 0);
  link('agent-to-agent', './agents', agent);
  link('agent-to-root', 'agents/../roots', agent);
  link('agents/deep', '../roots', agent);
  const read = async (name: string) => {
    const path = join(directory, name, 'record');
    const [tail, head] = await Promise.allSettled([readTail(path), readHead(path, () => true)]);
    const texts = [
      tail.status === 'fulfilled' && tail.value?.lines[0],
      head.status === 'fulfilled' && head.value[0],
    ];
    return texts.map((text) => text || 'refused');
  };
  for (const name of ['roots', 'root-to-root'])
    expect([name, await read(name)]).toEqual([name, ['of 0', 'of 0']]);
  for (const name of ['agents', 'root-to-agent', 'agent-to-agent'])
    expect([name, await read(name)]).toEqual([name, [`of ${agent}`, `of ${agent}`]]);
  for (const name of ['agent-to-root', 'root-to-agent/deep'])
    expect([name, await read(name)]).toEqual([name, ['refused', 'refused']]);
});

it('does not open another user’s database, and does not call such a turn untouched', async () => {
  const user = { name: 'agent', uid: 1234, gid: 1234, home: '/nowhere' };
  const config = {
    cliPath: 'opencode',
    workingDir: '/',
    queryTimeoutMs: 1,
    allowedTools: [],
    maxTurns: 1,
    user,
  };
  const query = { cwd: '/', since: 0, prompt: '', clockSetBack: false };
  expect(await new OpenCodeBackend(config).recordedTools(query)).toMatchObject({ type: 'unknown' });
});
