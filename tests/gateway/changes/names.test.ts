import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listed, revert, setUpChanges, userGit } from './stage.js';

describe('files of confusing names', () => {
  it('are themselves, also with a CR at the end: nothing is read through a link or a pipe beside them (16.4)', async () => {
    const stage = setUpChanges();
    const secret = join(dirname(stage.work), 'secret');
    writeFileSync(secret, 'SECRET\n');
    await stage.turn(() => {
      stage.write('notes\r', 'x\n');
      symlinkSync(secret, join(stage.work, 'notes'));
      stage.write('p\r', 'y\n');
      execFileSync('mkfifo', [join(stage.work, 'p')]);
      stage.write('new\nline', 'z\n');
    });
    const { files } = await stage.changes.list('c', 'turn');
    expect(files.map(({ path, diff }) => [path, diff?.split('\n').at(-2)])).toEqual([
      ['new\nline', '+z'],
      ['notes', '\\ No newline at end of file'],
      ['notes\r', '+x'],
      ['p\r', '+y'],
    ]);
    await stage.turn(() => unlinkSync(join(stage.work, 'notes\r')));
    expect(await listed(stage)).toEqual(['deleted notes\r']);
    await revert(stage, 'notes\r');
    expect(readFileSync(join(stage.work, 'notes\r'), 'utf8')).toBe('x\n');
  });

  it('are seen, however much they look like git’s own or like ours (16.4)', async () => {
    const stage = setUpChanges();
    const names = [
      '.GIT/evil.sh',
      'git~1/x',
      'sub/.Git/x',
      '.git ',
      'a/.turnout-looks-inside',
      '.gi\u200ct/x',
    ];
    await stage.turn(() => {
      for (const name of names) stage.write(name, '1\n');
    });
    expect((await listed(stage)).sort()).toEqual(names.map((name) => `added ${name}`).sort());
    await stage.turn(() => {
      for (const name of names.slice(1)) stage.write(name, '2\n');
      unlinkSync(join(stage.work, '.GIT/evil.sh'));
    });
    const { files } = await stage.changes.list('c', 'turn');
    expect(files.map(({ path }) => path).sort()).toEqual([...names].sort());
    const evil = files.find(({ path }) => path === '.GIT/evil.sh');
    expect(evil).toMatchObject({ status: 'deleted', deletions: 1 });
    expect(evil?.diff).toContain('--- a/.GIT/evil.sh\n');
    await revert(stage, '.GIT/evil.sh');
    expect(readFileSync(join(stage.work, '.GIT/evil.sh'), 'utf8')).toBe('1\n');
    await stage.turn(() => undefined);
    expect(await listed(stage)).toEqual([]);
  });

  it('are told apart by what is shown, and the one that is meant is put back (16.4)', async () => {
    const stage = setUpChanges();
    await stage.turn(() => {
      stage.write('"\\377"', 'text\n');
      writeFileSync(Buffer.concat([Buffer.from(`${stage.work}/`), Buffer.from([0xff])]), 'byte\n');
    });
    expect(await listed(stage)).toEqual(['added "\\"\\\\377\\""', 'added "\\377"']);
    await expect(revert(stage, '"\\377"')).rejects.toThrow(/not UTF-8/);
    await revert(stage, '"\\"\\\\377\\""');
    expect(await listed(stage)).toEqual(['added "\\377"']);
  });
});

describe('the files of a repository that hide changes or start programs', () => {
  it('are shown and put back (16.4)', async () => {
    const stage = setUpChanges();
    userGit(stage.work, 'init', '-q');
    await stage.turn(() => undefined);
    expect(await listed(stage)).toEqual([]);
    await stage.turn(() => {
      stage.write('.git/hooks/pre-commit', '#!/bin/sh\nevil\n', 0o755);
      stage.write('.git/info/exclude', '*\n');
      userGit(stage.work, 'config', 'core.hooksPath', 'x');
      stage.write('seen.txt', '1\n');
    });
    expect((await listed(stage)).sort()).toEqual([
      'added .git/hooks/pre-commit',
      'added seen.txt',
      'modified .git/config',
      'modified .git/info/exclude',
    ]);
    await revert(stage, '.git/hooks/pre-commit');
    expect((await listed(stage)).length).toBe(3);
    // They are those of a repository around the directory, too, which is not put back from there.
    const inner = setUpChanges();
    userGit(dirname(inner.work), 'init', '-q');
    await inner.turn(() => writeFileSync(join(dirname(inner.work), '.git/info/exclude'), '*\n'));
    expect(await listed(inner)).toEqual(['modified ../.git/info/exclude']);
    await expect(revert(inner, '../.git/info/exclude')).rejects.toThrow(/outside/);
  });
});
