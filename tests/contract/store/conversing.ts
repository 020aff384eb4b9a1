import { describe, expect, it } from 'vitest';
import { outcome, retry, type StoreStage, texts } from './stage.js';

export function describeConversing(stage: StoreStage): void {
  const session = (backend: string, sessionId = 's1') => ({ backend, sessionId, cwd: '/w' });
  const conversation = async (more: { after?: number; beforeSeq?: number; limit?: number } = {}) =>
    texts(await stage.store.conversation('c', { limit: 100, ...more }));

  describe('sessions and settings of a channel', () => {
    it('keeps a session for each channel and backend', async () => {
      const one = { channel: 'c', ...session('claude'), seen: 0 };
      await stage.store.saveSession(one);
      await stage.store.saveSession({ channel: 'c', ...session('codex', 's2'), seen: 4 });
      await stage.reopen();
      expect(await stage.store.session('c', 'claude')).toEqual(one);
      expect(await stage.store.session('c', 'codex')).toMatchObject({ sessionId: 's2', seen: 4 });
      expect(await stage.store.session('d', 'claude')).toBeUndefined();
      await stage.store.saveSession({ ...one, sessionId: 's3' });
      await stage.store.forgetSession('c', 'codex');
      expect(await stage.store.session('c', 'claude')).toMatchObject({ sessionId: 's3' });
      expect(await stage.store.session('c', 'codex')).toBeUndefined();
    });

    it('a channel adopts a session of a CLI, in one step with its message (16.4)', async () => {
      const { store } = stage;
      await stage.accept('c', 'one');
      const adoption = {
        session: { channel: 'c', ...session('codex', 'own') },
        change: { backend: 'codex', model: null },
        text: 'Going on.',
      };
      expect(await store.adoptSession(adoption, 5)).toBe('busy');
      const claimed = await stage.claimOne();
      expect(await store.adoptSession(adoption, 5)).toBe('busy');
      await store.finish(claimed.lease, outcome('a', { session: session('claude') }));
      expect(await store.adoptSession(adoption, 5)).toBe('adopted');
      expect(await store.sessions()).toEqual([{ ...adoption.session, seen: claimed.event.seq }]);
      expect(await store.channel('c')).toMatchObject({
        backend: 'codex',
        conversationStart: claimed.event.seq,
      });
      expect((await store.messages('c', { limit: 9 })).at(-1)).toMatchObject({
        role: 'system',
        text: 'Going on.',
      });
      expect(await conversation()).toEqual([]);
      const elsewhere = { ...adoption, session: { ...adoption.session, channel: 'd' } };
      expect(await store.adoptSession(elsewhere, 6)).toBe('taken');
      expect(await store.messages('d', { limit: 9 })).toEqual([]);
    });

    it('changes the session only when the turn says so', async () => {
      for (const text of ['1', '2', '3', '4']) await stage.accept('c', text);
      const first = await stage.answerNext('a', { session: session('claude') });
      expect(await stage.store.session('c', 'claude')).toMatchObject({
        sessionId: 's1',
        seen: first.event.seq,
      });
      await stage.answerNext('b', { state: 'failed' });
      expect(await stage.store.session('c', 'claude')).toMatchObject({
        sessionId: 's1',
        seen: first.event.seq,
      });
      await stage.answerNext('c', { forgetSession: 'claude', session: session('codex') });
      expect(await stage.store.session('c', 'claude')).toBeUndefined();
      const told = { role: 'system', text: 'The session was lost.' } as const;
      const { lease, event } = await stage.claimOne();
      await stage.store.postpone(lease, retry({ forgetSession: 'codex', messages: [told] }));
      expect(await stage.store.session('c', 'codex')).toBeUndefined();
      const messages = await stage.store.messages('c', { limit: 10 });
      expect(messages.at(-1)).toMatchObject({ ...told, eventId: event.id });
    });

    it('keeps what was set in the chat until it is taken back', async () => {
      expect(await stage.store.channel('c')).toEqual({ conversationStart: 0, archived: false });
      await stage.store.changeChannel('c', { backend: 'codex', model: 'm', queueMode: 'steer' });
      await stage.store.changeChannel('c', { model: null });
      await stage.reopen();
      expect(await stage.store.channel('c')).toEqual({
        backend: 'codex',
        queueMode: 'steer',
        conversationStart: 0,
        archived: false,
      });
    });

    it('keeps a title that was given, also in a new conversation (16.4)', async () => {
      expect(await stage.store.changeListing('c', { title: 'x', archived: true })).toBe(false);
      expect(await stage.store.channelNames()).toEqual([]);
      await stage.accept('c', 'first words');
      expect(await stage.store.changeListing('c', { title: 'The deploy' })).toBe(true);
      await stage.answerNext('y', { channelChange: { newConversation: true } });
      await stage.reopen();
      expect(await stage.store.channel('c')).toMatchObject({ title: 'The deploy', archived: false });
      expect(await stage.store.channelNames()).toEqual([{ channel: 'c', title: 'The deploy' }]);
      await stage.store.changeListing('c', { title: null });
      expect((await stage.store.channel('c')).title).toBeUndefined();
    });

    it('puts a channel away until anything is said in it (16.4)', async () => {
      const archive = async () => {
        await stage.store.changeListing('c', { archived: true });
        expect(await stage.store.channel('c')).toMatchObject({ archived: true });
      };
      const isBack = async () => !(await stage.store.channel('c')).archived;
      await stage.accept('c', 'one');
      await archive();
      await stage.accept('d', 'elsewhere');
      expect(await isBack()).toBe(false);
      await stage.accept('c', 'scheduled', { source: 'cron', role: 'system' });
      expect(await isBack()).toBe(true);
      await archive();
      await stage.answerNext('an answer');
      expect(await isBack()).toBe(true);
      await archive();
      await stage.store.post({ channel: 'c', role: 'system', text: 'a notice' }, 9);
      expect(await isBack()).toBe(true);
      await archive();
      await stage.store.changeListing('c', { archived: false });
      expect(await isBack()).toBe(true);
    });

    it('starts a conversation anew and forgets its sessions', async () => {
      await stage.accept('c', 'old');
      await stage.answerNext('old answer', { session: session('claude') });
      await stage.accept('c', '/new', { kind: 'command' });
      await stage.accept('c', 'first');
      const { event } = await stage.answerNext('a new one', { channelChange: { newConversation: true } });
      expect(await stage.store.session('c', 'claude')).toBeUndefined();
      expect((await stage.store.channel('c')).conversationStart).toBe(event.seq);
      await stage.answerNext('first answer');
      expect(await conversation()).toEqual(['first', 'first answer']);
    });

    it('gives a new conversation no session of a turn that began before it', async () => {
      await stage.accept('c', 'old');
      const { lease } = await stage.claimOne();
      await stage.accept('c', 'waits');
      await stage.store.changeChannel('c', { newConversation: true });
      await stage.store.finish(lease, outcome('old answer', { session: session('claude') }));
      expect(await stage.store.session('c', 'claude')).toBeUndefined();
      await stage.answerNext('new answer', { session: session('claude') });
      expect(await conversation()).toEqual(['waits', 'new answer']);
      expect(await stage.store.session('c', 'claude')).toMatchObject({ sessionId: 's1' });
    });
  });

  describe('messages', () => {
    it('come in pages, oldest first, of one channel', async () => {
      for (let i = 0; i < 5; i++)
        for (const channel of ['c', 'd']) await stage.accept(channel, `${channel}${i}`);
      const first = await stage.store.messages('c', { limit: 2 });
      expect(texts(first)).toEqual(['c0', 'c1']);
      const rest = await stage.store.messages('c', { limit: 10, after: first.at(-1)?.id });
      expect(texts(rest)).toEqual(['c2', 'c3', 'c4']);
      expect(await stage.store.messages('c', { limit: 10, after: rest.at(-1)?.id })).toEqual([]);
    });

    it('tell what has become of what was sent (16.4)', async () => {
      await stage.accept('c', 'stopped');
      await stage.accept('c', 'dropped');
      const error = { code: 'interrupted', message: 'stopped' } as const;
      const { lease } = await stage.claimOne();
      await stage.store.cancelWaiting({ channel: 'c', at: 9, error });
      const messages = [{ role: 'system', text: 'Stopped.' }] as const;
      await stage.store.finish(lease, outcome('', { state: 'cancelled', error, messages }));
      await stage.accept('c', 'waits');
      for (const page of [{ after: 0 }, { before: 1000 }]) {
        const found = await stage.store.messages('c', { ...page, limit: 9 });
        expect(found.map(({ text, event }) => [text, event])).toEqual([
          ['stopped', { state: 'cancelled', begun: true }],
          ['dropped', { state: 'cancelled', begun: false }],
          ['Stopped.', undefined],
          ['waits', { state: 'queued', begun: false }],
        ]);
      }
    });

    it('tell who has sent them (16.2)', async () => {
      await stage.accept('c', 'hello', { author: 'Ada' });
      await stage.accept('c', 'and me');
      await stage.answerNext('yes');
      for (const page of [{ after: 0 }, { before: 1000 }]) {
        const found = await stage.store.messages('c', { ...page, limit: 9 });
        expect(found.map(({ author }) => author)).toEqual(['Ada', undefined, undefined]);
      }
    });

    it('are counted for each channel', async () => {
      await stage.accept('b', '1', { at: 3 });
      await stage.accept('b', '2', { at: 4 });
      await stage.claim(1);
      await stage.store.changeChannel('a', { model: 'm' });
      expect(await stage.store.channels()).toEqual([
        { channel: 'a', waiting: 0, running: false, messages: 0 },
        { channel: 'b', waiting: 1, running: true, messages: 2, lastMessageAt: 4 },
      ]);
    });
  });

  describe('the conversation', () => {
    it('stands in the order in which it was had, not in which it was written', async () => {
      for (const text of ['q1', 'q2', 'q3']) await stage.accept('c', text);
      await stage.answerNext('a1');
      await stage.answerNext('a2');
      expect(await conversation()).toEqual(['q1', 'a1', 'q2', 'a2']);
      expect(await conversation({ limit: 3 })).toEqual(['a1', 'q2', 'a2']);
    });

    it('is what a session has not seen', async () => {
      for (const text of ['q1', 'q2', 'q3', 'q4']) await stage.accept('c', text);
      await stage.answerNext('a1', { session: session('claude') });
      await stage.answerNext('a2', { session: session('codex') });
      const { event } = await stage.claimOne();
      const unseen = async (backend: string) =>
        conversation({ after: (await stage.store.session('c', backend))?.seen ?? 0, beforeSeq: event.seq });
      expect(await unseen('claude')).toEqual(['q2', 'a2']);
      expect(await unseen('codex')).toEqual([]);
      expect(await unseen('gemini')).toEqual(['q1', 'a1', 'q2', 'a2']);
    });

    it('has the answer to several events behind the last of them', async () => {
      for (const text of ['q1', 'q2', 'q3', 'q4']) await stage.accept('c', text);
      const { lease } = await stage.claimOne();
      await stage.store.join(lease, { limit: 2 });
      await stage.store.finish(lease, outcome('a123', { session: session('claude') }));
      expect(await conversation()).toEqual(['q1', 'q2', 'q3', 'a123']);
      const { event } = await stage.claimOne();
      const seen = (await stage.store.session('c', 'claude'))?.seen ?? 0;
      expect(await conversation({ after: seen, beforeSeq: event.seq })).toEqual([]);
    });

    it('has scheduled prompts, but no commands, notices or what waits', async () => {
      await stage.accept('c', 'beat', { role: 'system', source: 'heartbeat' });
      await stage.answerNext('all quiet', {
        messages: [
          { role: 'system', text: 'a notice' },
          { role: 'assistant', text: 'all quiet' },
        ],
      });
      await stage.accept('c', '/usage', { kind: 'command' });
      await stage.answerNext('tokens', { messages: [{ role: 'system', text: 'tokens' }] });
      await stage.accept('c', '/retry', { kind: 'command' });
      await stage.answerNext('done again');
      await stage.store.post({ channel: 'c', role: 'system', text: 'restarted' }, 3);
      await stage.accept('c', 'runs');
      await stage.accept('c', 'waits');
      await stage.claimOne();
      expect(await conversation()).toEqual(['beat', 'all quiet', 'done again']);
    });

    it('has what failed, marked and with the notice of it, but not what was cancelled or refused', async () => {
      const error = { code: 'interrupted' as const, message: 'stopped' };
      await stage.accept('c', 'answered');
      await stage.answerNext('yes');
      const { event } = await stage.accept('c', 'failed');
      await stage.accept('c', 'failed with it');
      const { lease } = await stage.claimOne();
      await stage.store.join(lease, { limit: 1 });
      await stage.store.post({ channel: 'c', eventId: event.id, role: 'system', text: 'a question' }, 3);
      const messages = [{ role: 'system', text: 'it failed' }] as const;
      await stage.store.finish(lease, outcome('', { state: 'failed', error, messages }));
      await stage.accept('c', 'cancelled');
      await stage.store.cancelWaiting({ channel: 'c', at: 9, error });
      await stage.store.accept(
        { channel: 'c', source: 'http', kind: 'prompt', text: 'refused', at: 9 },
        { maxWaiting: 0 },
      );
      await stage.accept('c', 'stopped');
      await stage.answerNext('', { state: 'cancelled', error, messages: [] });
      expect(await stage.store.conversation('c', { limit: 9 })).toMatchObject([
        { part: 'prompt', text: 'answered', failed: false },
        { part: 'answer', text: 'yes', failed: false },
        { part: 'prompt', text: 'failed', failed: true },
        { part: 'prompt', text: 'failed with it', failed: true },
        { part: 'notice', text: 'it failed', failed: true },
      ]);
    });
  });
}
