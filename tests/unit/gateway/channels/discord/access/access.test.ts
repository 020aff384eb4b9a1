import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../../../../../src/config/log.js';
import {
  type AccessParts,
  DiscordAccess,
} from '../../../../../../src/gateway/channels/discord/access/access.js';
import {
  hashPairingCode,
  readPairingCode,
} from '../../../../../../src/gateway/channels/discord/access/pairing-code.js';
import { welcome } from '../../../../../../src/gateway/channels/discord/access/words.js';
import { DiscordProblem } from '../../../../../../src/gateway/channels/discord/discord-api.js';
import type { Place, Speaker } from '../../../../../../src/gateway/channels/discord/types.js';
import { openSqliteStore } from '../../../../../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../../../../../src/store/store.js';
import { patience } from '../../../../../machine-speed.js';

const hour = 3_600_000;
const bot = '900000000000000000';
const dm: Place = { channelId: 'dm' };
const guild: Place = { channelId: 'c', guildId: 'g' };
const ann: Speaker = { id: 'ann', name: 'Ann', roles: [] };
const noLimits = { userTurnsPerHour: 0, channelTurnsPerHour: 0, userSpendPerDay: 0, channelSpendPerDay: 0 };

describe('access to the bot in Discord (17.5)', () => {
  let directory: string;
  let store: Store;
  let now: number;
  let sent: { channelId: string; content: string; body: unknown }[];
  let lastId: number;
  const lines: string[] = [];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'turnout-access-'));
    store = await openSqliteStore(join(directory, 'turnout.db'));
    now = Date.UTC(2026, 0, 31, 12);
    sent = [];
    lastId = 0;
    lines.length = 0;
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });

  const send: AccessParts['api']['send'] = async (channelId, body) => {
    sent.push({ channelId, content: body.content ?? '', body });
    return {} as never;
  };
  const open = (more: Partial<AccessParts> = {}) =>
    new DiscordAccess({
      ...{
        api: { send, messages: async () => [] },
        store,
        limits: noLimits,
        secret: 'token',
        botId: () => bot,
        now: () => now,
      },
      allowed: { users: [], roles: [], guilds: [], channels: [] },
      log: createLog('info', (line) => lines.push(line)),
      ...more,
    });
  const say = (access: DiscordAccess, speaker: Speaker, place: Place, content = `<@${bot}> hello`) =>
    access.admit(
      {
        ...{
          id: `m${++lastId}`,
          channel_id: place.channelId,
          words: content.replace(`<@${bot}>`, '').trim(),
        },
        mentions: content.includes(bot) ? [{ id: bot }] : [],
      },
      speaker,
      place,
    );
  const codeIn = (text: string | undefined) =>
    readPairingCode(/pair approve (\w+)/.exec(text ?? '')?.[1] ?? '');
  const approve = async (code: string | undefined) =>
    store.approveDiscordCode({ hash: await hashPairingCode(code ?? ''), at: now });

  it('gives a stranger a code, the same one after a restart, no more than three times', async () => {
    expect(await say(open(), ann, dm)).toBe(false);
    now += hour / 2;
    for (let more = 0; more < 5; more++) expect(await say(open(), ann, dm)).toBe(false);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ content }) => codeIn(content))).size).toBe(1);
    expect(codeIn(sent[0]?.content)).toBeDefined();
    now += hour / 2;
    await say(open(), ann, dm);
    expect(sent).toHaveLength(4);
    expect(codeIn(sent[3]?.content)).not.toBe(codeIn(sent[0]?.content));
  });

  it('gives no code without pairing: a refusal once a day, also in direct messages (17.5)', async () => {
    const access = open({ pairing: false });
    for (let more = 0; more < 3; more++) expect(await say(access, ann, dm, 'hello')).toBe(false);
    expect(sent.map(({ content }) => content)).toEqual([expect.stringContaining('Sorry')]);
    now += 24 * hour;
    await say(access, ann, dm, 'hello');
    expect(sent).toHaveLength(2);
    expect(await store.discordStrangers(now)).toEqual([]);
  });

  it('takes no message where the bot can’t answer, and tells the asker once a day (17.5)', async () => {
    let lacking: string | undefined = 'Send Messages';
    const access = open({
      allowed: { users: ['ann'], roles: [], guilds: [], channels: [] },
      lacksToWrite: () => lacking,
      directChannel: async (userId) => ({ id: `dm of ${userId}` }),
    });
    for (let more = 0; more < 3; more++) expect(await say(access, ann, guild)).toBe(false);
    expect(sent).toMatchObject([
      { channelId: 'dm of ann', content: expect.stringContaining('Send Messages') },
    ]);
    expect(lines.filter((line) => line.includes('Send Messages'))).toHaveLength(1);
    lacking = undefined;
    expect(await say(access, ann, guild)).toBe(true);
  });

  it('gives another code when the secret has changed: the former one would be told wrongly', async () => {
    await say(open(), ann, dm);
    await say(open({ secret: 'another token' }), ann, dm);
    expect(await approve(codeIn(sent[0]?.content))).toMatchObject({ type: 'unknown' });
    expect(await approve(codeIn(sent[1]?.content))).toMatchObject({ type: 'paired' });
  });

  it('lets an approved stranger in, tells him once, and takes up what he wrote', async () => {
    const taken: string[] = [];
    const access = open({ takeUp: async (channelId, id) => taken.push(`${channelId} ${id}`) > 0 });
    await say(access, ann, dm);
    await approve(codeIn(sent[0]?.content));
    await access.welcome();
    await access.welcome();
    expect(taken).toEqual(['dm m1']);
    expect(sent).toHaveLength(2);
    expect(sent[1]).toMatchObject({ channelId: 'dm', body: { enforce_nonce: true, nonce: 'pairm1' } });
    expect(sent[1]?.content).toContain('I’m answering what you wrote');
    expect(await access.may(ann, dm)).toBe(true);
    expect(await say(access, ann, guild)).toBe(true);
    await store.removeDiscordPerson('ann');
    expect(await access.may(ann, dm)).toBe(false);
  });

  it('tries again to tell somebody, unless Discord refuses for good, and logs it once', async () => {
    await say(open(), ann, dm);
    await approve(codeIn(sent[0]?.content));
    const problem = (status: number | undefined) => ({
      send: () => Promise.reject(new DiscordProblem('no', status, undefined)),
      messages: async () => [],
    });
    const broken = open({ api: problem(undefined) });
    await broken.welcome();
    await broken.welcome();
    expect(lines).toHaveLength(1);
    expect(await store.discordUnwelcomed()).toHaveLength(1);
    await open({ api: problem(403) }).welcome();
    expect(await store.discordUnwelcomed()).toEqual([]);
  });

  it('does not tell somebody again whom a gateway has told before it died', async () => {
    await say(open(), ann, dm);
    await approve(codeIn(sent[0]?.content));
    const told = [{ author: { id: bot }, content: welcome(true) }] as never;
    now += 20 * 60_000;
    await open({ api: { send, messages: async () => told } }).welcome();
    expect(sent).toHaveLength(1);
    expect(await store.discordUnwelcomed()).toEqual([]);
  });

  it('looks by itself, and leaves nothing behind when it is stopped', async () => {
    const access = open({ lookEveryMs: 5 });
    await say(access, ann, dm);
    access.start();
    await approve(codeIn(sent[0]?.content));
    await vi.waitFor(() => expect(sent).toHaveLength(2), patience);
    await access.stop();
    expect(sent[1]?.content).toContain('Please write your message again');
  });

  it('refuses politely once a day in a channel, only if it was mentioned, and never too often', async () => {
    const access = open();
    expect(await say(access, ann, guild, 'not for you')).toBe(false);
    expect(sent).toEqual([]);
    for (let more = 0; more < 3; more++) expect(await say(access, ann, guild)).toBe(false);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.body).toMatchObject({ allowed_mentions: { parse: [] }, message_reference: {} });
    for (let n = 0; n < 1000; n++) await say(access, { ...ann, id: `stranger ${n}` }, guild);
    expect(sent).toHaveLength(30);
    now += 24 * hour;
    await say(access, ann, guild);
    expect(sent).toHaveLength(31);
  });

  it('answers thousands of strangers with a hundred codes and some refusals', async () => {
    const access = open();
    const come = (n: number) => say(access, { ...ann, id: `s${n}` }, { channelId: `dm${n}` });
    await Promise.all(Array.from({ length: 120 }, (_, n) => come(n)));
    for (let n = 120; n < 2000; n++) await come(n);
    expect(await store.discordStrangers(now)).toHaveLength(100);
    expect(sent).toHaveLength(120);
  });

  it('says when it goes on for somebody over a limit, who can still stop what runs', async () => {
    const access = open({
      allowed: { users: ['ann'], roles: [], guilds: [], channels: [] },
      limits: { ...noLimits, userTurnsPerHour: 2 },
      startsTurn: (text) => text !== '/stop',
    });
    expect(await say(access, ann, guild)).toBe(true);
    expect(await say(access, ann, guild, `<@${bot}> /stop`)).toBe(true);
    expect(await access.countTurn('interaction', ann, guild)).toBeUndefined();
    expect(await say(access, ann, guild)).toBe(false);
    expect(await say(access, ann, guild)).toBe(false);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.content).toContain(`I can go on <t:${(now + hour) / 1000}:R>`);
    expect(await access.countTurn('another', ann, guild)).toContain('I can go on');
    expect(await say(access, ann, guild, `<@${bot}> /stop`)).toBe(true);
    now += hour;
    expect(await say(access, ann, guild)).toBe(true);
  });

  it('goes on when a refusal can’t be sent', async () => {
    const access = open({
      api: { send: () => Promise.reject(new DiscordProblem('gone', 403, 50001)), messages: async () => [] },
    });
    expect(await say(access, ann, guild)).toBe(false);
    expect(lines).toHaveLength(1);
  });

  it('keeps a hostile name harmless', async () => {
    await say(open(), { ...ann, name: `\u001b[2J\n${'x'.repeat(10_000)}` }, dm);
    const [stranger] = await store.discordStrangers(now);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
    expect(stranger?.name).not.toMatch(/[\u0000-\u001f]/);
    expect(stranger?.name.length).toBeLessThanOrEqual(80);
  });
});
