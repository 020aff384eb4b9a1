import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSqlite } from '../../../../src/sqlite/load-sqlite.js';
import { migrate } from '../../../../src/store/sqlite/migrate.js';
import { migrations } from '../../../../src/store/sqlite/migrations.js';
import { openDatabase } from '../../../../src/store/sqlite/open-database.js';
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';

const Sqlite = await loadSqlite();
let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'turnout-store-'));
  file = join(directory, 'home', 'turnout.db');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('opening the database', () => {
  it('makes it for its owner only', async () => {
    const store = await openSqliteStore(file);
    await store.saveRun('x', 1);
    expect(await modeOf(join(directory, 'home'))).toBe('700');
    for (const path of [file, `${file}-wal`, `${file}-shm`]) expect(await modeOf(path)).toBe('600');
    await store.close();
  });

  it('is as careful as it can be', async () => {
    const db = await openDatabase(file);
    const pragma = (name: string) =>
      Object.values(db.get<Record<string, unknown>>(`PRAGMA ${name}`) ?? {})[0];
    expect(['journal_mode', 'synchronous', 'foreign_keys', 'auto_vacuum'].map(pragma)).toEqual([
      'wal',
      2,
      1,
      2,
    ]);
    expect(pragma('busy_timeout')).toBeLessThanOrEqual(100);
    expect(pragma('user_version')).toBe(migrations.length);
    db.close();
  });

  it('goes through the steps that a file has not been through, all or none', async () => {
    const db = await openDatabase(file);
    const steps = [...migrations, 'CREATE TABLE more (x INTEGER)'];
    expect(() => migrate(db, [...steps, 'CREATE TABLE more (x INTEGER)'])).toThrow(/already exists/);
    expect(db.get('PRAGMA user_version')).toEqual({ user_version: migrations.length });
    migrate(db, steps);
    migrate(db, steps);
    expect(db.get('PRAGMA user_version')).toEqual({ user_version: steps.length });
    expect(db.all('SELECT * FROM more')).toEqual([]);
    db.close();
  });

  it('brings a file of the first version up to date, with what is in it', async () => {
    await mkdir(join(directory, 'home'));
    const old = new Sqlite(file);
    old.exec(`${migrations[0]}; PRAGMA user_version = 1;
      INSERT INTO channels (name, served) VALUES ('c', 1);
      INSERT INTO events (id, channel, source, kind, message_id, text, state, created_at, ended_at)
        VALUES ('evt_1', 'c', 'http', 'prompt', 'm', 'hello', 'answered', 1, 2)`);
    old.close();
    const store = await openSqliteStore(file);
    expect(await store.event('evt_1')).toMatchObject({ text: 'hello' });
    await store.prune({ before: 10, keysBefore: 0 });
    expect(await store.eventOf('http', 'c', 'm')).toMatchObject({ id: 'evt_1', removed: true });
    await store.close();
  });

  it('is opened by several at once', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => openSqliteStore(file)));
    for (const store of stores) await store.saveRun('x', 1);
    for (const store of stores) await store.close();
  });

  it('refuses a file of a newer version, and says what to do', async () => {
    const db = await openDatabase(file);
    db.exec(`PRAGMA user_version = ${migrations.length + 1}`);
    db.close();
    for (const readOnly of [false, true]) {
      await expect(openSqliteStore(file, { readOnly })).rejects.toThrow(/newer Turnout.*TURNOUT_HOME/);
    }
  });

  it('refuses what is no database, and leaves it as it is', async () => {
    await openSqliteStore(file).then((store) => store.close());
    const text = 'something else '.repeat(1000);
    await writeFile(file, text);
    await expect(openSqliteStore(file)).rejects.toMatchObject({ fault: 'corrupt' });
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it('reports a damaged file', async () => {
    const store = await openSqliteStore(file);
    await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        store.accept(
          { channel: `c${i}`, source: 'x', kind: 'prompt', text: 'x'.repeat(500), at: 1 },
          { maxWaiting: 999 },
        ),
      ),
    );
    await store.close();
    const bytes = await readFile(file);
    await writeFile(file, bytes.fill(0xa5, 8192));
    await expect(openSqliteStore(file)).rejects.toMatchObject({ fault: 'corrupt' });
  });

  it('reports damage that is found later as damage, whichever way it is read', async () => {
    const store = await openSqliteStore(file);
    await Promise.all(
      Array.from({ length: 400 }, (_, i) =>
        store.accept(
          { channel: `c${i}`, source: 'x', kind: 'prompt', text: 'x'.repeat(500), at: 1 },
          { maxWaiting: 999 },
        ),
      ),
    );
    await store.close();
    const root = 'SELECT rootpage FROM sqlite_schema WHERE name = ?';
    const db = await openDatabase(file);
    const pages = ['messages_channel', 'channels', 'messages'].map(
      (name) => db.get<{ rootpage: number }>(root, name)?.rootpage ?? 0,
    );
    db.close();
    const bytes = await readFile(file);
    for (const page of pages) bytes.fill(0xa5, (page - 1) * 4096, page * 4096);
    await writeFile(file, bytes);
    const damaged = await openSqliteStore(file);
    // By `all()`, and by `get()`.
    await expect(damaged.channels()).rejects.toMatchObject({ fault: 'corrupt' });
    await expect(damaged.channel('c1')).rejects.toMatchObject({ fault: 'corrupt' });
    await damaged.close();
  });

  it('waits for one who holds it, but not for ever', async () => {
    await mkdir(join(directory, 'home'));
    const holder = new Sqlite(file);
    holder.exec('BEGIN EXCLUSIVE');
    await expect(openSqliteStore(file, { lockTimeoutMs: 100 })).rejects.toMatchObject({ fault: 'locked' });
    const opening = openSqliteStore(file, { lockTimeoutMs: 5000 });
    holder.close();
    await (await opening).close();
  });
});

describe('opening it to read', () => {
  it('sees what is there, while it grows, and changes nothing', async () => {
    const writer = await openSqliteStore(file);
    const reader = await openSqliteStore(file, { readOnly: true });
    await writer.saveRun('x', 1);
    expect(await reader.lastRun('x')).toBe(1);
    await expect(reader.saveRun('x', 2)).rejects.toMatchObject({ fault: 'read_only' });
    await reader.close();
    await writer.close();
  });

  it('makes no file', async () => {
    await expect(openSqliteStore(file, { readOnly: true })).rejects.toMatchObject({ name: 'StoreError' });
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it('says how an old file is brought up to date', async () => {
    const db = await openDatabase(file);
    db.exec('PRAGMA user_version = 0');
    db.close();
    await expect(openSqliteStore(file, { readOnly: true })).rejects.toThrow(/Start the gateway once/);
  });
});
