import { expect, it } from 'vitest';
import type { ChannelStatus, FeedEntry } from '../../../../src/gateway/channels/types.js';
import { Feed } from '../../../../src/gateway/feed/feed.js';
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';
import { outcome, retry, StoreStage } from '../../../contract/store/stage.js';

const stage = new StoreStage((directory) => openSqliteStore(`${directory}/turnout.db`));

function shown(entry: FeedEntry): readonly string[] {
  if (entry.type === 'message') return [`${entry.message.role}: ${entry.message.text}`];
  return entry.type === 'turn' ? [`turn: ${entry.turn.state}`] : [];
}

it('whoever catches up gets an answer behind its turn, also if an earlier turn has said nothing (16.1)', async () => {
  const { store } = stage;
  await stage.accept('c', 'one', { at: 1 });
  const dropped = await stage.claimOne(10);
  await store.postpone(dropped.lease, retry({ at: 20 }));
  await store.cancelWaiting({ channel: 'c', at: 25, error: { code: 'interrupted', message: 'dropped' } });
  await stage.accept('c', 'two', { at: 30 });
  const answered = await stage.claimOne(40);
  await store.finish(answered.lease, outcome('an answer', { at: 50 }));

  const feed = new Feed({ store, status: async (channel) => ({ channel }) as ChannelStatus });
  const from = { message: 0, messageAt: 0, turn: 0, turnAt: 0, index: 'ended', offset: 0 } as const;
  const leave = new AbortController();
  const seen: string[] = [];
  for await (const entry of feed.follow('c', { from, signal: leave.signal })) {
    seen.push(...shown(entry));
    if (seen.length === 7) leave.abort();
  }
  expect(seen).toEqual([
    'user: one',
    ...['turn: running', 'turn: postponed'],
    'user: two',
    ...['turn: running', 'turn: answered'],
    'assistant: an answer',
  ]);
});
