import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../src/store/store.js';
import { outcome, retry, type StoreStage } from './stage.js';

export function describePermitting(stage: StoreStage): void {
  describe('permissions', () => {
    const ask = (lease: Lease, id: string, input: unknown = { command: 'ls' }, tool = 'Bash') =>
      stage.store.askPermission(lease, {
        id,
        tool,
        input,
        options: ['allow', 'deny'],
        always: 'ls *',
        at: 15,
      });
    const allow = { decision: 'allow' as const, message: 'go on', at: 16 };
    const runAgain = async (lease: Lease) => {
      await stage.store.postpone(lease, retry({ notBefore: 0, free: true }));
      return (await stage.claimOne()).lease;
    };

    it('asks, and is answered once', async () => {
      const { event } = await stage.accept('c', 'x');
      const { lease } = await stage.claimOne();
      const asked = await ask(lease, 'p1');
      expect(asked).toMatchObject({
        id: 'p1',
        channel: 'c',
        eventId: event.id,
        turnId: lease.turnId,
        tool: 'Bash',
        input: { command: 'ls' },
        options: ['allow', 'deny'],
        always: 'ls *',
        state: 'pending',
        createdAt: 15,
      });
      await stage.reopen();
      expect(await stage.store.pendingPermissions()).toEqual([asked]);
      expect((await stage.store.counts()).pendingPermissions).toBe(1);
      const decided = await stage.store.decidePermission('p1', allow);
      expect(decided).toEqual({
        ...asked,
        state: 'decided',
        decision: 'allow',
        message: 'go on',
        decidedAt: 16,
      });
      expect(await stage.store.permission('p1')).toEqual(decided);
      expect(await stage.store.decidePermission('p1', { decision: 'deny', at: 17 })).toBeUndefined();
      expect(await stage.store.decidePermission('p0', allow)).toBeUndefined();
      expect(await stage.store.pendingPermissions()).toEqual([]);
    });

    it('is answered by a message in one step with it, and only by the first one (18.5)', async () => {
      await stage.accept('c', 'x');
      const { lease } = await stage.claimOne();
      await ask(lease, 'p1');
      const settled = { at: 17, state: 'answered', messages: [] } as const;
      const command = (messageId: string) =>
        stage.store.accept(
          { channel: 'c', source: 'http', kind: 'command', text: '/allow', messageId, at: 17 },
          {
            maxWaiting: 9,
            decides: { id: 'p1', decision: 'allow', at: 17 },
            settled: ({ decided }) => ({ ...settled, responseText: decided?.decision ?? 'too late' }),
          },
        );
      const first = await command('m1');
      expect(first).toMatchObject({
        event: { responseText: 'allow' },
        decided: { id: 'p1', turnId: lease.turnId },
      });
      expect(await command('m1')).toMatchObject({ repeated: true, event: { responseText: 'allow' } });
      const second = await command('m2');
      expect(second.event.responseText).toBe('too late');
      expect(second).not.toHaveProperty('decided');
      await stage.reopen();
      expect(await stage.store.permission('p1')).toMatchObject({ state: 'decided', decidedAt: 17 });
    });

    it('outlines those that wait, with no more of their inputs than there is room for (16.5)', async () => {
      await stage.accept('c', 'x');
      await stage.accept('d', 'y');
      const [one, other] = [await stage.claimOne(), await stage.claimOne()];
      const small = await ask(one.lease, 'small');
      await ask(one.lease, 'long', { text: 'x'.repeat(65_536) });
      for (let nth = 0; nth < 5; nth += 1) await ask(one.lease, `p${nth}`, { text: `${nth}`.repeat(60_000) });
      await ask(one.lease, 'last', { command: 'rm -rf /home' });
      await ask(other.lease, 'elsewhere');
      const outlines = await stage.store.pendingOutlines('c');
      expect(outlines[0]).toEqual(small);
      expect(outlines.map(({ id, input }) => [id, input !== undefined])).toEqual([
        ['small', true],
        ['long', false],
        ...[0, 1, 2, 3].map((nth) => [`p${nth}`, true]),
        ['p4', false],
        // What is short is not hidden behind what is long (27.10).
        ['last', true],
      ]);
      expect(outlines.filter(({ inputLeftOut }) => inputLeftOut).map(({ id }) => id)).toEqual(['long', 'p4']);
      expect((await stage.store.pendingOutlines()).map(({ id }) => id)).toContain('elsewhere');
    });

    it('lists the questions of a turn, answered ones too, and none of another turn', async () => {
      await stage.accept('c', 'x');
      const { lease } = await stage.claimOne();
      await ask(lease, 'p1');
      await stage.store.decidePermission('p1', { decision: 'deny', at: 16 });
      await ask(lease, 'p2', {}, 'Write');
      const questions = await stage.store.questions(lease.turnId);
      expect(questions).toMatchObject([
        { id: 'p1', state: 'decided', decision: 'deny' },
        { id: 'p2', state: 'pending' },
      ]);
      const next = await runAgain(lease);
      expect(await stage.store.questions(next.turnId)).toEqual([]);
      await ask(next, 'p3', {}, 'Write');
      expect(await stage.store.questions(next.turnId)).toMatchObject([{ id: 'p2' }]);
      expect(await stage.store.questions('trn_unknown')).toEqual([]);
    });

    it('is a new question when the same turn does the same thing twice', async () => {
      await stage.accept('c', 'x');
      const { lease } = await stage.claimOne();
      await ask(lease, 'p1');
      await stage.store.decidePermission('p1', allow);
      expect(await ask(lease, 'p2')).toMatchObject({ id: 'p2', state: 'pending' });
    });

    it('stays open over a restart of the turn, and keeps its id', async () => {
      const { event } = await stage.accept('c', 'x');
      const { lease } = await stage.claimOne();
      await ask(lease, 'p1', { a: 1, b: { c: 2, d: 3 } });
      const next = await runAgain(lease);
      expect(await stage.store.pendingPermissions()).toMatchObject([{ id: 'p1' }]);
      const again = await ask(next, 'p2', { b: { d: 3, c: 2 }, a: 1 });
      expect(again).toMatchObject({ id: 'p1', state: 'pending', turnId: next.turnId, eventId: event.id });
      expect(await stage.store.permission('p1')).toEqual(again);
      expect(await stage.store.permission('p2')).toBeUndefined();
      expect(await ask(next, 'p3', { a: 2 })).toMatchObject({ id: 'p3' });
      expect(await ask(next, 'p4', { a: 1, b: { c: 2, d: 3 } }, 'Edit')).toMatchObject({ id: 'p4' });
    });

    it('is another question over a restart with another rule or other answers, and the one that waits is withdrawn (27.9)', async () => {
      await stage.accept('c', 'x');
      const ruled = (lease: Lease, id: string, always?: string) =>
        stage.store.askPermission(lease, {
          ...{ id, tool: 'Bash', input: { command: 'ls' }, always, at: 15 },
          options: always === undefined ? ['allow', 'deny'] : ['allow', 'allow_always', 'deny'],
        });
      const { lease } = await stage.claimOne();
      await ruled(lease, 'p1', 'ls');
      const second = await runAgain(lease);
      expect(await ruled(second, 'p2', 'rm:*')).toMatchObject({ id: 'p2', state: 'pending', always: 'rm:*' });
      expect(await stage.store.permission('p1')).toMatchObject({ state: 'void', always: 'ls' });
      const always = { decision: 'allow_always', at: 16 } as const;
      expect(await stage.store.decidePermission('p1', always)).toBeUndefined();
      const third = await runAgain(second);
      expect(await ruled(third, 'p3')).toMatchObject({ id: 'p3', options: ['allow', 'deny'] });
      expect((await stage.store.pendingPermissions()).map(({ id }) => id)).toEqual(['p3']);
    });

    it('an answer that came meanwhile holds for another rule only if it grants no rule (27.9)', async () => {
      await stage.accept('c', 'x');
      const ruled = (lease: Lease, id: string, command: string, always: string) =>
        stage.store.askPermission(lease, {
          ...{ id, tool: 'Bash', input: { command }, always, at: 15 },
          options: ['allow', 'allow_always', 'deny'],
        });
      const { lease } = await stage.claimOne();
      await ruled(lease, 'p1', 'ls', 'ls');
      await ruled(lease, 'p2', 'cat', 'cat');
      await ruled(lease, 'p3', 'rm', 'rm');
      await stage.store.postpone(lease, retry({ notBefore: 0 }));
      await stage.store.decidePermission('p1', { decision: 'allow_always', at: 16 });
      await stage.store.decidePermission('p2', { decision: 'allow', at: 16 });
      await stage.store.decidePermission('p3', { decision: 'deny', at: 16 });
      const { lease: next } = await stage.claimOne();
      expect(await ruled(next, 'p4', 'ls', 'rm:*')).toMatchObject({ id: 'p4', state: 'pending' });
      expect(await ruled(next, 'p5', 'cat', 'rm:*')).toMatchObject({ id: 'p2', decision: 'allow' });
      expect(await ruled(next, 'p6', 'rm', 'rm:*')).toMatchObject({ id: 'p3', decision: 'deny' });
    });

    it('hands an answer that came meanwhile out once', async () => {
      await stage.accept('c', 'x');
      const { lease } = await stage.claimOne();
      await ask(lease, 'p1');
      await stage.store.postpone(lease, retry({ notBefore: 0 }));
      await stage.store.decidePermission('p1', allow);
      const { lease: next } = await stage.claimOne();
      expect(await ask(next, 'p2')).toMatchObject({ id: 'p1', state: 'decided', decision: 'allow' });
      expect(await ask(next, 'p3')).toMatchObject({ id: 'p3', state: 'pending' });
      const third = await runAgain(next);
      expect(await ask(third, 'p4')).toMatchObject({ id: 'p3' });
      expect(await ask(third, 'p5')).toMatchObject({ id: 'p5', state: 'pending' });
    });

    it('survives a crash', async () => {
      await stage.accept('c', 'x');
      await ask((await stage.claimOne()).lease, 'p1');
      await stage.reopen();
      const [taken] = await stage.store.takeOver({ worker: 'w2', now: 20, leaseUntil: 1000, all: true });
      if (taken === undefined) throw new Error('Nothing was taken over');
      expect(await stage.store.pendingPermissions()).toMatchObject([{ id: 'p1' }]);
      expect(await ask(taken.lease, 'p2')).toMatchObject({ id: 'p1' });
    });

    it('is void at the end of its turn', async () => {
      await stage.accept('c', 'x');
      const { lease } = await stage.claimOne();
      await ask(lease, 'p1');
      await ask(lease, 'p2', 'other');
      await stage.store.decidePermission('p2', allow);
      await stage.store.finish(lease, outcome('x'));
      expect(await stage.store.permission('p1')).toMatchObject({ state: 'void' });
      expect(await stage.store.permission('p2')).toMatchObject({ state: 'decided' });
      expect(await stage.store.decidePermission('p1', allow)).toBeUndefined();
    });

    it('is void when its event is cancelled while it waits', async () => {
      await stage.accept('c', 'x');
      const { lease } = await stage.claimOne();
      await ask(lease, 'p1');
      await stage.store.postpone(lease, retry());
      const error = { code: 'interrupted' as const, message: 'stopped' };
      await stage.store.cancelWaiting({ channel: 'c', at: 30, error });
      expect(await stage.store.pendingPermissions()).toEqual([]);
    });
  });
}
