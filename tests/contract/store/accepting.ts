import { describe, expect, it } from 'vitest';
import { outcome, type StoreStage } from './stage.js';

export function describeAccepting(stage: StoreStage): void {
  describe('messages in', () => {
    it('keeps an event, and what was said, across a restart', async () => {
      const { event, repeated } = await stage.accept('c', 'hello', { messageId: 'm1', author: 'ann' });
      await stage.reopen();
      expect(repeated).toBe(false);
      expect(await stage.store.event(event.id)).toEqual(event);
      expect(await stage.store.eventOf('http', 'c', 'm1')).toEqual(event);
      expect(event).toMatchObject({
        state: 'queued',
        text: 'hello',
        author: 'ann',
        attempts: 0,
        createdAt: 1,
      });
      expect(await stage.store.messages('c', { limit: 10 })).toMatchObject([
        { eventId: event.id, role: 'user', text: 'hello', createdAt: 1 },
      ]);
      expect(await stage.store.undelivered({ now: 100, limit: 10 })).toEqual([]);
    });

    it('takes the same message of the same source and channel once', async () => {
      const first = await stage.accept('c', 'hello', { messageId: 'm1' });
      const again = await stage.accept('c', 'hello again', { messageId: 'm1', at: 99 });
      expect(again).toEqual({ event: first.event, repeated: true });
      for (const other of [{ source: 'discord' }, { channel: 'd' }, { messageId: 'm2' }]) {
        expect((await stage.accept('c', 'other', { messageId: 'm1', ...other })).repeated).toBe(false);
      }
      expect(await stage.store.messages('c', { limit: 10 })).toHaveLength(3);
    });

    it('takes it once when it comes twice at the same time, and after it has ended', async () => {
      const both = await Promise.all([1, 2].map(() => stage.accept('c', 'hi', { messageId: 'm' })));
      expect(both.map(({ repeated }) => repeated)).toEqual([false, true]);
      await stage.answerNext('done');
      expect(await stage.accept('c', 'hi', { messageId: 'm' })).toMatchObject({
        repeated: true,
        event: { state: 'answered', responseText: 'done' },
      });
    });

    it('keeps what a message tells the agent beside its text, for every attempt (16.3)', async () => {
      const { event } = await stage.accept('c', 'hello', { instructions: 'Be brief.' });
      expect(event.instructions).toBe('Be brief.');
      await stage.reopen();
      expect((await stage.claimOne()).event).toMatchObject({ text: 'hello', instructions: 'Be brief.' });
      expect(await stage.store.messages('c', { limit: 9 })).toMatchObject([{ text: 'hello' }]);
    });

    it('keeps the agent and the queue mode that a message asks for: the channel stays as it is (16.3)', async () => {
      const asked = { agent: { backend: 'codex', model: null, thinking: 'low' }, queueMode: 'queue' };
      const { event } = await stage.accept('c', 'hello', asked);
      expect(event).toMatchObject(asked);
      await stage.reopen();
      expect(await stage.store.event(event.id)).toEqual(event);
      expect(await stage.store.waitingEverywhere(1)).toMatchObject([{ text: 'hello' }]);
      expect((await stage.claimOne()).event).toMatchObject(asked);
      expect(await stage.store.channel('c')).toEqual({ conversationStart: 0, archived: false });
    });

    it('begins a conversation with what was said elsewhere, in a channel without one (16.3)', async () => {
      const history = [
        { role: 'assistant', text: 'welcome' },
        { role: 'user', text: 'q1' },
        { role: 'user', text: 'q2' },
        { role: 'assistant', text: 'a2' },
      ] as const;
      const say = (text: string, messageId: string) =>
        stage.store.accept(
          { channel: 'c', source: 'openai', kind: 'prompt', text, messageId, at: 7 },
          { maxWaiting: 1, history },
        );
      const texts = ['welcome', 'q1', 'q2', 'a2'];
      const conversation = async () =>
        (await stage.store.conversation('c', { limit: 9 })).map(({ text }) => text);

      const { event } = await say('now', 'm1');
      expect(event).toMatchObject({ state: 'queued', attempts: 0, text: 'now' });
      expect(await say('now', 'm1')).toMatchObject({ repeated: true });
      expect(await conversation()).toEqual(texts);
      expect((await stage.store.messages('c', { limit: 9 })).map(({ role, text }) => [role, text])).toEqual([
        ...history.map(({ role, text }) => [role, text]),
        ['user', 'now'],
      ]);
      expect(await stage.store.countWaiting('c')).toBe(1);
      expect(await stage.store.undelivered({ now: 100, limit: 9 })).toEqual([]);
      expect(await stage.store.lastUnanswered('c')).toBeUndefined();

      expect((await say('too many', 'm2')).event.state).toBe('refused');
      await stage.answerNext('a3');
      expect((await say('next', 'm3')).event.state).toBe('queued');
      expect(await conversation()).toEqual([...texts, 'now', 'a3']);
    });

    it('takes no history from a message that is refused (16.3)', async () => {
      await stage.accept('other', 'waits');
      const { event } = await stage.store.accept(
        { channel: 'c', source: 'openai', kind: 'prompt', text: 'no', at: 7 },
        { maxWaiting: 1, history: [{ role: 'user', text: 'q' }] },
      );
      expect(event.state).toBe('refused');
      expect(await stage.store.conversation('c', { limit: 9 })).toEqual([]);
    });

    it('does what a message does to the queue with its acceptance, and only once', async () => {
      const running = await stage.accept('c', 'running');
      const { lease } = await stage.claimOne();
      await stage.accept('c', 'waiting');
      await stage.accept('c', '/new', { kind: 'command' });
      const error = { code: 'interrupted', message: 'overtaken' } as const;
      const cancels = [{ channel: 'c', at: 5, error, promptsOnly: true, notice: 'Overtaken.' }];
      const stops = { turnId: lease.turnId, by: 'a newer message' };
      const event = {
        channel: 'c',
        source: 'http',
        kind: 'prompt',
        text: 'newest',
        messageId: 'm',
        at: 5,
      } as const;
      const options = { maxWaiting: 99, cancels, stops };
      expect(await stage.store.accept(event, { ...options, maxWaiting: 1 })).not.toHaveProperty('cancelled');
      const first = await stage.store.accept({ ...event, messageId: 'n' }, options);
      expect(first.cancelled).toHaveLength(1);
      expect(await stage.waitingTexts('c')).toEqual(['/new', 'newest']);
      await stage.accept('c', 'later');
      expect(await stage.store.accept({ ...event, messageId: 'n' }, options)).toMatchObject({
        repeated: true,
      });
      expect(await stage.waitingTexts('c')).toEqual(['/new', 'newest', 'later']);
      expect(await stage.store.turns(running.event.id)).toMatchObject([
        { state: 'running', stopReason: 'a newer message' },
      ]);
    });

    it('lets the outcome of a message depend on what it has cancelled', async () => {
      await stage.accept('c', 'waiting');
      const error = { code: 'interrupted', message: 'dropped' } as const;
      const { event } = await stage.store.accept(
        { channel: 'c', source: 'http', kind: 'command', text: '/queue clear', at: 5 },
        {
          maxWaiting: 99,
          cancels: [{ channel: 'c', at: 5, error }],
          settled: ({ cancelled: { length } }) => ({
            at: 5,
            state: 'answered',
            responseText: `${length}`,
            messages: [],
          }),
        },
      );
      expect(event).toMatchObject({ state: 'answered', responseText: '1' });
    });

    it('takes every message without an id', async () => {
      const events = await Promise.all(['a', 'a'].map((text) => stage.accept('c', text)));
      expect(new Set(events.map(({ event }) => event.id)).size).toBe(2);
    });

    it('numbers in the order of the calls, whatever the clock says', async () => {
      const events = await Promise.all([50, 40, 90, 1].map((at) => stage.accept('c', `at ${at}`, { at })));
      const seqs = events.map(({ event }) => event.seq);
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      expect(await stage.waitingTexts('c')).toEqual(['at 50', 'at 40', 'at 90', 'at 1']);
    });

    it('shows a scheduled prompt in the role that it was given, and remembers the run with it', async () => {
      const schedule = { name: 'heartbeat', runAt: 77 };
      await stage.accept('c', 'look around', { source: 'heartbeat', role: 'system', schedule });
      await stage.reopen();
      expect(await stage.store.messages('c', { limit: 1 })).toMatchObject([{ role: 'system' }]);
      expect(await stage.store.lastRun('heartbeat')).toBe(77);
      await stage.store.saveRun('heartbeat', 99);
      expect(await stage.store.lastRun('heartbeat')).toBe(99);
      expect(await stage.store.lastRun('other')).toBeUndefined();
    });

    it('refuses what is too much for all channels together, and says so in the conversation', async () => {
      const accept = (channel: string) =>
        stage.store.accept({ channel, source: 'http', kind: 'prompt', text: 'x', at: 5 }, { maxWaiting: 2 });
      await accept('a');
      await accept('b');
      const { event } = await accept('c');
      expect(event).toEqual(await stage.store.event(event.id));
      expect(event).toMatchObject({ state: 'refused', endedAt: 5, error: { code: 'overloaded' } });
      expect(event.error?.message).toMatch(/full.*2 messages.*later/i);
      const said = await stage.store.messages('c', { limit: 5 });
      expect(said).toMatchObject([{ role: 'user' }, { role: 'system', text: event.error?.message }]);
      expect(await stage.store.undelivered({ now: 5, limit: 5 })).toMatchObject([{ message: said[1] }]);
      await stage.claim(1);
      expect((await accept('c')).event.state).toBe('queued');
      expect(await stage.waitingTexts('c')).toHaveLength(1);
    });

    it('ends at once what needs no turn', async () => {
      await stage.accept('c', 'waits');
      const settled = outcome('all is well', {
        messages: [{ role: 'system', text: 'all is well' }],
        channelChange: { queueMode: 'collect' },
      });
      const { event } = await stage.store.accept(
        { channel: 'c', source: 'http', kind: 'command', text: '/status', at: 5 },
        { maxWaiting: 0, settled },
      );
      expect(event).toEqual(await stage.store.event(event.id));
      expect(event).toMatchObject({
        state: 'answered',
        responseText: 'all is well',
        endedAt: 20,
        attempts: 0,
      });
      expect(await stage.waitingTexts('c')).toEqual(['waits']);
      expect(await stage.store.channel('c')).toMatchObject({ queueMode: 'collect' });
      expect(await stage.store.undelivered({ now: 5, limit: 5 })).toMatchObject([
        { message: { text: 'all is well', role: 'system', eventId: event.id } },
      ]);
    });

    it('keeps any text as it is', async () => {
      const text = ' 😀, \'quotes\', "and"\r\nlines; DROP TABLE events; ';
      const { event } = await stage.accept('ünï/çhannel 😀', text);
      await stage.reopen();
      expect(await stage.store.event(event.id)).toMatchObject({ text, channel: 'ünï/çhannel 😀' });
    });

    it('loses nothing behind a NUL character', async () => {
      const { event } = await stage.accept('c', 'before\0behind');
      expect(await stage.store.event(event.id)).toMatchObject({
        text: expect.stringMatching(/^before.behind$/s),
      });
    });
  });
}
