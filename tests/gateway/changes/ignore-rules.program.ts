import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isOwn } from '../../../src/gateway/changes/own-entries.js';
import { type ChangesStage, listed, setUpChanges, userGit } from './stage.js';

const kinds: Record<string, (path: string) => Promise<void> | void> = {
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a socket': async (path) => {
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(path, resolve));
  },
  'a directory': (path) => void mkdirSync(path),
  'a link to a pipe': (path) => {
    execFileSync('mkfifo', [`${path}-target`]);
    symlinkSync(`${path}-target`, path);
  },
};

describe('a file that git reads by itself', () => {
  it.each(Object.entries(kinds))(
    'may be %s: nothing waits for it, and all is shown (16.4)',
    async (_, make) => {
      const stage = setUpChanges();
      userGit(stage.work, 'init', '-q');
      rmSync(join(stage.work, '.git/info/exclude'), { force: true });
      stage.write('a/changed.txt', '1\n');
      stage.write('a/gone.txt', '1\n');
      await stage.turn(() => undefined);
      const names = ['.gitignore', '.gitattributes', '.gitmodules', '.mailmap', '.git/info/exclude'];
      for (const name of [...names, 'a/.gitignore', 'a/.gitattributes', 'a/b/.git', 'a/b/.gitattributes']) {
        mkdirSync(join(stage.work, name, '..'), { recursive: true });
        await make(join(stage.work, name));
      }
      await stage.turn(() => {
        stage.write('a/changed.txt', '2\n');
        rmSync(join(stage.work, 'a/gone.txt'));
        stage.write('a/b/new.sh', 'x\n', 0o755);
        stage.write('top.txt', 'x\n');
        symlinkSync('x', join(stage.work, 'a/link'));
      });
      const shown = [
        'modified a/changed.txt',
        'added a/b/new.sh',
        'deleted a/gone.txt',
        'added a/link',
        'added top.txt',
      ];
      expect((await listed(stage)).sort()).toEqual(shown.sort());
      expect(stage.log).toEqual([]);
      await stage.turn(() => stage.write('a/changed.txt', '3\n'));
      const { files } = await stage.changes.list('c', 'turn');
      expect(files).toMatchObject([{ path: 'a/changed.txt', status: 'modified' }]);
      expect(files[0]?.diff).toContain('-2\n+3\n');
    },
  );
});

describe('a repository inside the work tree', () => {
  it('may have a pipe in the place of its files: that is found, and its other files are shown (16.4)', async () => {
    const stage = setUpChanges();
    for (const name of ['HEAD', 'commondir']) {
      for (const folder of ['objects', 'refs'])
        mkdirSync(join(stage.work, name, '.git', folder), { recursive: true });
      stage.write(`${name}/.git/HEAD`, 'ref: refs/heads/main\n');
      rmSync(join(stage.work, name, '.git', name), { force: true });
      execFileSync('mkfifo', [join(stage.work, name, '.git', name)]);
    }
    expect(await stage.snapshots.begin(stage.work).before).toBeDefined();
    await stage.turn(() => stage.write('HEAD/a.txt', 'x\n'));
    expect(await listed(stage)).toEqual(['added HEAD/a.txt']);
    expect(stage.log).toEqual([]);
  });
});

/** Files and ignore rules of all kinds, at all depths. */
function writeRules(stage: ChangesStage): void {
  stage.write(
    '.gitignore',
    '\u{feff}*.log\r\n!keep.log\n# no rule\n\\#hash\n/only-top\nbuild/\ndocs/**/x\n\nspace \n',
  );
  stage.write('a/.gitignore', 'secret\n/top\nin/side\ndeep/*.o\n!a.log\nsub/\n*.tmp\n\\!bang\nlast\\ ');
  stage.write('a/b/.gitignore', '*\n!.gitignore\n!kept*\n');
  stage.write('a*[x]/.gitignore', 'odd\n');
  stage.write('cache/.gitignore', '*\n');
  stage.write('new\nline/.gitignore', 'odd\n');
  for (const folder of [
    '',
    'a/',
    'a/deep/',
    'a/b/',
    'a/b/c/',
    'docs/one/two/',
    'a*[x]/',
    'aax/',
    'new\nline/',
    'cache/',
  ])
    for (const name of [
      'a.log',
      'keep.log',
      '#hash',
      'only-top',
      'build/x',
      'x',
      'space',
      'secret',
      'top',
      'in/side',
    ])
      stage.write(`${folder}${name}`, 'x');
  for (const folder of ['a/', 'a/deep/', 'a/b/', 'a/b/c/', 'aax/', 'a*[x]/', 'new\nline/'])
    for (const name of ['m.o', 'sub/x', 'x.tmp', '!bang', 'last ', 'kept/x', 'odd'])
      stage.write(`${folder}${name}`, 'x');
}

