import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest';
import { asUser, readersGroup } from '../../../src/process/process-user.js';
import { bytePath } from '../../../src/process/work-tree/byte-path.js';
import type { WorkTreeFiles } from '../../../src/process/work-tree-files.js';
import { patience } from '../../machine-speed.js';
import { agentUser, filesOf, workTree } from './agent-user.js';

const read = (files: WorkTreeFiles, tree: string, path: string, more: object = {}) =>
  files.read({
    ...{ tree: bytePath(tree), path: bytePath(path), maxBytes: 1000, followLinks: true },
    ...more,
  });
const textOf = async (...given: Parameters<typeof read>) => {
  const found = await read(...given);
  return found.type === 'file' ? found.content.toString() : found.type;
};

/** The readers that this process has started. */
const childrenOfOurs = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const isReader = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('work-tree/reader.js');
        return (
          isReader &&
          readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === `${process.pid}`
        );
      } catch {
        return false;
      }
    });

/** The same promises hold for a gateway that reads itself, and for one whose agents are another user. */
const readers = {
  'the gateway itself': () => undefined,
  'a child with the rights of AGENT_USER': (test: TestContext) => agentUser(test),
};

describe.each(Object.entries(readers))('a work tree, read by %s', (_, userOf) => {
  function setUp(test: TestContext) {
    const user = userOf(test);
    const tree = workTree(user);
    writeFileSync(join(tree.work, 'a.txt'), 'in the tree\n');
    writeFileSync(join(tree.root, 'outside'), 'a secret\n');
    return { ...tree, files: filesOf(tree.home, user) };
  }

  it('shows files below it, by any name (27.11)', async (test) => {
    const { work, files } = setUp(test);
    expect(await textOf(files, work, 'a.txt')).toBe('in the tree\n');
    expect(await textOf(files, work, join(work, 'a.txt'))).toBe('in the tree\n');
    symlinkSync('a.txt', join(work, 'link'));
    expect(await textOf(files, work, 'link')).toBe('in the tree\n');
    expect(await read(files, work, 'link', { followLinks: false })).toEqual({
      type: 'link',
      target: 'a.txt',
    });
    const name = Buffer.from([0x66, 0xff, 0x0a]);
    writeFileSync(Buffer.concat([Buffer.from(`${work}/`), name]), 'odd\n');
    expect(await read(files, work, '', { path: name.toString('latin1') })).toMatchObject({ type: 'file' });
    expect(await textOf(files, work, 'none')).toBe('missing');
    expect(await textOf(files, work, 'none/of/them')).toBe('missing');
  });

  it('shows nothing that a path or a link outside of it leads to (27.11)', async (test) => {
    const { root, work, files } = setUp(test);
    symlinkSync('../outside', join(work, 'link'));
    symlinkSync(root, join(work, 'up'));
    symlinkSync('up', join(work, 'twice'));
    for (const path of [
      '../outside',
      join(root, 'outside'),
      'link',
      'up/outside',
      'twice/outside',
      '/etc/passwd',
      '../none',
    ])
      expect([path, await textOf(files, work, path)]).toEqual([path, 'outside']);
    mkdirSync(join(work, 'folder'));
    symlinkSync('folder', join(work, 'inside'));
    writeFileSync(join(work, 'folder', 'b'), 'b');
    expect(await textOf(files, work, 'inside/b')).toBe('b');
    expect(await textOf(files, work, 'inside/b', { followLinks: false })).toBe('other');
  });

  it('waits for no pipe, opens no device and reads no directory (27.11)', async (test) => {
    const { work, files } = setUp(test);
    execFileSync('mkfifo', [join(work, 'pipe')]);
    expect(await textOf(files, work, 'pipe')).toBe('other');
    expect(await textOf(files, work, '.')).toBe('other');
    expect(await textOf(files, '/dev', 'null')).toBe('other');
  });

  it('shows nothing of a file that is too large, and tells of a second name (27.11)', async (test) => {
    const { work, files } = setUp(test);
    writeFileSync(join(work, 'large'), Buffer.alloc(1001));
    expect(await read(files, work, 'large')).toMatchObject({ type: 'large', size: 1001 });
    writeFileSync(join(work, 'fits'), Buffer.alloc(1000, 7));
    expect(await read(files, work, 'fits')).toMatchObject({ type: 'file', content: Buffer.alloc(1000, 7) });
    linkSync(join(work, 'fits'), join(work, 'second'));
    expect(await read(files, work, 'fits')).toMatchObject({ names: 2 });
    // It has no size, as it says.
    expect(await read(files, '/proc', `${process.pid}/environ`, { maxBytes: 3 })).not.toMatchObject({
      type: 'file',
    });
  });

  it('never shows what a folder holds that is swapped with a link (27.11)', async (test) => {
    const { root, work, files } = setUp(test);
    const folder = join(work, 'folder');
    mkdirSync(folder);
    writeFileSync(join(folder, 'outside'), 'in the tree\n');
    const seen = new Set<string>();
    const swap = `cd ${work}; ln -s .. out; while :; do mv folder aside; mv out folder; mv folder out; mv aside folder; done`;
    const swapper = spawn('/bin/sh', ['-c', swap], { stdio: 'ignore' });
    onTestFinished(() => void swapper.kill('SIGKILL'));
    for (let round = 0; round < 300; round += 1)
      for (const text of await Promise.all(
        Array.from({ length: 8 }, () => textOf(files, work, 'folder/outside')),
      ))
        seen.add(text);
    expect([...seen]).not.toContain('a secret\n');
    expect(readFileSync(join(root, 'outside'), 'utf8')).toBe('a secret\n');
  });

  it('is told where its links lead, whether or not there is a file (27.11)', async (test) => {
    const { root, work, files } = setUp(test);
    symlinkSync('../new', join(work, 'link'));
    const target = (path: string) => files.target(bytePath(work), bytePath(path));
    expect(await target('link')).toMatchObject({ path: join(root, 'new'), outside: true, isLinked: true });
    expect(await target('a.txt')).toMatchObject({ outside: false, isLinked: false });
    expect(await target('b/c')).toMatchObject({ path: join(work, 'b/c'), outside: false, isLinked: false });
  });
});

