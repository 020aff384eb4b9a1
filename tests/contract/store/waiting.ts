import { describe, expect, it } from 'vitest';
import { retry, type StoreStage } from './stage.js';

export function describeWaiting(stage: StoreStage): void {
  describe('changes of what waits', () => {
    it('a prompt that waits gets another text, in the conversation, too (17.5)', async () => {
      const { event } = await stage.accept('c', 'before', { context: 'by anna' });
      expect(event.context).toBe('by anna');
      expect((await stage.store.event(event.id))?.context).toBe('by anna');
      expect(await stage.store.changeWaiting(event.id, 'after', 'by anna, edited')).toBe(true);
      await stage.reopen();
      expect(await stage.store.messages('c', { limit: 9 })).toMatchObject([{ text: 'after' }]);
      const claim = await stage.claimOne();
      expect(claim.event).toMatchObject({ text: 'after', context: 'by anna, edited' });
      expect(await stage.store.changeWaiting(event.id, 'late')).toBe(false);
      await stage.store.postpone(claim.lease, retry({ notBefore: 0 }));
      expect(await stage.store.changeWaiting(event.id, 'an agent has seen it')).toBe(false);
      expect(await stage.store.changeWaiting('evt_none', 'x')).toBe(false);
      expect(await stage.waitingTexts('c')).toEqual(['after']);
    });

    it('a prompt runs next, and the others keep their order and their messages (17.5)', async () => {
      await stage.accept('c', 'running');
      const { lease } = await stage.claimOne();
      const ids: string[] = [];
      for (const text of ['a', 'b', 'c', 'd']) ids.push((await stage.accept('c', text)).event.id);
      await stage.accept('other', 'x');
      expect(await stage.store.moveToFront(ids[2] ?? '')).toBe(true);
      expect(await stage.waitingTexts('c')).toEqual(['c', 'a', 'b', 'd']);
      await stage.reopen();
      expect(await stage.waitingTexts('c')).toEqual(['c', 'a', 'b', 'd']);
      expect(await stage.store.countWaiting('c')).toBe(4);
      await stage.store.postpone(lease, retry({ notBefore: 0 }));
      expect(await stage.store.moveToFront(ids[3] ?? '')).toBe(true);
      expect(await stage.waitingTexts('c')).toEqual(['running', 'd', 'c', 'a', 'b']);
      for (let turn = 0; turn < 6; turn += 1) await stage.answerNext(`answer ${turn}`);
      expect(await stage.store.moveToFront(ids[0] ?? '')).toBe(false);
      const said = await stage.store.conversation('c', { after: 0, limit: 99 });
      expect(said.filter(({ part }) => part === 'prompt').map(({ text }) => text)).toEqual([
        ...['running', 'd', 'c', 'a', 'b'],
      ]);
    });
  });
}
