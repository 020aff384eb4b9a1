import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../src/store/sqlite/database.js';
import { openDatabase } from '../../../src/store/sqlite/open-database.js';
import { createSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../../src/store/store.js';

let directory: string;
let db: Database;
let store: Store;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'turnout-store-'));
  db = await openDatabase(join(directory, 'turnout.db'));
  store = createSqliteStore(db);
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

const accept = (channel: string, text = 'x') =>
  store.accept({ channel, source: 's', kind: 'prompt', text, at: 1 }, { maxWaiting: 1e9 });
const plan = (sql: string) =>
  db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => detail);

describe('a store with much in it', () => {
  it('finds its work by an index, without sorting', () => {
    const [claim] = plan(
      'SELECT name FROM channels WHERE waiting > 0 AND running_turn IS NULL AND not_before = 0 ORDER BY served LIMIT 5',
    );
    expect(claim).toMatch(/USING INDEX channels_ready$/);
    const due = plan(
      'SELECT message_id FROM outbox WHERE head = 1 AND not_before <= 5 ORDER BY not_before, message_id',
    );
    expect(due).toEqual([expect.stringContaining('outbox_heads (not_before<?)')]);
    const retries = plan('UPDATE channels SET not_before = 0 WHERE not_before > 0 AND not_before <= 5');
    expect(retries.join()).toContain('channels_due');
    const forgotten = plan('SELECT id FROM removed_events WHERE ended_at < 5 LIMIT 200');
    expect(forgotten).toEqual([expect.stringContaining('removed_events_ended (ended_at<?)')]);
  });

  it('goes through no whole table while the gateway runs', async () => {
    const asked = new Set<string>();
    for (const method of ['get', 'all', 'run'] as const) {
      const call = db[method].bind(db);
      vi.spyOn(db, method).mockImplementation((sql: string, ...values) => {
        asked.add(sql);
        return call(sql, ...values) as never;
      });
    }
    await accept('c');
    await accept('c');
    const [claim] = await store.claim({ worker: 'w', now: 10, leaseUntil: 20, limit: 4 });
    if (claim === undefined) throw new Error('There is nothing to claim');
    await store.running();
    await store.running('c');
    await store.counts();
    await store.nextDue();
    await store.waiting('c', 10);
    await store.heartbeat([claim.lease], 30);
    const [taken] = await store.takeOver({ worker: 'v', now: 40, leaseUntil: 50, all: false });
    if (taken === undefined) throw new Error('Nothing was taken over');
    await store.finish(taken.lease, {
      at: 45,
      state: 'failed',
      messages: [{ role: 'system', text: 'x' }],
      events: [],
    });
    await store.undelivered({ now: 50, limit: 10 });
    await store.delivered([1, 2, 3], 50);
    await store.pendingPermissions();
    await store.lastUnanswered('c');
    await store.conversation('c', { limit: 10 });
    await store.messages('c', { after: 1, limit: 10 });
    await store.turns(claim.event.id);
    await store.turnsEnded({ channel: 'c', since: 0 });
    await store.usage({ channel: 'c', by: 'backend' });
    await store.channelDigests({ only: ['c'], limit: 1 });
    await store.messages('c', { before: 9, limit: 10 });
    await store.newestMessages({ limit: 10, maxCharacters: 10 });
    await store.waitingEverywhere(10);
    const slice = { behind: { endedAt: 0, seq: 0 }, upTo: { endedAt: 100, seq: 0 } };
    await store.statistics({ by: 'channel', ...slice });
    await store.statistics({ by: 'backend', ...slice, only: ['claude'] });
    await store.countTurns({ by: 'channel', ...slice });
    await store.turnPlace(slice.behind, 100);
    await store.usage({ by: 'day' });
    await store.changingTurns('c', 10);
    await store.treesOf('/');
    await store.channels();
    await store.channelNames();
    await store.channelDigests({ limit: 10, archived: false });
    await store.sessions();
    await store.firstPrompt('c');
    await store.turnEvents(claim.lease.turnId, 100);
    await store.cancelWaiting({ channel: 'c', at: 50, error: { code: 'interrupted', message: 'stop' } });
    await store.changeChannel('c', { newConversation: true });
    vi.restoreAllMocks();
    const questions = [...asked].filter((sql) => /^\s*(SELECT|UPDATE|DELETE|INSERT)/.test(sql));
    expect(questions.length).toBeGreaterThan(30);
    // A partial index holds only what waits or runs: to go through it is to find the work.
    const whole = questions.filter((sql) =>
      plan(sql).some((step) => /^SCAN (events|turns|messages|outbox|permissions|channels)$/.test(step)),
    );
    expect(whole).toEqual([]);
    const usage = questions.find((sql) => sql.includes('input_tokens), 0)')) ?? '';
    // SQLite's versions say it in two ways.
    const both = String.raw`(\(ended_at,rowid\)>\(\?,\?\) AND \(ended_at,rowid\)<\(\?,\?\)|ended_at>\? AND ended_at<\?)`;
    expect(plan(usage).join()).toMatch(new RegExp(String.raw`turns_channel \(channel=\? AND ${both}\)`));
    const overall = questions.filter((one) => one.includes('turns_ended'));
    expect(overall.length).toBeGreaterThan(3);
    for (const sql of overall)
      expect(plan(sql).join()).toMatch(new RegExp(String.raw`turns_ended \(${both}\)`));
  });

  it('claims as fast with 20,000 old events and 2,000 channels in wait as with none', async () => {
    const timed = async () => {
      const times: number[] = [];
      for (let i = 0; i < 40; i++) {
        await accept('busy');
        const start = process.cpuUsage();
        const [claim] = await store.claim({ worker: 'w', now: 10, leaseUntil: 20, limit: 1 });
        const { user, system } = process.cpuUsage(start);
        times.push(user + system);
        if (claim === undefined) throw new Error('There is nothing to claim');
        await store.finish(claim.lease, { at: 1, state: 'answered', messages: [], events: [] });
      }
      return times.sort((a, b) => a - b)[20] ?? Number.NaN;
    };
    await timed();
    const empty = await timed();
    db.exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO events (id, channel, source, kind, text, state, created_at, ended_at)
        SELECT 'old' || i, 'busy', 's', 'prompt', 'x', 'answered', 1, 2 FROM n;
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO channels (name, served, not_before) SELECT 'retry' || i, -i, 1000 FROM n;
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO events (id, channel, source, kind, text, state, created_at)
        SELECT 'waiting' || i, 'retry' || i, 's', 'prompt', 'x', 'queued', 1 FROM n;`);
    expect(await timed()).toBeLessThan(empty * 3 + 200);
  });

  it('gives room back when it is pruned', async () => {
    const file = join(directory, 'turnout.db');
    for (let i = 0; i < 10; i++) {
      await Promise.all(Array.from({ length: 50 }, () => accept('c', 'x'.repeat(4000))));
    }
    await store.cancelWaiting({ channel: 'c', at: 5, error: { code: 'interrupted', message: 'stop' } });
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const { size } = await stat(file);
    expect(await store.prune({ before: 10, keysBefore: 0 })).toEqual({ events: 500, messages: 500 });
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    expect((await stat(file)).size).toBeLessThan(size / 4);
    await accept('c');
    expect((await store.counts()).events).toMatchObject({ queued: 1, cancelled: 0 });
  });

  it('lets others have their turn while it gives room back', async () => {
    await Promise.all(Array.from({ length: 100 }, () => accept('c', 'x'.repeat(20_000))));
    await store.cancelWaiting({ channel: 'c', at: 5, error: { code: 'interrupted', message: 'stop' } });
    const free = new Set<number>();
    let looking = true;
    const watch = () => {
      if (!looking) return;
      free.add(db.get<{ freelist_count: number }>('PRAGMA freelist_count')?.freelist_count ?? 0);
      setImmediate(watch);
    };
    watch();
    await store.prune({ before: 10, keysBefore: 0 });
    looking = false;
    // Seen half done: with all of it at once there would be nothing, or all.
    expect(free.size).toBeGreaterThan(3);
  });
});