describe('a reader with the rights of AGENT_USER', () => {
  it('has none of the gateway’s: neither files nor folders that are closed to that user (27.11)', async (test) => {
    const user = agentUser(test);
    const { work, home } = workTree(user);
    writeFileSync(join(work, 'secret'), 'of root\n', { mode: 0o600 });
    mkdirSync(join(work, 'closed'), { mode: 0o700 });
    writeFileSync(join(work, 'closed', 'in'), 'of root\n', { mode: 0o644 });
    writeFileSync(join(work, 'open'), 'open\n', { mode: 0o644 });
    const files = filesOf(home, user);
    expect(await textOf(files, work, 'secret')).toBe('closed');
    expect(await textOf(files, work, 'closed/in')).toBe('closed');
    expect(await textOf(files, work, 'open')).toBe('open\n');
    expect(await textOf(files, home, 'any')).toBe('closed');
    const [pid = 0] = childrenOfOurs();
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(status).toMatch(new RegExp(`^Uid:(\\s+${user.uid}){4}$`, 'm'));
    expect(status).toMatch(new RegExp(`^Gid:(\\s+${readersGroup}){4}$`, 'm'));
    expect(status).toMatch(new RegExp(`^Groups:\\s(.*\\s)?${user.gid}\\s`, 'm'));
    expect(status).toMatch(/^CapPrm:\s+0+$/m);
    expect(status).toMatch(/^CapEff:\s+0+$/m);
    const { command, args } = asUser(user, '/bin/ls', [`/proc/${pid}/fd`]);
    expect(spawnSync(command, args, { encoding: 'utf8' }).stderr).toMatch(/Permission denied/);
  });

  it('is started again when it was killed, and nobody notices (27.11)', async (test) => {
    const user = agentUser(test);
    const { work, home } = workTree(user);
    writeFileSync(join(work, 'a'), 'a\n');
    const files = filesOf(home, user);
    expect(await textOf(files, work, 'a')).toBe('a\n');
    const [pid = 0] = childrenOfOurs();
    const asked = Promise.all(Array.from({ length: 50 }, () => textOf(files, work, 'a')));
    process.kill(pid, 'SIGKILL');
    expect(new Set(await asked)).toEqual(new Set(['a\n']));
    expect(await textOf(files, work, 'a')).toBe('a\n');
  });

  it('that hangs is ended: what it was asked fails, and the next one answers (27.11)', async (test) => {
    const user = agentUser(test);
    const { work, home } = workTree(user);
    writeFileSync(join(work, 'a'), 'a\n');
    const files = filesOf(home, user, { timeoutMs: 2000 });
    expect(await textOf(files, work, 'a')).toBe('a\n');
    const [pid = 0] = childrenOfOurs();
    process.kill(pid, 'SIGSTOP');
    await expect(textOf(files, work, 'a')).rejects.toThrow('in time');
    await vi.waitFor(async () => expect(await textOf(files, work, 'a')).toBe('a\n'), patience);
    expect(childrenOfOurs()).not.toContain(pid);
  });

  it('that can’t be started fails the request (27.11)', async (test) => {
    const user = agentUser(test);
    const { work, home } = workTree(user);
    const files = filesOf(home, user, { program: '/nonexistent' });
    await expect(textOf(files, work, 'a')).rejects.toThrow('has ended');
  });
});
