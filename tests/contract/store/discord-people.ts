import { describe, expect, it } from 'vitest';
import type { DiscordLimits, NewPairingCode } from '../../../src/store/store.js';
import { outcome, type StoreStage } from './stage.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const noon = Date.UTC(2026, 0, 31, 12);

export function describeDiscordPeople(stage: StoreStage): void {
  describe('people of Discord (17.5)', () => {
    const open = (userId: string, more: Partial<NewPairingCode> = {}) =>
      stage.store.openDiscordCode({
        ...{ userId, name: `name of ${userId}`, channelId: `dm-${userId}`, messageId: `m-${userId}` },
        ...{ salt: 's', hash: `hash-${userId}`, at: noon, maxOpen: 3, ...more },
      });
    const approve = (hash: string, at = noon) => stage.store.approveDiscordCode({ hash, at });

    it('keeps a code for an hour, and then another one', async () => {
      expect(await open('u')).toEqual({ type: 'open', told: 0, expiresAt: noon + hour });
      await stage.reopen();
      expect(await open('u', { at: noon + minute })).toEqual({
        ...{ type: 'open', told: 1, expiresAt: noon + hour },
      });
      expect(await stage.store.discordCode('u', noon + hour - 1)).toEqual({
        salt: 's',
        hash: 'hash-u',
        told: 2,
      });
      expect(await stage.store.discordCode('u', noon + hour)).toBeUndefined();
      expect(await approve('hash-u', noon + hour)).toMatchObject({ type: 'unknown' });
      expect(await open('u', { at: noon + hour })).toMatchObject({ told: 0, expiresAt: noon + 2 * hour });
    });

    it('opens no more codes than allowed, however many strangers come, and goes on when they have expired', async () => {
      const all = await Promise.all(Array.from({ length: 2000 }, (_, n) => open(`u${n}`)));
      expect(all.filter(({ type }) => type === 'open')).toHaveLength(3);
      expect(await stage.store.discordStrangers(noon)).toHaveLength(3);
      expect(await open('u0')).toMatchObject({ type: 'open', told: 1 });
      expect(await open('late', { at: noon + hour })).toMatchObject({ type: 'open' });
    });

    it('pairs whoever has the code, once, until that is undone', async () => {
      await open('u');
      expect(await stage.store.isDiscordPaired('u')).toBe(false);
      const person = {
        ...{ userId: 'u', name: 'name of u', channelId: 'dm-u', messageId: 'm-u', pairedAt: noon + 1 },
      };
      expect(await approve('hash-u', noon + 1)).toEqual({ type: 'paired', person });
      expect(await approve('hash-u', noon + 1)).toMatchObject({ type: 'unknown' });
      await stage.reopen();
      expect(await stage.store.isDiscordPaired('u')).toBe(true);
      expect(await stage.store.discordPaired()).toEqual([person]);
      expect(await stage.store.discordStrangers(noon)).toEqual([]);
      expect(await stage.store.discordUnwelcomed()).toEqual([person]);
      await stage.store.discordWelcomed('u');
      expect(await stage.store.discordUnwelcomed()).toEqual([]);
      expect(await stage.store.removeDiscordPerson('u')).toBe(true);
      expect(await stage.store.removeDiscordPerson('u')).toBe(false);
      expect(await stage.store.isDiscordPaired('u')).toBe(false);
    });

    it('makes a pause after five wrong codes, for the right one too', async () => {
      await open('u');
      for (const left of [4, 3, 2, 1, 0])
        expect(await approve('wrong')).toEqual({ type: 'unknown', triesLeft: left });
      await stage.reopen();
      expect(await approve('hash-u')).toEqual({ type: 'paused', until: noon + 15 * minute });
      // A clock that was set back by a year does not make the pause last for a year.
      expect(await approve('wrong', noon - 365 * day)).toMatchObject({ type: 'unknown' });
      expect(await approve('hash-u', noon + 15 * minute)).toMatchObject({ type: 'paired' });
    });

    it('refuses once for a user and a channel in a day, and not too often in all', async () => {
      const refuse = (userId: string, channelId: string, at = noon) =>
        stage.store.noteDiscordRefusal({
          ...{ userId, channelId, at, kind: 'stranger', everyMs: day, most: 3 },
        });
      expect(await refuse('u', 'c')).toBe(true);
      await stage.reopen();
      expect(await refuse('u', 'c', noon + day - 1)).toBe(false);
      expect(await refuse('u', 'd')).toBe(true);
      expect(await refuse('v', 'c')).toBe(true);
      expect(await refuse('w', 'c')).toBe(false);
      expect(await refuse('w', 'c', noon + hour)).toBe(true);
      expect(await refuse('u', 'c', noon + day)).toBe(true);
      expect(await refuse('u', 'c', noon - 365 * day)).toBe(true);
    });

    const none: DiscordLimits = {
      ...{ userTurnsPerHour: 0, channelTurnsPerHour: 0, userSpendPerDay: 0, channelSpendPerDay: 0 },
    };
    const count = (
      messageId: string,
      limits: Partial<DiscordLimits>,
      at = noon,
      userId = 'u',
      channelId = 'c',
    ) => stage.store.countDiscordTurn({ messageId, userId, channelId, at }, { ...none, ...limits });

    it('limits the turns of an hour, of a user and of a channel, and counts a message once', async () => {
      const limits = { userTurnsPerHour: 2 };
      expect(await count('1', limits)).toBeUndefined();
      expect(await count('1', limits)).toBeUndefined();
      expect(await count('2', limits, noon + minute)).toBeUndefined();
      await stage.reopen();
      expect(await count('3', limits, noon + 2 * minute, 'u', 'elsewhere')).toEqual({
        ...{ limit: 'userTurnsPerHour', until: noon + hour },
      });
      expect(await count('2', limits, noon + 2 * minute)).toBeUndefined();
      expect(await count('4', { channelTurnsPerHour: 2 }, noon + 2 * minute, 'v')).toEqual({
        ...{ limit: 'channelTurnsPerHour', until: noon + hour },
      });
      expect(await count('5', limits, noon + 2 * minute, 'v')).toBeUndefined();
      expect(await count('6', limits, noon + hour)).toBeUndefined();
    });

    it('is closed for two hours at most by a clock that was wrong', async () => {
      const limits = { userTurnsPerHour: 1 };
      await count('1', limits, noon + 365 * day);
      expect(await count('2', limits, noon)).toBeUndefined();
      expect(await count('3', limits, noon - hour / 2)).toMatchObject({ until: noon + hour });
      expect(await count('4', limits, noon - 2 * hour)).toBeUndefined();
    });

    it('limits what a day may cost, and shares a turn among the people whom it answers', async () => {
      await count('1', {}, noon, 'u');
      await count('2', {}, noon, 'v');
      for (const messageId of ['1', '2'])
        await stage.accept('discord:c', 'x', { source: 'discord', messageId });
      const { lease } = await stage.claimOne();
      await stage.store.join(lease, { limit: 10 });
      const usage = { inputTokens: 1, outputTokens: 1, costUsd: 3 };
      await stage.store.finish(lease, outcome('done', { at: noon, usage }));

      expect(await count('3', { userSpendPerDay: 2 }, noon + hour)).toBeUndefined();
      const over = { limit: 'userSpendPerDay', until: noon + day };
      expect(await count('4', { userSpendPerDay: 1.5 }, noon + hour)).toEqual(over);
      expect(await count('5', { userSpendPerDay: 1.5 }, noon + hour, 'v', 'elsewhere')).toEqual(over);
      expect(await count('6', { userSpendPerDay: 1.5 }, noon + hour, 'w')).toBeUndefined();
      expect(await count('7', { channelSpendPerDay: 3 }, noon + hour, 'w')).toEqual({
        ...{ limit: 'channelSpendPerDay', until: noon + day },
      });
      expect(await count('8', { channelSpendPerDay: 3 }, noon + hour, 'w', 'elsewhere')).toBeUndefined();
      expect(await count('9', { userSpendPerDay: 1.5 }, noon + day)).toBeUndefined();

      // A message that was counted before, and waits.
      const waits = { messageId: '6', channelId: 'c', at: noon + hour };
      const reached = (messageId: string, limits: Partial<DiscordLimits>) =>
        stage.store.discordSpendReached({ ...waits, messageId }, { ...none, ...limits });
      expect(await reached('3', { userSpendPerDay: 1.5, userTurnsPerHour: 1 })).toEqual(over);
      expect(await reached('6', { userSpendPerDay: 1.5 })).toBeUndefined();
      expect(await reached('6', { channelSpendPerDay: 3 })).toMatchObject({ limit: 'channelSpendPerDay' });
    });
  });
}
