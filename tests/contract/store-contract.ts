import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Claim, NewEvent, Store, TurnOutcome } from '../../src/store/types.js';

/** What every store must do. `open` opens the one in `directory`, again after it was closed. */
export function describeStore(name: string, open: (directory: string) => Promise<Store>): void {
  describe(`store contract: ${name}`, () => {
    let directory: string;
    let store: Store;

    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'turnout-store-'));
      store = await open(directory);
    });
    afterEach(async () => {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    });

    const reopen = async () => {
      await store.close();
      store = await open(directory);
    };
    const accept = (channel: string, text: string, more: Partial<NewEvent> = {}) =>
      store.accept({ channel, source: 'http', kind: 'prompt', text, at: 1, ...more }, { maxWaiting: 1000 });
    const claim = (limit = 1, now = 10) => store.claim({ worker: 'w1', now, leaseUntil: now + 1000, limit });
    const claimOne = async (now = 10): Promise<Claim> => {
      const [one] = await claim(1, now);
      if (one === undefined) throw new Error('Nothing to claim');
      return one;
    };
    const answer = (text: string, more: Partial<TurnOutcome> = {}): TurnOutcome => ({
      at: 20,
      state: 'answered',
      responseText: text,
      messages: [{ role: 'assistant', text, backend: 'claude' }],
      events: [],
      ...more,
    });
    const lost = (promise: Promise<unknown>) =>
      expect(promise).rejects.toMatchObject({ fault: 'lost_lease' });

    describe('accept', () => {
      it('keeps the event across a restart', async () => {
        const { event, repeated } = await accept('c', 'hello', { messageId: 'm1', author: 'ann' });
        expect(repeated).toBe(false);
        await reopen();
        expect(await store.event(event.id)).toEqual(event);
        expect(event).toMatchObject({
          state: 'queued',
          text: 'hello',
          author: 'ann',
          attempts: 0,
          createdAt: 1,
        });
        expect(await store.eventOf('http', 'c', 'm1')).toEqual(event);
        expect(await store.messages('c', { limit: 10 })).toMatchObject([
          { eventId: event.id, role: 'user', text: 'hello', createdAt: 1 },
        ]);
      });
    });

    describe('turns', () => {
      it('runs from message to delivered answer', async () => {
        const { event } = await accept('c', 'hello');
        const { lease, event: claimed } = await claimOne();
        expect(claimed).toEqual(await store.event(event.id));
        expect(claimed).toMatchObject({ state: 'running', attempts: 1, turnId: lease.turnId });
        await store.finish(lease, answer('hi'));
        expect(await store.event(event.id)).toMatchObject({
          state: 'answered',
          responseText: 'hi',
          endedAt: 20,
        });
        const [delivery] = await store.undelivered({ now: 30, limit: 10 });
        expect(delivery).toMatchObject({
          message: { text: 'hi', eventId: event.id },
          source: 'http',
          attempts: 0,
        });
        await store.delivered([delivery?.id ?? 0], 31);
        expect(await store.undelivered({ now: 30, limit: 10 })).toEqual([]);
        await lost(store.finish(lease, answer('again')));
      });
    });
  });
}
