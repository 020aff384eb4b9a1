import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../../src/store/errors.js';
import type { Database } from '../../../../src/store/sqlite/database.js';
import { GroupCommit } from '../../../../src/store/sqlite/group-commit.js';
import { openDatabase } from '../../../../src/store/sqlite/open-database.js';

let directory: string;
let db: Database;
let commits: GroupCommit;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'turnout-store-'));
  db = await openDatabase(join(directory, 'turnout.db'));
  db.exec('CREATE TABLE numbers (value INTEGER PRIMARY KEY, transaction_number INTEGER)');
  commits = new GroupCommit(db, { maxBatch: 4, lockTimeoutMs: 400 });
});
afterEach(async () => {
  await commits.close();
  await rm(directory, { recursive: true, force: true });
});

const insert = (value: number) => (tx: Database) => {
  tx.run('INSERT INTO numbers (value) VALUES (?)', value);
  return value;
};
const values = () =>
  db.all<{ value: number }>('SELECT value FROM numbers ORDER BY rowid').map(({ value }) => value);
/** The number of commits that a file has seen, as another connection can tell. */
const commitsDuring = async (work: () => Promise<unknown>) => {
  const other = await openDatabase(join(directory, 'turnout.db'));
  const seen = new Set<number>();
  const watch = setInterval(() => seen.add(dataVersion(other)), 0);
  seen.add(dataVersion(other));
  await work();
  seen.add(dataVersion(other));
  clearInterval(watch);
  other.close();
  return seen.size - 1;
};
const dataVersion = (of: Database) =>
  of.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0;

describe('group commit', () => {
  it('puts what is asked for at the same time on disk together, in order', async () => {
    const order: number[] = [];
    const count = await commitsDuring(() =>
      Promise.all([3, 1, 2].map((value) => commits.write(insert(value)).then((done) => order.push(done)))),
    );
    expect(order).toEqual([3, 1, 2]);
    expect(count).toBe(1);
    expect(values()).toEqual([1, 2, 3]);
  });

  it('is visible to another connection when it resolves', async () => {
    const other = await openDatabase(join(directory, 'turnout.db'));
    await commits.write(insert(1));
    expect(other.get('SELECT value FROM numbers')).toEqual({ value: 1 });
    other.close();
  });

  it('takes back only the one that fails', async () => {
    const results = await Promise.allSettled([
      commits.write(insert(1)),
      commits.write((tx) => {
        insert(2)(tx);
        throw new StoreError('lost_lease', 'lost');
      }),
      commits.write((tx) => {
        insert(3)(tx);
        insert(1)(tx);
      }),
      commits.write(insert(4)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { fault: 'lost_lease' } });
    expect(results[2]).toMatchObject({ reason: { name: 'StoreError', fault: 'failed' } });
    expect(values()).toEqual([1, 4]);
  });

  it('takes no more than its limit to disk at once, and lets others run in between', async () => {
    let turns = 0;
    const ticking = setInterval(() => turns++, 0);
    await Promise.all(Array.from({ length: 100 }, (_, value) => commits.write(insert(value))));
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(2);
    expect(values()).toHaveLength(100);
  });

  it('does not let the queue grow for ever', async () => {
    const small = new GroupCommit(db, { maxPending: 2 });
    const results = await Promise.allSettled([1, 2, 3].map((value) => small.write(insert(value))));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(results[2]).toMatchObject({
      reason: { fault: 'io', message: expect.stringContaining('keep up') },
    });
  });
});

describe('what the disk does to it', () => {
  it('survives a full disk', async () => {
    await commits.write(insert(1));
    const { page_count: pages = 0 } = db.get<{ page_count: number }>('PRAGMA page_count') ?? {};
    db.exec(`PRAGMA max_page_count = ${pages + 1}`);
    db.exec('CREATE TABLE IF NOT EXISTS blobs (value TEXT)');
    const big = commits.write((tx) => tx.run('INSERT INTO blobs VALUES (?)', 'x'.repeat(1_000_000)));
    const beside = commits.write(insert(2));
    await expect(big).rejects.toMatchObject({ fault: 'full', retryable: true });
    await expect(beside).rejects.toMatchObject({ fault: 'full', message: expect.stringMatching(/is full/) });
    expect(values()).toEqual([1]);
    db.exec('PRAGMA max_page_count = 100000');
    await commits.write(insert(3));
    expect(values()).toEqual([1, 3]);
  });

  it('waits for a lock without holding up anything else', async () => {
    const other = await openDatabase(join(directory, 'turnout.db'));
    other.exec('BEGIN EXCLUSIVE');
    const write = commits.write(insert(1));
    const start = performance.now();
    let turns = 0;
    // If the write held the loop up, each turn would take as long as it waits for the lock.
    for (; turns <= 3 && performance.now() - start < 4000; turns++)
      await new Promise((resolve) => setTimeout(resolve, 1));
    other.exec('ROLLBACK');
    expect(await write).toBe(1);
    expect(turns).toBeGreaterThan(3);
    other.close();
  });

  it('gives up on a lock in the end, and goes on when it is gone', async () => {
    const other = await openDatabase(join(directory, 'turnout.db'));
    other.exec('BEGIN EXCLUSIVE');
    const writes = await Promise.allSettled([1, 2].map((value) => commits.write(insert(value))));
    expect(writes).toMatchObject([
      { reason: { fault: 'locked', retryable: true } },
      { reason: { fault: 'locked' } },
    ]);
    expect(await commits.read((tx) => tx.all('SELECT * FROM numbers'))).toEqual([]);
    other.exec('ROLLBACK');
    other.close();
    await commits.write(insert(3));
    expect(values()).toEqual([3]);
  });

  it('says that it may not write', async () => {
    db.exec('PRAGMA query_only = ON');
    await expect(commits.write(insert(1))).rejects.toMatchObject({ fault: 'read_only' });
    db.exec('PRAGMA query_only = OFF');
    await commits.write(insert(1));
  });
});
