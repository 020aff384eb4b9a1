import { existsSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Ballast } from '../../../src/store/ballast.js';
import { StoreError } from '../../../src/store/errors.js';
import { openDatabase } from '../../../src/store/sqlite/open-database.js';
import { createSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';
import { canMount, fillDisk, mountSmallDisk } from '../../gateway/small-disk.js';
import { directoryWith } from '../gateway/temporary-directory.js';

const bytes = 64 * 1024;
const prompt = { channel: 'a', source: 'http', kind: 'prompt', text: 'hello', at: 1 } as const;

async function setUp() {
  const directory = await directoryWith();
  const ballast = await Ballast.open({ directory, bytes });
  return { directory, ballast, file: join(directory, 'ballast') };
}

describe('ballast', () => {
  it('takes room on the disk until it is given up, and is made again', async () => {
    const { ballast, file } = await setUp();
    expect(await ballast.restore()).toBe(true);
    expect(statSync(file)).toMatchObject({ size: bytes });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(ballast.release()).toBe(true);
    expect(ballast.release()).toBe(false);
    expect([ballast.released, existsSync(file)]).toEqual([true, false]);
    expect(await ballast.restore()).toBe(true);
    expect([ballast.released, existsSync(file)]).toEqual([false, true]);
  });

  it('is kept for the next start by one that had to give it up', async () => {
    const { directory, ballast, file } = await setUp();
    expect(ballast.release()).toBe(false);
    await ballast.restore();
    expect(ballast.release()).toBe(true);
    await ballast.close();
    expect(existsSync(file)).toBe(true);
    expect((await Ballast.open({ directory, bytes })).released).toBe(false);
  });

  it('that was in the making when its process was killed is removed by the next start', async () => {
    const { directory, file } = await setUp();
    writeFileSync(`${file}.new`, 'half');
    expect((await Ballast.open({ directory, bytes })).released).toBe(false);
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  it.skipIf(!canMount)(
    'that was in the making gives its room to a start on a full disk [fault 13.3: kill -9 while the ballast is made]',
    async () => {
      const { directory, file } = await setUp();
      mountSmallDisk(directory, 4);
      writeFileSync(`${file}.new`, Buffer.alloc(2 * 1024 ** 2, 'x'));
      fillDisk(directory);
      expect((await Ballast.open({ directory, bytes })).released).toBe(true);
      const { bavail, bsize } = statfsSync(directory);
      expect(bavail * bsize).toBeGreaterThanOrEqual(2 * 1024 ** 2);
    },
  );

  it('lets a store on a full disk write what has begun, and nothing new', async () => {
    const { directory, ballast } = await setUp();
    await ballast.restore();
    let full = false;
    const db = await openDatabase(join(directory, 'turnout.db'));
    // The disk of this database is full as long as the ballast is on it.
    const run = db.run.bind(db);
    db.run = (sql, ...values) => {
      if (full && sql === 'COMMIT' && !ballast.released)
        throw Object.assign(new Error('full'), { errcode: 13 });
      return run(sql, ...values);
    };
    let room = true;
    const limited = Object.create(ballast, {
      released: { get: () => ballast.released },
      release: { value: () => ballast.release() },
      restore: { value: async () => room && ballast.restore() },
    }) as Ballast;
    const store = createSqliteStore(db, { ballast: limited });
    onTestFinished(() => store.close());
    await store.accept(prompt, { maxWaiting: 9 });
    const [claim] = await store.claim({ worker: 'w', now: 1, leaseUntil: 9, limit: 1 });
    if (claim === undefined) throw new Error('There is nothing to claim.');
    [full, room] = [true, false];
    const outcome = { at: 2, state: 'answered', responseText: 'done', messages: [], events: [] } as const;
    await store.finish(claim.lease, outcome);
    expect(ballast.released).toBe(true);
    await expect(store.accept(prompt, { maxWaiting: 9 })).rejects.toThrow(StoreError);
    await expect(store.claim({ worker: 'w', now: 1, leaseUntil: 9, limit: 1 })).rejects.toThrow(/is full/);
    [full, room] = [false, true];
    expect((await store.accept(prompt, { maxWaiting: 9 })).event.state).toBe('queued');
  });
});
