import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listed, revert, setUpChanges } from './stage.js';

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
});
