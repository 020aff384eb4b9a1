import {
  appendFileSync,
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FileGuard } from '../../../../src/store/sqlite/file-guard.js';
import { openDatabase } from '../../../../src/store/sqlite/open-database.js';
import { directoryWith } from '../../gateway/temporary-directory.js';

async function setUp() {
  const file = join(await directoryWith(), 'turnout.db');
  const db = await openDatabase(file);
  db.exec('CREATE TABLE filler (id INTEGER PRIMARY KEY, text TEXT)');
  const guard = new FileGuard(file);
  onTestFinished(() => {
    db.close();
    guard.close();
  });
  return {
    ...{ file, db, guard },
    fill: (rows: number) => {
      for (let row = 0; row < rows; row++) db.run('INSERT INTO filler (text) VALUES (?)', 'x'.repeat(3000));
    },
    checkpoint: (how: 'PASSIVE' | 'TRUNCATE') => db.exec(`PRAGMA wal_checkpoint(${how})`),
  };
}

describe('the files of an open database', () => {
  it('are as SQLite left them, whatever it and other processes have done to them', async () => {
    const { file, db, guard, fill, checkpoint } = await setUp();
    const steps: readonly (() => unknown)[] = [
      () => fill(20),
      () => checkpoint('PASSIVE'),
      () => fill(1),
      () => checkpoint('TRUNCATE'),
      () => fill(50),
      () => db.run('DELETE FROM filler WHERE id > 2'),
      () => db.exec('PRAGMA incremental_vacuum'),
      () => checkpoint('TRUNCATE'),
      () => fill(5),
      async () => {
        // A reader keeps a checkpoint from moving all.
        const reader = await openDatabase(file, { readOnly: true });
        reader.exec('BEGIN');
        reader.get('SELECT count(*) FROM filler');
        fill(9);
        checkpoint('PASSIVE');
        expect(guard.check()).toBeUndefined();
        reader.close();
      },
      async () => {
        const guest = await openDatabase(file);
        guest.run('INSERT INTO filler (text) VALUES (1)');
        guest.close();
      },
      () => fill(3),
      () => db.exec('VACUUM'),
      () => checkpoint('TRUNCATE'),
    ];
    for (const step of steps) {
      await step();
      expect(guard.check(), String(step)).toBeUndefined();
    }
  });

  it.each(['turnout.db', 'turnout.db-wal', 'turnout.db-shm'])(
    'know that %s was removed, or replaced by a copy, and that it is back',
    async (name) => {
      const { file, guard, fill } = await setUp();
      fill(5);
      const path = join(file, '..', name);
      const aside = `${path}.aside`;
      renameSync(path, aside);
      expect(guard.check()).toEqual({ file: name, fate: 'removed' });
      copyFileSync(aside, path);
      expect(guard.check()).toEqual({ file: name, fate: 'replaced' });
      renameSync(aside, path);
      expect(guard.check()).toBeUndefined();
      rmSync(path);
      expect(guard.check()).toEqual({ file: name, fate: 'removed' });
    },
  );

  it.each([0, 1, 0.5])(
    'know that the log was truncated, also after more was written behind its end (%d of it left)',
    async (share) => {
      const { file, guard, fill } = await setUp();
      fill(30);
      const { length } = readFileSync(`${file}-wal`);
      truncateSync(`${file}-wal`, share === 1 ? length - 1 : Math.floor(length * share));
      const truncated = { file: 'turnout.db-wal', fate: 'truncated' };
      expect(guard.check()).toEqual(truncated);
      if (share === 0) {
        fill(1);
        expect(guard.check()).toEqual(truncated);
      }
    },
  );

  it('know that another log was written over theirs', async () => {
    const { file, guard, fill } = await setUp();
    fill(3);
    const log = readFileSync(`${file}-wal`);
    writeFileSync(`${file}-wal`, log.fill(7, 16, 24));
    expect(guard.check()).toEqual({ file: 'turnout.db-wal', fate: 'replaced' });
  });

  it('do with a log that holds nothing that the database lacks', async () => {
    const { file, guard, fill, checkpoint } = await setUp();
    fill(3);
    checkpoint('PASSIVE');
    truncateSync(`${file}-wal`, 0);
    expect(guard.check()).toBeUndefined();
    fill(3);
    expect(guard.check()).toBeUndefined();
  });

  it.each([0, 50, 8192])('know that the database was truncated to %d bytes', async (bytes) => {
    const { file, guard, fill, checkpoint } = await setUp();
    fill(30);
    checkpoint('PASSIVE');
    fill(30);
    expect(guard.check()).toBeUndefined();
    truncateSync(file, bytes);
    expect(guard.check()).toEqual({ file: 'turnout.db', fate: 'truncated' });
  });

  it('know that an older copy, or something else, was written over the database', async () => {
    const { file, guard, fill, checkpoint } = await setUp();
    checkpoint('TRUNCATE');
    const older = readFileSync(file);
    fill(30);
    checkpoint('TRUNCATE');
    expect(guard.check()).toBeUndefined();
    const { length } = readFileSync(file);
    writeFileSync(file, older);
    appendFileSync(file, Buffer.alloc(length - older.length));
    expect(guard.check()).toEqual({ file: 'turnout.db', fate: 'replaced' });
    writeFileSync(file, Buffer.alloc(length, 'text'));
    expect(guard.check()).toEqual({ file: 'turnout.db', fate: 'replaced' });
  });
});
