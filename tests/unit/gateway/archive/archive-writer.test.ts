import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../../../src/config/log.js';
import { dayMs } from '../../../../src/core/format.js';
import { applyRetention } from '../../../../src/gateway/archive/apply-retention.js';
import { type ArchiveTimes, ArchiveWriter } from '../../../../src/gateway/archive/archive-writer.js';
import { readTurns } from '../../../../src/gateway/archive/read-pages.js';
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../../../src/store/store.js';
import { patience } from '../../../machine-speed.js';
import { begin, exchange, finishTurn, say } from './archive-rows.js';

const noon = Date.UTC(2026, 0, 31, 12, 0, 0);
const fast: ArchiveTimes = { restMs: 20, retryMs: 50, checkpointMs: 0, stopMs: 5000 };

let home: string;
let directory: string;
let store: Store;
let lines: string[];
let writers: ArchiveWriter[];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'turnout-archive-'));
  directory = join(home, 'archive');
  store = await openSqliteStore(join(home, 'turnout.db'));
  lines = [];
  writers = [];
});

afterEach(async () => {
  for (const writer of writers) await writer.stop();
  await store.close();
  rmSync(home, { recursive: true });
});

function writer(times: Partial<ArchiveTimes> = {}): ArchiveWriter {
  const log = createLog('info', (line) => lines.push(line));
  const made = new ArchiveWriter({ store, directory, log, times: { ...fast, ...times } });
  writers.push(made);
  return made;
}

/** Other programs may keep the machine busy. */
const eventually = (expectation: () => void) => vi.waitFor(expectation, patience);

const page = (channel: string, day = '2026-01-31') => join(directory, channel, `${day}.md`);
const read = (channel: string, day?: string) => readFileSync(page(channel, day), 'utf8');

describe('the pages of the archive (R10)', () => {
  it('hold the turns of a day, readable for their owner only', async () => {
    const made = writer();
    made.start();
    await exchange(store, { channel: 'general', text: 'One?', at: noon, author: 'alice', answer: 'First.' });
    await exchange(store, { channel: 'general', text: 'Two?', at: noon + 5000, answer: 'Second.' });
    made.channelChanged('general', noon);
    await eventually(() => expect(read('general')).toContain('> Second.'));
    const text = read('general');
    expect(text).toMatch(/^# `general` · 2026-01-31\n\nTimes are UTC\.\n/);
    expect(text.match(/^> .*$/gm)).toEqual(['> One?', '> First.', '> Two?', '> Second.']);
    expect(text.match(/^## .*$/gm)).toEqual([
      '## 12:00:00 · `claude` · `opus` · answered · 1.0 s',
      '## 12:00:05 · `claude` · `opus` · answered · 1.0 s',
    ]);
    expect(statSync(page('general')).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(directory, 'general'))).toEqual(['2026-01-31.md']);
  });

  it('are the same however often they are written', async () => {
    await exchange(store, { channel: 'general', text: 'One?', at: noon });
    const one = writer();
    one.start();
    await eventually(() => expect(read('general')).toContain('One?'));
    const before = read('general');
    one.channelChanged('general', noon);
    await one.stop();
    expect(read('general')).toBe(before);
  });

  it('show attempts, refusals, notices and what still waits', async () => {
    const first = { channel: 'general', text: 'Again and again', at: noon };
    await say(store, first);
    const lease = await begin(store, first);
    const error = { code: 'overloaded', message: 'busy' } as const;
    await store.postpone(lease, { at: noon + 500, notBefore: noon + 600, error, events: [] });
    await finishTurn(store, await begin(store, { ...first, at: noon + 700 }), { ...first, at: noon + 700 });
    await store.accept(
      { channel: 'general', source: 'http', kind: 'command', text: '/status', at: noon + 2000 },
      {
        maxWaiting: 1,
        settled: { at: noon + 2000, state: 'answered', messages: [{ role: 'system', text: 'fine' }] },
      },
    );
    await store.post({ channel: 'general', role: 'system', text: 'a notice' }, noon + 3000);
    await say(store, { channel: 'general', text: 'I wait', at: noon + 4000 });
    const made = writer();
    made.start();
    await eventually(() => expect(read('general')).toContain('I wait'));
    const text = read('general');
    expect(text.match(/^## .*$/gm)).toEqual([
      '## 12:00:00 · `claude` · `opus` · to be tried again · 500 ms',
      '## 12:00:00 · `claude` · `opus` · answered · 1.0 s',
      '## 12:00:02 · message · answered',
      '## 12:00:02 · message · answered',
      '## 12:00:03 · message',
      '## 12:00:04 · message · queued',
    ]);
    expect(text.match(/^> .*$/gm)).toEqual([
      '> Again and again',
      '> busy',
      '> done',
      '> /status',
      '> fine',
      '> a notice',
      '> I wait',
    ]);
    expect(text).toContain(', as above.');
  });

  it('put a turn on the day on which it ended, and a message also where it came', async () => {
    const midnight = Date.UTC(2026, 1, 1);
    await exchange(store, { channel: 'general', text: 'Late', at: midnight - 500, answer: 'Early' });
    const made = writer();
    made.start();
    made.channelChanged('general', midnight - 500);
    await eventually(() => {
      expect(read('general', '2026-02-01')).toContain('2026-01-31 23:59:59');
      expect(read('general').match(/^> .*$/gm)).toEqual(['> Late']);
    });
    expect(read('general', '2026-02-01').match(/^> .*$/gm)).toEqual(['> Late', '> Early']);
  });

  it('find the day among thousands of messages without reading them all', async () => {
    const old = Array.from({ length: 3000 }, (_, n) => noon - 30 * dayMs + n * 800_000);
    await Promise.all(old.map((at) => store.post({ channel: 'old', role: 'system', text: 'x' }, at)));
    await exchange(store, { channel: 'old', text: 'Now', at: noon });
    const messages = vi.spyOn(store, 'messages');
    const made = writer();
    made.start();
    await eventually(() => expect(read('old')).toContain('Now'));
    expect(read('old').match(/^> .*$/gm)).toEqual(['> Now', '> done']);
    const looked = (await Promise.all(messages.mock.results.map(({ value }) => value))).flat().length;
    expect(looked).toBeLessThan(60);
  });
});

