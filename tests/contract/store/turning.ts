import { describe, expect, it } from 'vitest';
import { expectLost, outcome, retry, type StoreStage } from './stage.js';

export function describeTurning(stage: StoreStage): void {
  describe('turns', () => {
    it('goes from the message to the answer', async () => {
      const { event } = await stage.accept('c', 'hello');
      const { lease, event: claimed } = await stage.claimOne();
      expect(claimed).toEqual(await stage.store.event(event.id));
      expect(claimed).toMatchObject({ state: 'running', attempts: 1, turnId: lease.turnId });
      const [running] = await stage.store.running('c');
      expect(running).toMatchObject({
        id: lease.turnId,
        state: 'running',
        eventIds: [event.id],
        startedAt: 10,
      });
      await stage.store.finish(lease, outcome('hi'));
      expect(await stage.store.event(event.id)).toMatchObject({
        state: 'answered',
        responseText: 'hi',
        endedAt: 20,
        turnId: lease.turnId,
      });
      expect(await stage.store.running()).toEqual([]);
      expect(await stage.store.turns(event.id)).toMatchObject([{ state: 'answered', endedAt: 20 }]);
    });

    it('is first in, first out in a channel, one turn at a time', async () => {
      for (const text of ['1', '2', '3']) await stage.accept('c', text);
      for (const text of ['1', '2', '3']) {
        const { lease, event } = await stage.claimOne();
        expect(event.text).toBe(text);
        expect(await stage.claim(10)).toEqual([]);
        await stage.store.finish(lease, outcome(text));
      }
    });

    it('begins at most `limit` turns', async () => {
      for (let i = 0; i < 5; i++) await stage.accept(`c${i}`, 'x');
      expect(await stage.claim(0)).toEqual([]);
      expect(await stage.claim(2)).toHaveLength(2);
      expect(await stage.claim(10)).toHaveLength(3);
    });

    it('serves the least recently served channel first', async () => {
      for (let i = 0; i < 100; i++) await stage.accept('busy', `busy ${i}`);
      for (let i = 0; i < 3; i++)
        for (const channel of ['a', 'b']) await stage.accept(channel, `${channel} ${i}`);
      const order: string[] = [];
      for (let i = 0; i < 9; i++) order.push((await stage.answerNext('x')).event.text);
      expect(order).toEqual(['busy 0', 'a 0', 'b 0', 'busy 1', 'a 1', 'b 1', 'busy 2', 'a 2', 'b 2']);
    });

    it('lets no stream of new channels overtake one that waits', async () => {
      await stage.accept('old', 'first');
      await stage.answerNext('x');
      await stage.accept('old', 'second');
      for (let i = 0; i < 5; i++) await stage.accept(`new ${i}`, 'x');
      expect((await stage.claimOne()).event.text).toBe('second');
    });

    it('holds a channel for the retry of its head, and keeps the order', async () => {
      for (const text of ['1', '2']) await stage.accept('c', text);
      await stage.accept('other', 'o');
      const { lease, event } = await stage.claimOne();
      await stage.store.postpone(lease, retry());
      await stage.reopen();
      expect(await stage.store.event(event.id)).toMatchObject({
        state: 'queued',
        attempts: 1,
        notBefore: 500,
        turnId: undefined,
        error: { code: 'overloaded', message: 'busy' },
      });
      expect(await stage.store.nextDue()).toBe(500);
      expect((await stage.claim(10, 499)).map((claim) => claim.event.text)).toEqual(['o']);
      const again = await stage.claimOne(500);
      expect(again.event).toMatchObject({ text: '1', attempts: 2, notBefore: undefined });
      expect(await stage.store.nextDue()).toBeUndefined();
      expect(await stage.store.turns(event.id)).toMatchObject([{ state: 'postponed' }, { state: 'running' }]);
      await stage.store.finish(again.lease, outcome('done'));
      expect((await stage.claimOne(500)).event.text).toBe('2');
    });

    it('takes a retry for due that would wait longer than any may: the clock was set back', async () => {
      await stage.accept('c', '1');
      await stage.store.postpone((await stage.claimOne()).lease, retry({ notBefore: 90_000 }));
      const request = { worker: 'w1', leaseUntil: 9999, limit: 1, longestWaitMs: 60_000 };
      expect(await stage.store.claim({ ...request, now: 30_000 })).toEqual([]);
      expect(await stage.store.claim({ ...request, now: 29_999 })).toMatchObject([{ event: { text: '1' } }]);
    });

    it('does not count an attempt that was free', async () => {
      const { event } = await stage.accept('c', '1');
      await stage.store.postpone((await stage.claimOne()).lease, retry({ free: true, notBefore: 0 }));
      expect((await stage.store.event(event.id))?.attempts).toBe(0);
      expect((await stage.claimOne()).event.attempts).toBe(1);
    });

    it('counts crashes apart from attempts', async () => {
      const { event } = await stage.accept('c', '1');
      expect(event.crashes).toBe(0);
      for (const crashes of [1, 2]) {
        const { lease } = await stage.claimOne();
        await stage.store.postpone(lease, retry({ free: true, crashed: true, notBefore: 0 }));
        await stage.reopen();
        expect(await stage.store.event(event.id)).toMatchObject({ attempts: 0, crashes });
      }
      await stage.store.postpone((await stage.claimOne()).lease, retry({ notBefore: 0 }));
      expect((await stage.claimOne()).event).toMatchObject({ attempts: 2, crashes: 2 });
    });

    it('records what is known about a running turn', async () => {
      const { event } = await stage.accept('c', '1');
      const { lease } = await stage.claimOne();
      const prompt = {
        files: [{ path: 'soul.md', sha256: 'ab', bytes: 3, truncated: false }],
        characters: 3,
        hash: 'cd',
        seededMessages: 2,
      };
      const setup = { backend: 'claude', model: 'opus', cwd: '/w', live: true, resumed: 's0', prompt };
      await stage.store.journal(lease, { type: 'began', ...setup });
      await stage.store.journal(lease, { type: 'session', sessionId: 's1', model: 'opus-5' });
      const input = { command: 'ls', nested: [1, { a: null }] };
      await stage.store.journal(lease, { type: 'tool_started', id: 't1', name: 'Bash', input, at: 11 });
      await stage.store.journal(lease, {
        type: 'tool_started',
        id: 't2',
        name: 'Read',
        input: undefined,
        at: 12,
      });
      await stage.store.journal(lease, { type: 'tool_ended', id: 't1', isError: true, at: 13 });
      const third = { id: 't3', name: 'Write', input: {} };
      await stage.store.journal(lease, { type: 'tool_started', ...third, at: 14 });
      await stage.store.journal(lease, { type: 'tool_ended', id: 't3', isError: true, denied: true, at: 15 });
      await stage.store.journal(lease, { type: 'tool_ended', id: 't3', isError: true, at: 16 });
      await stage.reopen();
      const [turn] = await stage.store.turns(event.id);
      expect(turn).toMatchObject({ setup, sessionId: 's1', model: 'opus-5' });
      expect(turn?.tools).toEqual([
        { id: 't1', name: 'Bash', input, startedAt: 11, endedAt: 13, isError: true },
        { id: 't2', name: 'Read', input: null, startedAt: 12 },
        { ...third, startedAt: 14, endedAt: 15, isError: true, denied: true },
      ]);
    });

    it('archives what happened, with long strings cut', async () => {
      const { event } = await stage.accept('c', '1');
      const { lease } = await stage.claimOne();
      const events = Array.from({ length: 3000 }, (_, i) => ({
        type: 'text' as const,
        text: `piece ${i}\n`,
      }));
      const long = { type: 'tool_end' as const, id: 't', output: 'ü'.repeat(500_000), isError: false };
      const context = { contextTokens: 5, contextWindow: 200_000 };
      const usage = { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1, costUsd: 0.5, ...context };
      await stage.store.finish(
        lease,
        outcome('x', { events: [...events, long], usage, stopReason: 'end_turn' }),
      );
      const archived = await stage.store.turnEvents(lease.turnId);
      expect(archived.slice(0, -1)).toEqual(events);
      expect(archived.at(-1)).toMatchObject({
        type: 'tool_end',
        output: expect.stringMatching(/^ü+… \[\d+/),
      });
      expect(JSON.stringify(archived.at(-1)).length).toBeLessThan(65_536);
      expect(await stage.store.turns(event.id)).toMatchObject([{ usage, stopReason: 'end_turn' }]);
      expect(await stage.store.turnEvents('trn_unknown')).toEqual([]);
    });

    it('ends in a failure that is told', async () => {
      const { event } = await stage.accept('c', '1');
      const error = { code: 'auth' as const, message: 'log in first' };
      await stage.answerNext('', { state: 'failed', responseText: undefined, error, messages: [] });
      expect(await stage.store.event(event.id)).toMatchObject({ state: 'failed', error });
      expect(await stage.store.turns(event.id)).toMatchObject([{ state: 'failed', error }]);
    });
  });

  describe('several events in one turn', () => {
    it('takes waiting prompts up to the first command', async () => {
      for (const text of ['1', '2', '3']) await stage.accept('c', text);
      await stage.accept('c', '/new', { kind: 'command' });
      await stage.accept('c', '4');
      const { lease, event } = await stage.claimOne();
      const joined = await stage.store.join(lease, { limit: 10 });
      expect(joined.map(({ text, state, attempts, turnId }) => [text, state, attempts, turnId])).toEqual([
        ['2', 'running', 1, lease.turnId],
        ['3', 'running', 1, lease.turnId],
      ]);
      expect(await stage.store.join(lease, { limit: 10 })).toEqual([]);
      const answer = outcome('all of it', {
        session: { backend: 'claude', sessionId: 's', cwd: '/' },
      });
      await stage.store.finish(lease, answer);
      const ids = [event.id, ...joined.map(({ id }) => id)];
      for (const id of ids) {
        expect(await stage.store.event(id)).toMatchObject({
          state: 'answered',
          responseText: 'all of it',
          turnId: lease.turnId,
        });
      }
      const answers = (await stage.store.messages('c', { limit: 20 })).filter(
        ({ role }) => role === 'assistant',
      );
      expect(answers).toMatchObject([{ text: 'all of it', eventId: event.id }]);
      expect((await stage.store.session('c', 'claude'))?.seen).toBe(joined.at(-1)?.seq);
      expect(await stage.store.turns(ids[1] ?? '')).toMatchObject([{ eventIds: ids }]);
      expect((await stage.claimOne()).event.text).toBe('/new');
    });

    it('takes prompts up to the first that has a turn of its own (16.3)', async () => {
      for (const text of ['1', '2']) await stage.accept('c', text);
      await stage.accept('c', 'alone', { queueMode: 'queue' });
      await stage.accept('c', '3', { queueMode: 'steer' });
      const { lease } = await stage.claimOne();
      expect((await stage.store.join(lease, { limit: 9 })).map(({ text }) => text)).toEqual(['2']);
      expect(await stage.waitingTexts('c')).toEqual(['alone', '3']);
    });

    it('takes no more than `limit`', async () => {
      for (const text of ['1', '2', '3', '4']) await stage.accept('c', text);
      const { lease } = await stage.claimOne();
      expect((await stage.store.join(lease, { limit: 2 })).map(({ text }) => text)).toEqual(['2', '3']);
      expect(await stage.waitingTexts('c')).toEqual(['4']);
    });

    it('takes just the one named, if it is the first that waits', async () => {
      const [, second, third] = await Promise.all(['1', '2', '3'].map((text) => stage.accept('c', text)));
      const { lease } = await stage.claimOne();
      expect(await stage.store.join(lease, { limit: 9, only: third?.event.id })).toEqual([]);
      expect(await stage.store.join(lease, { limit: 9, only: second?.event.id })).toMatchObject([
        { text: '2' },
      ]);
    });

    it('puts one that leaves back in front', async () => {
      const [first, second] = await Promise.all(['1', '2', '3'].map((text) => stage.accept('c', text)));
      const { lease } = await stage.claimOne();
      await stage.store.join(lease, { limit: 1 });
      await stage.store.leave(lease, second?.event.id ?? '');
      expect(await stage.store.event(second?.event.id ?? '')).toEqual(second?.event);
      expect(await stage.waitingTexts('c')).toEqual(['2', '3']);
      await expect(stage.store.leave(lease, first?.event.id ?? '')).rejects.toThrow(
        /only one that had joined/,
      );
      await stage.store.finish(lease, outcome('x'));
      expect((await stage.claimOne()).event.text).toBe('2');
    });

    it('waits again as a whole when it is postponed', async () => {
      for (const text of ['1', '2', '3']) await stage.accept('c', text);
      const { lease } = await stage.claimOne();
      await stage.store.join(lease, { limit: 1 });
      await stage.store.postpone(lease, retry());
      expect(await stage.waitingTexts('c')).toEqual(['1', '2', '3']);
      expect(await stage.claim(10, 499)).toEqual([]);
      expect((await stage.claimOne(500)).event.text).toBe('1');
    });
  });

  describe('cancelling what waits', () => {
    const error = { code: 'interrupted' as const, message: 'stopped' };

    it('ends all of a channel, or those named, but not what runs', async () => {
      const all = await Promise.all(['1', '2', '3', '4'].map((text) => stage.accept('c', text)));
      const [, second, third, fourth] = all.map(({ event }) => event.id);
      await stage.accept('other', 'x');
      const { lease } = await stage.claimOne();
      const only = [third ?? '', 'evt_unknown', lease.turnId];
      expect(await stage.store.cancelWaiting({ channel: 'c', at: 30, error, only })).toEqual([third]);
      expect(await stage.store.event(third ?? '')).toMatchObject({ state: 'cancelled', error, endedAt: 30 });
      expect(await stage.store.cancelWaiting({ channel: 'c', at: 30, error })).toEqual([second, fourth]);
      expect(await stage.store.cancelWaiting({ channel: 'c', at: 30, error })).toEqual([]);
      await stage.store.finish(lease, outcome('x'));
      expect(await stage.waitingTexts('other')).toEqual(['x']);
    });

    it('frees a channel whose head waited for a retry', async () => {
      const [first] = await Promise.all(['1', '2'].map((text) => stage.accept('c', text)));
      await stage.store.postpone((await stage.claimOne()).lease, retry());
      await stage.store.cancelWaiting({ channel: 'c', at: 30, error, only: [first?.event.id ?? ''] });
      expect(await stage.store.nextDue()).toBeUndefined();
      expect((await stage.claimOne()).event.text).toBe('2');
    });
  });

  describe('a notice about what was cancelled', () => {
    const request = { channel: 'c', at: 30, error: { code: 'interrupted', message: 'x' } } as const;

    it('is said and delivered behind the last of them, or not at all when there was none', async () => {
      expect(await stage.store.cancelWaiting({ ...request, notice: 'stopped' })).toEqual([]);
      const [first] = await Promise.all(['1', '2'].map((text) => stage.accept('c', text)));
      await stage.store.cancelWaiting({ ...request, notice: 'stopped' });
      const notice = { role: 'system', text: 'stopped', eventId: first?.event.id, createdAt: 30 };
      expect((await stage.store.messages('c', { limit: 9 })).slice(2)).toMatchObject([notice]);
      const waiting = await stage.store.undelivered({ now: 30, limit: 9 });
      expect(waiting).toMatchObject([{ source: 'http', message: notice }]);
    });
  });

  describe('a turn that has ended', () => {
    it('can be ended no second time', async () => {
      await stage.accept('c', '1');
      const { lease } = await stage.claimOne();
      const ends = await Promise.allSettled([
        stage.store.finish(lease, outcome('one')),
        stage.store.finish(lease, outcome('two')),
        stage.store.postpone(lease, retry()),
      ]);
      expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
      await expectLost(stage.store.journal(lease, { type: 'session', sessionId: 's' }));
      expect(await stage.store.undelivered({ now: 99, limit: 9 })).toMatchObject([
        { message: { text: 'one' } },
      ]);
    });
  });
}
