import { describe, expect, it } from 'vitest';
import { outcome, type StoreStage } from './stage.js';

export function describeDelivering(stage: StoreStage): void {
  describe('answers out', () => {
    const say = (channel: string, text: string) => stage.store.post({ channel, role: 'system', text }, 5);
    const due = async (now = 10, limit = 10) =>
      (await stage.store.undelivered({ now, limit })).map(({ message }) => message.text);

    it('puts all messages of a turn into the outbox, in order', async () => {
      const { event } = await stage.accept('c', 'hello');
      await stage.answerNext('hi', {
        messages: [
          { role: 'system', text: 'codex answers' },
          { role: 'assistant', text: 'hi', backend: 'codex' },
        ],
      });
      await stage.reopen();
      const [first] = await stage.store.undelivered({ now: 10, limit: 10 });
      expect(first).toMatchObject({
        source: 'http',
        attempts: 0,
        message: { channel: 'c', role: 'system', text: 'codex answers', eventId: event.id, createdAt: 20 },
      });
      await stage.store.delivered([first?.id ?? 0], 30);
      const [second] = await stage.store.undelivered({ now: 10, limit: 10 });
      expect(second?.message).toMatchObject({ role: 'assistant', text: 'hi', backend: 'codex' });
      await stage.store.delivered([second?.id ?? 0], 30);
      expect(await due()).toEqual([]);
    });

    it('keeps a silent message in the conversation alone (18.5)', async () => {
      await stage.accept('c', 'look around', { source: 'heartbeat' });
      await stage.answerNext('NO_REPLY', {
        messages: [{ role: 'assistant', text: 'NO_REPLY', silent: true }],
      });
      await stage.reopen();
      expect(await due()).toEqual([]);
      const messages = await stage.store.messages('c', { limit: 5 });
      expect(messages.map(({ text, silent }) => [text, silent])).toEqual([
        ['look around', undefined],
        ['NO_REPLY', true],
      ]);
      const digests = await stage.store.channelDigests({ limit: 5 });
      expect(digests).toMatchObject([{ lastText: 'NO_REPLY', lastSilent: true }]);
      await say('c', 'back again');
      expect(await due()).toEqual(['back again']);
      expect((await stage.store.channelDigests({ limit: 5 }))[0]).not.toHaveProperty('lastSilent');
    });

    it('says something outside of a turn', async () => {
      const message = await stage.store.post(
        { channel: 'c', role: 'system', text: 'back again', source: 'http' },
        5,
      );
      expect(await stage.store.messages('c', { limit: 5 })).toEqual([message]);
      expect(await stage.store.undelivered({ now: 5, limit: 5 })).toMatchObject([
        { message, source: 'http' },
      ]);
      const { event } = await stage.accept('d', 'x', { source: 'discord' });
      await stage.store.post({ channel: 'd', role: 'system', text: 'retrying', eventId: event.id }, 5);
      expect(await stage.store.undelivered({ now: 5, limit: 5 })).toMatchObject([{}, { source: 'discord' }]);
    });

    it('gives the oldest of each channel, the oldest first', async () => {
      for (const [channel, text] of ['a1', 'a2', 'b1', 'c1', 'b2'].map((text) => [text.charAt(0), text])) {
        await say(channel ?? '', text ?? '');
      }
      expect(await due()).toEqual(['a1', 'b1', 'c1']);
      expect(await due(10, 2)).toEqual(['a1', 'b1']);
      const heads = await stage.store.undelivered({ now: 10, limit: 10 });
      await stage.store.delivered(
        heads.map(({ id }) => id),
        11,
      );
      expect(await due()).toEqual(['a2', 'b2']);
      expect((await stage.store.counts()).undelivered).toBe(2);
    });

    it('tries a failed one again later, the ones behind it waiting', async () => {
      for (const text of ['1', '2']) await say('c', text);
      await say('other', 'o');
      const [first] = await stage.store.undelivered({ now: 10, limit: 10 });
      await stage.store.notDelivered(first?.id ?? 0, { error: 'no route', notBefore: 100 });
      await stage.reopen();
      expect(await due(99)).toEqual(['o']);
      expect(await due(100)).toEqual(['o', '1']);
      const again = await stage.store.undelivered({ now: 100, limit: 10 });
      expect(again[1]).toMatchObject({ id: first?.id, attempts: 1 });
    });

    it('takes one for due that would wait longer than any may: the clock was set back', async () => {
      await say('c', '1');
      const [first] = await stage.store.undelivered({ now: 10, limit: 10 });
      await stage.store.notDelivered(first?.id ?? 0, { error: 'no route', notBefore: 90_000 });
      const request = { limit: 10, longestWaitMs: 60_000 };
      expect(await stage.store.undelivered({ ...request, now: 30_000 })).toEqual([]);
      expect(await stage.store.undelivered({ ...request, now: 29_999 })).toHaveLength(1);
    });

    it('goes on behind one that was given up', async () => {
      for (const text of ['1', '2']) await say('c', text);
      const [first] = await stage.store.undelivered({ now: 10, limit: 10 });
      await stage.store.notDelivered(first?.id ?? 0, { error: 'gone' });
      expect(await due()).toEqual(['2']);
      await stage.store.notDelivered(first?.id ?? 0, { error: 'gone', notBefore: 1 });
      await stage.store.delivered([first?.id ?? 0, 12_345], 11);
      expect(await due()).toEqual(['2']);
    });

    it('keeps the order of turns in a channel', async () => {
      for (const text of ['1', '2', '3']) await stage.accept('c', text);
      for (const text of ['1', '2', '3']) await stage.answerNext(`answer ${text}`);
      for (const text of ['1', '2', '3']) {
        const deliveries = await stage.store.undelivered({ now: 10, limit: 10 });
        expect(deliveries.map(({ message }) => message.text)).toEqual([`answer ${text}`]);
        await stage.store.delivered([deliveries[0]?.id ?? 0], 30);
      }
      await stage.accept('c', '4');
      await stage.store.finish((await stage.claimOne()).lease, outcome('answer 4'));
      expect(await due()).toEqual(['answer 4']);
    });
  });
}
