import { describe, expect, it } from 'vitest';
import type { DiscordPost } from '../../../src/store/store.js';
import type { StoreStage } from './stage.js';

export function describePosting(stage: StoreStage): void {
  describe('posts on Discord', () => {
    const post: DiscordPost = { type: 'queued', subject: 'e1', channel: 'discord:1', messageId: '11', at: 5 };

    it('are found again by what they are about, and by their channel (17.5)', async () => {
      const other: DiscordPost = {
        type: 'permission',
        subject: 'p1',
        channel: 'discord:2',
        note: 'x',
        at: 6,
      };
      await stage.store.saveDiscordPost(post);
      await stage.store.saveDiscordPost(other);
      await stage.store.saveDiscordPost({ ...post, note: '2 ahead' });
      await stage.reopen();
      expect(await stage.store.discordPosts()).toEqual([{ ...post, note: '2 ahead' }, { ...other }]);
      expect(await stage.store.discordPosts('discord:2')).toEqual([{ ...other }]);
      expect(await stage.store.discordPost('permission', 'p1')).toEqual({ ...other });
      expect(await stage.store.discordPost('queued', 'p1')).toBeUndefined();
      await stage.store.removeDiscordPost('permission', 'p1');
      expect(await stage.store.discordPost('permission', 'p1')).toBeUndefined();
      expect(await stage.store.discordPosts()).toHaveLength(1);
    });
  });
}
