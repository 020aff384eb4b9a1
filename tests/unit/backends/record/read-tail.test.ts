import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OpenCodeBackend } from '../../../../src/backends/opencode-backend.js';
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
