import { describe, expect, it } from 'vitest';
import { outcome, retry, type StoreStage } from './stage.js';

export function describeLooking(stage: StoreStage): void {
  const day = 86_400_000;
  const began = (backend: string, model?: string) => ({
    type: 'began' as const,
    ...{ backend, model, cwd: '/', live: false },
    prompt: { files: [], characters: 0, hash: '', seededMessages: 0 },
  });
  const turn = async (channel: string, backend: string, at: number, more = {}) => {
    await stage.accept(channel, 'x');
    const { lease } = await stage.claimOne();
    await stage.store.journal(lease, began(backend, backend === 'codex' ? 'gpt' : undefined));
    const usage = { inputTokens: 10, outputTokens: 2, cachedInputTokens: 5, costUsd: 0.25 };
    await stage.store.finish(lease, outcome('y', { at, usage, ...more }));
    return lease.turnId;
  };

  describe('looking', () => {
    it('finds nothing for unknown ids', async () => {
      expect(await stage.store.event('evt_0')).toBeUndefined();
      expect(await stage.store.eventOf('http', 'c', 'm')).toBeUndefined();
      expect(await stage.store.turns('evt_0')).toEqual([]);
      expect(await stage.store.permission('p')).toBeUndefined();
      expect(await stage.store.waiting('c', 10)).toEqual([]);
      expect(await stage.store.nextDue()).toBeUndefined();
    });

    it('lists the turns that ended in a time', async () => {
      const ids = [
        await turn('a', 'claude', 100),
        await turn('b', 'codex', 200),
        await turn('a', 'codex', 300),
      ];
      const ended = async (range: Parameters<typeof stage.store.turnsEnded>[0]) =>
        (await stage.store.turnsEnded(range)).map(({ id }) => ids.indexOf(id));
      expect(await ended({})).toEqual([0, 1, 2]);
      expect(await ended({ since: 200, until: 300 })).toEqual([1]);
      expect(await ended({ channel: 'a' })).toEqual([0, 2]);
      expect(await ended({ limit: 2 })).toEqual([0, 1]);
    });

    it('keeps the trees around a turn, and lists them for the present conversation (16.4)', async () => {
      const tree = (before: string, after: string, cwd = '/') => ({ changes: { cwd, before, after } });
      await turn('a', 'claude', 100, tree('t1', 't2'));
      await stage.store.changeChannel('a', { newConversation: true });
      const second = await turn('a', 'claude', 200, tree('t2', 't3'));
      const third = await turn('a', 'claude', 300);
      await turn('b', 'claude', 400, tree('t3', 't4', '/b'));
      await stage.accept('a', '/model', { kind: 'command' });
      await stage.answerNext('a command asks no agent');
      await stage.accept('a', 'x');
      const { lease } = await stage.claimOne();
      await stage.store.journal(lease, began('claude'));
      const tool = { type: 'tool_started', id: 't', name: 'Write', input: {}, at: 1 } as const;
      await stage.store.journal(lease, tool);
      expect(await stage.store.changingTurns('a', 10)).toHaveLength(2);
      expect(await stage.store.changingTurns('a', 1)).toMatchObject([{ turnId: third }]);
      await stage.store.postpone(lease, retry(tree('t5', 't6')));
      await stage.reopen();
      expect(await stage.store.changingTurns('a', 10)).toEqual([
        { turnId: second, cwd: '/', usedTools: false, ...tree('t2', 't3') },
        { turnId: third, cwd: '/', usedTools: false },
        { turnId: lease.turnId, cwd: '/', usedTools: true, ...tree('t5', 't6') },
      ]);
      expect([...(await stage.store.treesOf('/'))].sort()).toEqual(['t1', 't2', 't3', 't5', 't6']);
      expect(await stage.store.treesOf('/b')).toEqual(['t3', 't4']);
    });

    it('adds up what was used', async () => {
      await turn('a', 'claude', day);
      await turn('a', 'codex', 2 * day);
      await turn('b', 'codex', 2 * day + 5, { usage: undefined });
      await stage.accept('b', '/status', { kind: 'command' });
      await stage.answerNext('fine', { at: 2 * day });
      const keys = async (by: 'day' | 'backend' | 'channel' | 'model', more = {}) =>
        (await stage.store.usage({ by, ...more })).map(({ key, turns, inputTokens }) => [
          key,
          turns,
          inputTokens,
        ]);
      expect(await keys('day')).toEqual([
        ['1970-01-02', 1, 10],
        ['1970-01-03', 2, 10],
      ]);
      expect(await keys('backend')).toEqual([
        ['claude', 1, 10],
        ['codex', 2, 10],
      ]);
      expect(await keys('model')).toEqual([
        ['default', 1, 10],
        ['gpt', 2, 10],
      ]);
      expect(await keys('channel', { since: 2 * day, channel: 'a' })).toEqual([['a', 1, 10]]);
      expect(await stage.store.usage({ by: 'backend', until: 2 * day })).toEqual([
        { key: 'claude', turns: 1, inputTokens: 10, outputTokens: 2, cachedInputTokens: 5, costUsd: 0.25 },
      ]);
    });

    it('tells the context of the present session, as the last of its turns told that tells it (16.4)', async () => {
      const inSession = async (sessionId: string, context: object, backend = 'claude') => {
        await stage.accept('a', 'x');
        const { lease } = await stage.claimOne();
        await stage.store.journal(lease, began(backend));
        await stage.store.journal(lease, { type: 'session', sessionId });
        const usage = { inputTokens: 10, outputTokens: 2, ...context };
        await stage.store.finish(lease, outcome('y', { usage, session: { backend, sessionId, cwd: '/' } }));
      };
      const used = () => stage.store.contextUsed('a', 'claude');
      expect(await used()).toBeUndefined();
      await inSession('s1', { contextTokens: 500, contextWindow: 1000 });
      await inSession('s1', { contextTokens: 600, contextWindow: 1000 });
      expect(await used()).toEqual({ tokens: 600, window: 1000 });
      await inSession('s1', {});
      await inSession('c1', { contextTokens: 7 }, 'codex');
      expect(await used()).toEqual({ tokens: 600, window: 1000 });
      expect(await stage.store.contextUsed('a', 'codex')).toEqual({ tokens: 7 });
      expect(await stage.store.contextUsed('b', 'claude')).toBeUndefined();
      await inSession('s2', {});
      expect(await used()).toBeUndefined();
      await inSession('s2', { contextTokens: 20 });
      await stage.store.changeChannel('a', { newConversation: true });
      expect(await used()).toBeUndefined();
    });

    it('adds what a postponed attempt has cost to the turn that it was for', async () => {
      await stage.accept('a', 'x');
      const { lease } = await stage.claimOne();
      await stage.store.journal(lease, began('claude'));
      await stage.store.postpone(lease, retry({ usage: { inputTokens: 7, outputTokens: 1 } }));
      expect(await stage.store.usage({ by: 'backend' })).toMatchObject([{ turns: 0, inputTokens: 7 }]);
    });

    it('counts', async () => {
      for (let i = 0; i < 3; i++) await stage.accept('a', 'x', { at: 50 - i });
      await stage.accept('b', 'x');
      await stage.answerNext('y', { state: 'failed' });
      await stage.claim(1);
      await stage.reopen();
      expect(await stage.store.counts()).toEqual({
        events: { queued: 2, running: 1, answered: 0, refused: 0, cancelled: 0, failed: 1 },
        undelivered: 1,
        pendingPermissions: 0,
        oldestWaitingAt: 48,
      });
    });

    it('counts what waits in a channel', async () => {
      const waiting = () => stage.store.countWaiting('a');
      expect(await waiting()).toBe(0);
      for (let i = 0; i < 3; i++) await stage.accept('a', 'x');
      await stage.accept('b', 'x');
      expect(await waiting()).toBe(3);
      const { lease } = await stage.claimOne();
      expect(await waiting()).toBe(2);
      await stage.store.postpone(lease, retry());
      expect(await waiting()).toBe(3);
      await stage.reopen();
      const error = { code: 'interrupted' as const, message: 'stopped' };
      await stage.store.cancelWaiting({ channel: 'a', at: 50, error });
      expect(await waiting()).toBe(0);
      expect(await stage.store.countWaiting('b')).toBe(1);
    });

    it('finds what was left unanswered', async () => {
      const { store } = stage;
      const error = { code: 'interrupted' as const, message: 'stop' };
      const last = async () => (await store.lastUnanswered('c'))?.text;
      expect(await last()).toBeUndefined();
      await stage.accept('c', 'failed');
      await stage.answerNext('', { state: 'failed' });
      expect(await last()).toBe('failed');
      await stage.accept('c', '/status', { kind: 'command' });
      await stage.answerNext('fine', { messages: [{ role: 'system', text: 'fine' }] });
      await stage.accept('c', 'waits');
      expect(await last()).toBe('failed');
      await store.cancelWaiting({ channel: 'c', at: 3, error });
      // Nobody wants what was dropped before it ran.
      expect(await last()).toBe('failed');
      await stage.accept('c', 'stopped');
      await stage.answerNext('', { state: 'cancelled' });
      expect(await last()).toBe('stopped');
      await stage.accept('c', 'stopped before its retry');
      await store.postpone((await stage.claimOne()).lease, retry());
      await store.cancelWaiting({ channel: 'c', at: 5, error });
      expect(await last()).toBe('stopped before its retry');
      await stage.accept('c', '/retry', { kind: 'command' });
      await stage.answerNext('yes');
      expect(await last()).toBeUndefined();
    });
  });

  describe('what was left unanswered', () => {
    it('can still be tried again when messages that were waiting already were answered', async () => {
      const last = async () => (await stage.store.lastUnanswered('c'))?.text;
      await stage.accept('c', 'failed', { at: 10 });
      await stage.accept('c', 'was waiting', { at: 20 });
      await stage.answerNext('', { at: 30, state: 'failed' });
      await stage.answerNext('yes', { at: 40 });
      expect(await last()).toBe('failed');
      await stage.accept('c', 'something else', { at: 50 });
      await stage.answerNext('yes', { at: 60 });
      expect(await last()).toBeUndefined();
    });
  });

  describe('housekeeping', () => {
    it('removes what ended before, and nothing that waits, runs or is undelivered', async () => {
      for (const channel of ['runs', 'waits', 'old', 'undelivered', 'young'])
        await stage.accept(channel, channel);
      const [runs, waits, old, undelivered, young] = await stage.claim(5);
      if (!runs || !waits || !old || !undelivered || !young) throw new Error('Not all were claimed');
      await stage.store.postpone(waits.lease, retry());
      await stage.store.askPermission(old.lease, { id: 'p', tool: 't', input: 1, options: [], at: 1 });
      await stage.store.journal(old.lease, { type: 'tool_started', id: 't', name: 'x', input: 1, at: 1 });
      await stage.store.finish(old.lease, outcome('a', { at: 50, events: [{ type: 'text', text: 'a' }] }));
      await stage.store.finish(undelivered.lease, outcome('b', { at: 50 }));
      await stage.store.finish(young.lease, outcome('c', { at: 150 }));
      await stage.store.post({ channel: 'old', role: 'system', text: 'a notice' }, 60);
      for (let i = 0; i < 2; i++) {
        const due = await stage.store.undelivered({ now: 0, limit: 10 });
        const done = due.filter(({ message }) => message.channel === 'old');
        await stage.store.delivered(
          done.map(({ id }) => id),
          70,
        );
      }
      expect(await stage.store.prune({ before: 100, keysBefore: 0 })).toEqual({ events: 1, messages: 3 });
      expect(await stage.store.event(old.event.id)).toBeUndefined();
      expect(await stage.store.messages('old', { limit: 10 })).toEqual([]);
      expect(await stage.store.turnEvents(old.lease.turnId)).toEqual([]);
      expect(await stage.store.permission('p')).toBeUndefined();
      expect((await stage.store.turnsEnded({})).map(({ channel }) => channel)).toEqual([
        'waits',
        'undelivered',
        'young',
      ]);
      expect((await stage.store.counts()).events).toMatchObject({ running: 1, queued: 1, answered: 2 });
      expect(await stage.store.prune({ before: 100, keysBefore: 0 })).toEqual({ events: 0, messages: 0 });
      expect(await stage.waitingTexts('waits')).toEqual(['waits']);
    });

    it('knows the message of a removed event again, and does not take it for a new one', async () => {
      const first = await stage.accept('c', 'hello', { messageId: 'm', author: 'ann', at: 40 });
      await stage.accept('c', 'without an id');
      await stage.answerNext('yes', { at: 50 });
      await stage.answerNext('yes', { at: 50 });
      for (const { id } of await stage.store.undelivered({ now: 60, limit: 5 }))
        await stage.store.delivered([id], 60);
      for (const { id } of await stage.store.undelivered({ now: 60, limit: 5 }))
        await stage.store.delivered([id], 60);
      expect(await stage.store.prune({ before: 100, keysBefore: 50 })).toEqual({ events: 2, messages: 4 });
      await stage.reopen();

      const { id, seq } = first.event;
      const left = {
        id,
        seq,
        channel: 'c',
        source: 'http',
        kind: 'prompt',
        messageId: 'm',
        state: 'answered',
      };
      const times = { createdAt: 40, endedAt: 50, attempts: 1, crashes: 0 };
      const again = await stage.accept('c', 'hello', { messageId: 'm', at: 200 });
      expect(again).toEqual({ repeated: true, event: { ...left, ...times, text: '', removed: true } });
      expect(await stage.store.event(id)).toEqual(again.event);
      expect(await stage.store.eventOf('http', 'c', 'm')).toEqual(again.event);
      // The removed event does not run, wait, appear or count.
      expect(await stage.claim(5)).toEqual([]);
      expect(await stage.store.messages('c', { limit: 5 })).toEqual([]);
      expect((await stage.store.counts()).events).toMatchObject({ queued: 0, answered: 0 });
      for (const other of [{ source: 'discord' }, { channel: 'd' }, { messageId: 'm2' }]) {
        expect((await stage.accept('c', 'other', { messageId: 'm', ...other })).repeated).toBe(false);
      }
    });

    it('forgets the messages of removed events in time', async () => {
      const { event } = await stage.accept('c', 'hello', { messageId: 'm' });
      const error = { code: 'interrupted' as const, message: 'stopped' };
      await stage.store.cancelWaiting({ channel: 'c', at: 50, error });
      await stage.store.prune({ before: 100, keysBefore: 50 });
      expect((await stage.accept('c', 'hello', { messageId: 'm' })).repeated).toBe(true);
      await stage.store.prune({ before: 100, keysBefore: 51 });
      expect(await stage.store.event(event.id)).toBeUndefined();
      expect((await stage.accept('c', 'hello', { messageId: 'm' })).repeated).toBe(false);
      // An event that is already too old leaves no key behind.
      await stage.store.cancelWaiting({ channel: 'c', at: 60, error });
      await stage.store.prune({ before: 100, keysBefore: 61 });
      expect((await stage.accept('c', 'hello', { messageId: 'm' })).repeated).toBe(false);
    });

    it('removes many, while others are written', async () => {
      const accepted = Array.from({ length: 500 }, (_, i) => stage.accept('c', `x${i}`));
      await Promise.all(accepted);
      const error = { code: 'interrupted' as const, message: 'stopped' };
      await stage.store.cancelWaiting({ channel: 'c', at: 50, error });
      const [pruned, late] = await Promise.all([
        stage.store.prune({ before: 100, keysBefore: 0 }),
        stage.accept('c', 'late'),
      ]);
      expect(pruned).toEqual({ events: 500, messages: 500 });
      expect(await stage.waitingTexts('c')).toEqual(['late']);
      expect(late.event.seq).toBeGreaterThan(500);
    });

    it('takes nothing more once it is closed, and has kept what came before', async () => {
      const late = stage.accept('c', 'in time');
      const closing = stage.store.close();
      await expect(stage.accept('c', 'too late')).rejects.toMatchObject({ fault: 'closed' });
      await expect(stage.store.counts()).rejects.toMatchObject({ fault: 'closed' });
      await closing;
      const { event } = await late;
      await stage.reopen();
      expect(await stage.store.event(event.id)).toEqual(event);
    });
  });
}
