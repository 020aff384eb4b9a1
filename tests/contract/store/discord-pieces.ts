import { describe, expect, it } from 'vitest';
import type { StoreStage } from './stage.js';

export function describeDiscordPieces(stage: StoreStage): void {
  describe('answers in Discord (17.6)', () => {
    const say = async (text: string) =>
      (await stage.store.post({ channel: `discord:${text}`, role: 'assistant', text }, 5)).id;
    const one = { text: 'one', nonce: 'n1' };
    const two = { text: 'two', nonce: 'n2', files: [{ name: 'a.txt', path: 'out/a.txt' }] };

    it('keeps pieces, their tries and what became of them', async () => {
      const id = await say('a');
      expect(await stage.store.discordPieces(id)).toEqual([]);
      await stage.store.cutDiscordPieces(id, 0, [one, two]);
      await stage.store.discordPieceTried(id, 0, 100);
      await stage.store.discordPieceTried(id, 0, 200);
      await stage.store.discordPieceSent(id, 0, { channelId: '7', messageId: '71' });
      await stage.reopen();
      expect(await stage.store.discordPieces(id)).toEqual([
        { ...one, index: 0, firstTriedAt: 100, messageId: '71' },
        { ...two, index: 1 },
      ]);
      expect(await stage.store.lastDiscordMessage('7')).toBe('71');
      expect(await stage.store.lastDiscordMessage('8')).toBeUndefined();
    });

    it('puts other pieces in place of the last ones', async () => {
      const id = await say('a');
      await stage.store.cutDiscordPieces(id, 0, [one, two]);
      await stage.store.discordPieceSent(id, 0, { channelId: '7', messageId: '71' });
      await stage.store.cutDiscordPieces(id, 1, [
        { text: 'b', nonce: 'n2' },
        { text: 'c', nonce: 'n3' },
      ]);
      expect((await stage.store.discordPieces(id)).map(({ text, index }) => `${index} ${text}`)).toEqual([
        '0 one',
        '1 b',
        '2 c',
      ]);
    });

    it('removes pieces only when the outbox has recorded their delivery', async () => {
      const [a, b, c] = [await say('a'), await say('b'), await say('c')];
      for (const id of [a, b]) await stage.store.cutDiscordPieces(id, 0, [one]);
      await stage.store.discordPieceSent(a, 0, { channelId: '7', messageId: '71' });
      await stage.store.delivered([a], 20);
      expect(await stage.store.discordPieces(a)).toHaveLength(1);
      await stage.store.cutDiscordPieces(c, 0, [one]);
      expect(await stage.store.discordPieces(a)).toEqual([]);
      expect(await stage.store.discordPieces(b)).toHaveLength(1);
      await stage.store.notDelivered(b, { error: 'gone' });
      await stage.store.cutDiscordPieces(c, 0, [one]);
      expect(await stage.store.discordPieces(b)).toEqual([]);
      expect(await stage.store.lastDiscordMessage('7')).toBe('71');
    });

    it('keeps one progress message for each channel', async () => {
      const progress = { channelId: '7', nonce: 'p1', firstTriedAt: 5 };
      await stage.store.saveDiscordProgress(progress);
      await stage.store.saveDiscordProgress({ ...progress, messageId: '72' });
      await stage.store.saveDiscordProgress({ ...progress, channelId: '8' });
      await stage.reopen();
      expect(await stage.store.discordProgress()).toEqual([
        { ...progress, messageId: '72' },
        { ...progress, channelId: '8' },
      ]);
      await stage.store.forgetDiscordProgress('7');
      expect(await stage.store.discordProgress()).toHaveLength(1);
    });
  });
}
