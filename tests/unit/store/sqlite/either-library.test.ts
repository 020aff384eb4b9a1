import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { nodeSqlite } from '../../../../src/sqlite/node-sqlite.js';
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

it.runIf(nodeSqlite() !== undefined)(
  'a file goes from one SQLite to the other and back [fault 13.13: another Node opens the database]',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'turnout-store-'));
    const texts = ['plain', 'a \0 in it', '\u0001NUL\u0002 before', 'ü 😀', ''];
    const written: string[] = [];
    for (const library of ['package', 'node', 'package', 'node']) {
      vi.stubEnv('TURNOUT_SQLITE', library);
      const store = await openSqliteStore(join(directory, 'turnout.db'));
      for (const text of texts) {
        const { event } = await store.accept(
          { channel: 'c', source: library, kind: 'prompt', text, at: 1_763_000_000_000 },
          { maxWaiting: 99 },
        );
        written.push(event.id);
      }
      const found = await Promise.all(written.map((id) => store.event(id)));
      expect(found.map((event) => event?.text)).toEqual(written.map((_, i) => texts[i % texts.length]));
      expect(new Set(found.map((event) => event?.createdAt))).toEqual(new Set([1_763_000_000_000]));
      expect(await store.countWaiting('c')).toBe(written.length);
      await store.close();
    }
    await rm(directory, { recursive: true });
  },
);