describe('the writer of the archive', () => {
  it('writes at the start what a crash kept from being written, and not everything again', async () => {
    await exchange(store, { channel: 'a', text: 'old', at: noon - 10 * dayMs });
    const one = writer();
    one.start();
    await eventually(() => expect(existsSync(page('a', '2026-01-21'))).toBe(true));
    await one.stop();
    rmSync(page('a', '2026-01-21'));

    await exchange(store, { channel: 'a', text: 'new', at: Date.now() });
    const two = writer();
    two.start();
    const today = new Date().toISOString().slice(0, 10);
    await eventually(() => expect(read('a', today)).toContain('new'));
    expect(existsSync(page('a', '2026-01-21'))).toBe(false);
  });

  it('makes a page once for a burst', async () => {
    await exchange(store, { channel: 'a', text: 'x', at: noon });
    const made = writer({ restMs: 150 });
    made.start();
    await eventually(() => expect(existsSync(page('a'))).toBe(true));
    const turnEvents = vi.spyOn(store, 'turnEvents');
    for (let touch = 0; touch < 1000; touch += 1) made.channelChanged('a', noon);
    await eventually(() => expect(turnEvents).toHaveBeenCalled());
    await sleep(400);
    expect(turnEvents).toHaveBeenCalledTimes(1);
  });

  it('survives a burst on many channels, and ends with every page written', async () => {
    const made = writer({ restMs: 10, stopMs: 20_000 });
    made.start();
    await Promise.all(
      Array.from({ length: 300 }, (_, n) => say(store, { channel: `c${n}`, text: `${n}`, at: noon })),
    );
    for (let n = 0; n < 300; n += 1) made.channelChanged(`c${n}`, noon);
    await made.stop();
    expect(readdirSync(directory)).toHaveLength(300);
  });

  it('tells once that it can not write, tries again, and loses nothing', async () => {
    writeFileSync(directory, 'in the way');
    const made = writer();
    made.start();
    for (const channel of ['a', 'b', 'c']) {
      await exchange(store, { channel, text: 'x', at: noon });
      made.channelChanged(channel, noon);
    }
    await eventually(() => expect(lines).toHaveLength(1));
    await sleep(200);
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(['error']);
    rmSync(directory);
    await eventually(() => expect(readdirSync(directory)).toEqual(['a', 'b', 'c']));
    await eventually(() => expect(lines.map((line) => JSON.parse(line).level)).toEqual(['error', 'info']));
  });

  it('stops in time when the disk stays full, and finds the rest at the next start', async () => {
    writeFileSync(directory, 'in the way');
    await exchange(store, { channel: 'a', text: 'x', at: noon });
    const one = writer();
    one.start();
    await eventually(() => expect(lines).toHaveLength(1));
    await one.stop();
    rmSync(directory);
    writer().start();
    await eventually(() => expect(read('a')).toContain('> x'));
  });
});

