import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TurnRecorder } from '../../../../src/gateway/archive/turn-recorder.js';
import type { ChannelStatus, FeedEntry } from '../../../../src/gateway/channels/types.js';
import { Feed, type FeedParts } from '../../../../src/gateway/feed/feed.js';
import type { TurnOutline } from '../../../../src/store/rows.js';

const turn: TurnOutline = { id: 't', seq: 1, channel: 'c', eventIds: ['e'], state: 'running', startedAt: 1 };

/** A feed over a store that counts what it is asked for. */
function setUp(store: Partial<FeedParts['store']> = {}) {
  const asked: string[] = [];
  const parts: FeedParts = {
    store: {
      messages: async () => [],
      nextMessage: async () => undefined,
      turnsFrom: async (_channel, seq) => {
        asked.push('turns');
        return seq <= 1 ? [turn] : [];
      },
      runningTurn: async () => turn,
      archivedPart: async () => undefined,
      lastOf: async () => ({ message: 0, messageAt: 0, turn: 0, turnAt: 0 }),
      holds: async () => true,
      ...store,
    },
    status: async (channel) => {
      asked.push('status');
      return { channel } as ChannelStatus;
    },
  };
  return { feed: new Feed(parts), asked };
}

/** Follows the channel in the background. */
function follow(feed: Feed) {
  const seen: FeedEntry[] = [];
  const leave = new AbortController();
  const done = (async () => {
    for await (const entry of feed.follow('c', { signal: leave.signal })) seen.push(entry);
  })();
  return { seen, leave: () => leave.abort(), done };
}

describe('who follows a turn (16.1)', () => {
  it('reads its record, and not the store again for each of its tools', async () => {
    const { feed, asked } = setUp();
    const record = new TurnRecorder();
    feed.turnBegan('c', { turnId: 't', record });
    const readers = Array.from({ length: 5 }, () => follow(feed));
    await expect.poll(() => readers.every(({ seen }) => seen.length >= 2)).toBe(true);
    asked.length = 0;
    for (let count = 0; count < 300; count++) {
      record.accept({ type: 'tool_start', id: `${count}`, name: 'Read', input: {} });
      feed.turnGrew('c');
      feed.statusChanged('c');
      if (count % 50 === 0) await sleep(25);
    }
    await expect
      .poll(() => readers.every(({ seen }) => seen.filter(({ type }) => type === 'chat').length === 300))
      .toBe(true);
    expect(asked.filter((what) => what === 'turns')).toEqual([]);
    // All readers share one look at the status, and none is told of it for each tool.
    expect(asked.length).toBeLessThan(10);
    for (const { leave, done } of readers) {
      leave();
      await done;
    }
  });

  it('gets no second time what it has got before a failure of the store, and ends with it', async () => {
    let fails = false;
    const { feed } = setUp({
      turnsFrom: async () => {
        if (fails) throw new Error('the disk is on fire');
        return [turn];
      },
    });
    const record = new TurnRecorder();
    feed.turnBegan('c', { turnId: 't', record });
    record.accept({ type: 'text', text: 'hello' });
    const { seen, done } = follow(feed);
    await expect.poll(() => seen.some(({ type }) => type === 'chat')).toBe(true);
    fails = true;
    feed.changed('c');
    await expect(done).rejects.toThrow('on fire');
    expect(seen.filter(({ type }) => type === 'chat')).toHaveLength(1);
  });

  it('that was lost to another gateway is not kept', async () => {
    const { feed } = setUp();
    const record = new TurnRecorder();
    record.accept({ type: 'text', text: 'hello' });
    feed.turnBegan('c', { turnId: 't', record });
    feed.turnEnded('c', 't');
    const { seen, leave, done } = follow(feed);
    await expect.poll(() => seen.some(({ type }) => type === 'turn')).toBe(true);
    leave();
    await done;
    expect(seen.some(({ type }) => type === 'chat')).toBe(false);
  });
});
