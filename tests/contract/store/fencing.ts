import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../src/store/store.js';
import { expectLost, outcome, retry, type StoreStage, snapshot } from './stage.js';

export function describeFencing(stage: StoreStage): void {
  describe('leases', () => {
    const takeOver = (worker: string, now: number, all = false) =>
      stage.store.takeOver({ worker, now, leaseUntil: now + 1000, all });

    it('takes over what ran out, with all that is known about it', async () => {
      await Promise.all(['1', '2'].map((text) => stage.accept('c', text)));
      const { lease } = await stage.claimOne();
      await stage.store.join(lease, { limit: 1 });
      await stage.store.journal(lease, { type: 'tool_started', id: 't', name: 'Bash', input: {}, at: 12 });
      expect(await takeOver('w2', 1009)).toEqual([]);
      const [taken] = await takeOver('w2', 1010);
      expect(taken?.lease).toMatchObject({ turnId: lease.turnId, channel: 'c' });
      expect(taken?.lease.fence).toBeGreaterThan(lease.fence);
      expect(taken?.turn.tools).toMatchObject([{ id: 't', name: 'Bash' }]);
      expect(taken?.events).toMatchObject([
        { text: '1', state: 'running', attempts: 1 },
        { text: '2', state: 'running' },
      ]);
      expect(await takeOver('w3', 1011)).toEqual([]);
    });

    it('takes over all when the caller knows that nobody is alive, but never its own', async () => {
      for (const channel of ['a', 'b']) await stage.accept(channel, 'x');
      await stage.claim(1, 10, 'w1');
      await stage.claim(1, 10, 'w2');
      expect(await takeOver('w2', 11, true)).toMatchObject([{ lease: { channel: 'a' } }]);
      expect(await takeOver('w2', 99_999, true)).toEqual([]);
      expect(await takeOver('w2', 99_999)).toEqual([]);
    });

    it('prolongs what is held and tells what is lost', async () => {
      for (const channel of ['a', 'b', 'c']) await stage.accept(channel, 'x');
      const [a, b, c] = (await stage.claim(3)).map(({ lease }) => lease) as [Lease, Lease, Lease];
      await stage.store.finish(b, outcome('x'));
      expect(await stage.store.heartbeat([a, b, { ...c, fence: c.fence - 1 }], 5000)).toEqual([
        b,
        { ...c, fence: c.fence - 1 },
      ]);
      expect(await takeOver('w2', 4999)).toMatchObject([{ lease: { channel: 'c' } }]);
      expect(await stage.store.heartbeat([a, c], 6000)).toEqual([c]);
    });

    it('gives every holder a higher fence', async () => {
      for (const channel of ['a', 'b']) await stage.accept(channel, 'x');
      const fences = (await stage.claim(2)).map(({ lease }) => lease.fence);
      await stage.reopen();
      fences.push(...(await takeOver('w2', 9999)).map(({ lease }) => lease.fence));
      expect(fences).toEqual(fences.toSorted((a, b) => a - b));
      expect(new Set(fences).size).toBe(4);
    });

    it('lets one who was taken over change nothing', async () => {
      const [, waiting] = await Promise.all(['1', '2'].map((text) => stage.accept('c', text)));
      const { lease: old } = await stage.claimOne();
      const [taken] = await takeOver('w2', 9999);
      const before = await snapshot(stage.store, 'c');
      const session = { backend: 'claude', sessionId: 's', cwd: '/' };
      const channelChange = { backend: 'codex', newConversation: true };
      await expectLost(stage.store.journal(old, { type: 'session', sessionId: 'stale' }));
      await expectLost(
        stage.store.journal(old, { type: 'tool_started', id: 't', name: 'x', input: 1, at: 1 }),
      );
      await expectLost(stage.store.join(old, { limit: 9 }));
      await expectLost(stage.store.leave(old, waiting?.event.id ?? ''));
      await expectLost(stage.store.finish(old, outcome('stale', { session, channelChange })));
      await expectLost(stage.store.postpone(old, retry({ forgetSession: 'claude' })));
      await expectLost(
        stage.store.askPermission(old, { id: 'p', tool: 'Bash', input: {}, options: ['allow'], at: 1 }),
      );
      expect(await stage.store.heartbeat([old], 99_999)).toEqual([old]);
      expect(await snapshot(stage.store, 'c')).toEqual(before);
      if (taken === undefined) throw new Error('Nothing was taken over');
      await stage.store.finish(taken.lease, outcome('mine'));
    });

    it('fails the one who lost, and keeps what others write at the same moment', async () => {
      for (const channel of ['a', 'b', 'c']) await stage.accept(channel, 'x');
      const [a, b, c] = (await stage.claim(3)).map(({ lease }) => lease) as [Lease, Lease, Lease];
      const results = await Promise.allSettled([
        stage.store.finish(a, outcome('a')),
        stage.store.finish({ ...b, fence: 0 }, outcome('stale')),
        stage.store.finish(c, outcome('c')),
        stage.accept('d', 'new'),
      ]);
      expect(results.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      await stage.reopen();
      expect((await stage.store.counts()).events).toMatchObject({ answered: 2, running: 1, queued: 1 });
    });
  });
}
