import { describe, expect, it } from 'vitest';
import type { StoreStage } from './stage.js';

export function describePlaces(stage: StoreStage): void {
  describe('places of Discord', () => {
    it('are kept with the newest message that was seen, which only grows', async () => {
      const { store } = stage;
      await store.saveDiscordPlace({ channelId: '1', seen: '999' });
      await store.saveDiscordPlace({ channelId: '1', parentId: '7', seen: '9223372036854775807' });
      // As a text it would be greater.
      await store.saveDiscordPlace({ channelId: '1', seen: '9300000000000000000'.slice(0, 4) });
      await store.saveDiscordPlace({ channelId: '2', seen: '5' });
      expect(await store.discordPlace('1')).toEqual({
        channelId: '1',
        parentId: '7',
        seen: '9223372036854775807',
      });
      expect((await store.discordPlaces()).map(({ channelId }) => channelId)).toEqual(['1', '2']);
      await store.forgetDiscordPlace('1');
      expect(await store.discordPlace('1')).toBeUndefined();
    });
  });
}
