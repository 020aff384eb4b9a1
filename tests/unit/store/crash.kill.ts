import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open-database.js';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';
import { startProgram } from './start-program.js';

it('has everything that was acknowledged after kill -9, each event in one state', {
  timeout: 90_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'turnout-store-'));
  const file = join(directory, 'turnout.db');
  for (const after of [1, 150, 700]) {
    const program = startProgram('write-events.ts', file);
    await program.line((_, count) => count >= after);
    await program.kill();
    const store = await openSqliteStore(file);
    for (const line of program.lines) {
      const [what, id = ''] = line.split(' ');
      const event = await store.event(id);
      if (what === 'accepted') expect(event, line).toBeDefined();
      if (what === 'answered')
        expect(event, line).toMatchObject({ state: 'answered', responseText: event?.text });
    }
    const db = await openDatabase(file);
    expect(db.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
    expect(db.all('PRAGMA foreign_key_check')).toEqual([]);
    const count = (sql: string) => db.get<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`)?.n;
    expect(count("messages WHERE role = 'assistant'")).toBe(count("events WHERE state = 'answered'"));
    expect(count('outbox')).toBe(count("events WHERE state = 'answered'"));
    expect(count("turns WHERE state = 'running'")).toBe(count("events WHERE state = 'running'"));
    db.close();
    const { events } = await store.counts();
    const taken = await store.takeOver({ worker: `heir ${after}`, now: 1, leaseUntil: 2, all: true });
    expect(taken).toHaveLength(events.running);
    for (const { lease } of taken) {
      await store.finish(lease, { at: 1, state: 'failed', messages: [], events: [] });
    }
    await store.close();
  }
  await rm(directory, { recursive: true, force: true });
});