describe('ignore rules', () => {
  it.each(['', 'a'])('are those of git, in %j of a repository (16.4)', async (within) => {
    const stage = setUpChanges();
    userGit(stage.work, 'init', '-q');
    writeRules(stage);
    writeFileSync(join(stage.work, '.git/info/exclude'), 'aax/x.tmp\n!secret\n');
    const cwd = join(stage.work, within);
    const expected = userGit(cwd, 'ls-files', '-z', '--others', '--exclude-standard')
      .split('\0')
      .slice(0, -1);
    const tree = await stage.snapshots.begin(cwd).before;
    const git = stage.snapshots.shadow(cwd);
    const names = (await git.git(['ls-tree', '-r', '-z', '--name-only', tree ?? ''])).toString().split('\0');
    const listedNames = names.slice(0, -1).filter((name) => !isOwn(name));
    expect(listedNames.sort()).toEqual(expected.sort());
    expect(expected.length).toBeGreaterThan(15);
  });

  it.each([
    ['.gitignore', '.gitignore', '*\n'],
    ['an ignore file of a folder', 'src/.gitignore', 'evil.sh\n.gitignore\n'],
    ['the excludes of the repository', '.git/info/exclude', 'evil.sh\n'],
  ])('that a turn writes hide nothing from it: %s (16.4)', async (_, file, rules) => {
    const stage = setUpChanges();
    userGit(stage.work, 'init', '-q');
    stage.write('.gitignore', 'ignored\n');
    await stage.turn(() => {
      stage.write('src/evil.sh', 'x\n');
      stage.write('src/ignored', 'x\n');
      stage.write(file, rules);
    });
    expect(await listed(stage)).toContain('added src/evil.sh');
    expect(await listed(stage)).not.toContain('added src/ignored');
    // From then on the rules count.
    await stage.turn(() => stage.write('src/deeper/evil.sh', 'x\n'));
    expect(await listed(stage)).toEqual([]);
    expect(await listed(stage, 'conversation')).toContain('added src/evil.sh');
    await stage.changes.revert('c', { scope: 'conversation', path: 'src/evil.sh', force: false });
    expect(await listed(stage, 'conversation')).not.toContain('added src/evil.sh');
  });

  it('of a repository that a turn makes hide nothing from it; where they hide very many files, that is told (16.4)', async () => {
    const stage = setUpChanges();
    await stage.turn(() => {
      userGit(stage.work, 'init', '-q');
      mkdirSync(join(stage.work, 'inner'));
      userGit(join(stage.work, 'inner'), 'init', '-q');
      stage.write('.gitignore', 'inner/\n');
      stage.write('inner/evil.sh', 'x\n');
    });
    expect((await listed(stage)).sort()).toEqual([
      'added .git/config',
      'added .git/info/exclude',
      'added .gitignore',
      'added inner/evil.sh',
    ]);
    await stage.turn(() => {
      stage.write('.gitignore', 'out/\n');
      for (let at = 0; at < 1010; at += 1) stage.write(`out/${at}`, 'x\n');
    });
    const { files, reason } = await stage.changes.list('c', 'turn');
    expect(reason).toMatch(/^10 new files are not shown: ignore rules/);
    expect(files).toHaveLength(1002);
  });

  it('are known to another gateway, and followed when they go (16.4)', async () => {
    const stage = setUpChanges();
    stage.write('a/.gitignore', '*.o\n');
    stage.write('b/.gitignore', '*\n');
    await stage.turn(() => stage.write('a/x.o', 'x\n'));
    expect(await listed(stage)).toEqual([]);
    const again = setUpChanges({ home: stage.home });
    const next = again.snapshots.begin(stage.work);
    expect(await next.before).toBe(stage.turns[0]?.changes?.after);
    for (const folder of ['a', 'b']) rmSync(join(stage.work, folder, '.gitignore'));
    stage.write('b/y', 'y\n');
    stage.turns.push({ turnId: 'n', cwd: stage.work, usedTools: true, changes: await next.end() });
    expect(await listed(stage)).toEqual(['deleted a/.gitignore', 'added a/x.o', 'added b/y']);
  });
});