describe('a page of very many messages', () => {
  it('is broken off when the time to stop is over, and made at the next start', async () => {
    const said = Array.from({ length: 5000 }, (_, n) =>
      store.post({ channel: 'a', role: 'system', text: `line ${n}` }, noon),
    );
    await Promise.all(said);
    const one = writer({ stopMs: 0 });
    const began = new Promise<void>((resolve) => {
      const read = store.messages;
      vi.spyOn(store, 'messages').mockImplementation((...asked) => {
        // The first pages are those that look for the day.
        if ((asked[1].after ?? 0) > 100 && asked[1].limit > 1) resolve();
        return read(...asked);
      });
    });
    one.start();
    await began;
    await one.stop();
    vi.restoreAllMocks();
    expect(readdirSync(join(directory, 'a'))).toEqual([]);
    expect(lines).toEqual([]);
    writer().start();
    await eventually(() => expect(read('a')).toContain('> line 4999'));
  });
});

describe('pages of turns', () => {
  it('miss none and repeat none, even when many end in the same millisecond', async () => {
    for (let n = 0; n < 12; n += 1) {
      await exchange(store, { channel: `c${n % 3}`, text: `${n}`, at: noon + (n < 8 ? 0 : n) });
    }
    for (const limit of [1, 2, 3, 5, 12, 13]) {
      const ids: string[] = [];
      for await (const turn of readTurns(store, {}, { limit })) ids.push(turn.id);
      expect(new Set(ids).size).toBe(12);
      expect(ids).toHaveLength(12);
    }
  });
});

async function deliverAll(): Promise<void> {
  for (;;) {
    const waiting = await store.undelivered({ now: noon, limit: 100 });
    if (waiting.length === 0) return;
    await store.delivered(
      waiting.map(({ id }) => id),
      noon,
    );
  }
}

describe('retention', () => {
  it('removes old rows and pages, and nothing else', async () => {
    await exchange(store, { channel: 'a', text: 'old', at: noon - 3 * dayMs });
    await exchange(store, { channel: 'a', text: 'new', at: noon - dayMs });
    await exchange(store, { channel: 'b', text: 'old', at: noon - 9 * dayMs });
    const made = writer();
    made.start();
    await eventually(() => expect(existsSync(page('b', '2026-01-22'))).toBe(true));
    await eventually(() =>
      expect(readdirSync(join(directory, 'a'))).toEqual(['2026-01-28.md', '2026-01-30.md']),
    );
    await made.stop();
    writeFileSync(join(directory, 'a', 'notes.md'), 'mine');
    await deliverAll();
    const keep = { store, directory, now: noon };
    expect(await applyRetention({ ...keep, days: 0 })).toMatchObject({ events: 0, messages: 0, pages: 0 });
    expect(await applyRetention({ ...keep, days: 2 })).toMatchObject({ events: 2, messages: 4, pages: 2 });
    expect(readdirSync(directory)).toEqual(['a']);
    expect(readdirSync(join(directory, 'a'))).toEqual(['2026-01-30.md', 'notes.md']);
    expect((await store.messages('a', { limit: 9 })).map(({ text }) => text)).toEqual(['new', 'done']);
  });

  it('needs no archive', async () => {
    expect(await applyRetention({ store, directory, days: 1, now: noon })).toMatchObject({ pages: 0 });
  });
});
