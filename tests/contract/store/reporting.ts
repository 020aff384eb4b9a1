import { describe, expect, it } from 'vitest';
import { outcome, retry, type StoreStage, texts } from './stage.js';

/** What lists and plots are made of. */
export function describeReporting(stage: StoreStage): void {
  const turn = async (
    channel: string,
    { backend = 'claude', model = 'm', ms = 100, ...more }: Record<string, unknown> = {},
  ) => {
    await stage.accept(channel, 'x');
    const { lease } = await stage.claimOne(1000);
    const prompt = { files: [], characters: 0, hash: '', seededMessages: 0 };
    const setup = { backend: String(backend), model: String(model), cwd: '/', live: false, prompt };
    await stage.store.journal(lease, { type: 'began', ...setup });
    const usage = { inputTokens: 10, outputTokens: 2, cachedInputTokens: 5, costUsd: 0.25 };
    await stage.store.finish(lease, outcome('y', { at: 1000 + Number(ms), usage, ...more }));
  };

  describe('pages of messages', () => {
    it('reads a channel from its end', async () => {
      for (const text of ['1', '2', '3', '4', '5']) {
        await stage.accept('a', text);
        await stage.accept('b', `other ${text}`);
      }
      const page = (before: number, limit = 2) => stage.store.messages('a', { before, limit });
      const last = await page(Number.MAX_SAFE_INTEGER);
      expect(texts(last)).toEqual(['4', '5']);
      const middle = await page(last[0]?.id ?? 0);
      expect(texts(middle)).toEqual(['2', '3']);
      expect(texts(await page(middle[0]?.id ?? 0))).toEqual(['1']);
      expect(await page(1)).toEqual([]);
      expect(await page(5, 0)).toEqual([]);
    });

    it('reads those of all channels, newest first, without the rest of long ones', async () => {
      await stage.accept('a', 'one');
      await stage.accept('b', `\u0000${'x'.repeat(100)}`);
      await stage.accept('a', 'three');
      const page = { limit: 2, maxCharacters: 20 };
      const [third, second] = await stage.store.newestMessages(page);
      expect([third?.text, second?.channel]).toEqual(['three', 'b']);
      expect(second?.text.length).toBeLessThanOrEqual(20);
      expect(second?.text.startsWith('\u0000xx')).toBe(true);
      expect(texts(await stage.store.newestMessages({ ...page, before: second?.id }))).toEqual(['one']);
    });
  });

  describe('digests of channels', () => {
    it('come with the newest first, and with words', async () => {
      await stage.accept('a', '/status', { kind: 'command' });
      await stage.accept('a', 'What is this?', { at: 5 });
      await stage.accept('b', 'Run the tests.', { at: 6 });
      await stage.claimOne();
      const { lease } = await stage.claimOne();
      await stage.store.askPermission(lease, { id: 'p', tool: 't', input: 1, options: [], at: 7 });
      await stage.store.post({ channel: 'a', role: 'system', text: `later ${'x'.repeat(9000)}` }, 8);
      await stage.store.changeChannel('silent', { backend: 'codex' });
      await stage.reopen();
      const all = await stage.store.channelDigests({ limit: 10 });
      expect(all).toEqual([
        {
          ...{ channel: 'a', archived: false, waiting: 1, running: true, messages: 3, lastMessageAt: 8 },
          ...{ firstPrompt: 'What is this?', lastText: `later ${'x'.repeat(594)}`, pendingPermissions: 0 },
        },
        {
          ...{ channel: 'b', archived: false, waiting: 0, running: true, messages: 1, lastMessageAt: 6 },
          ...{ firstPrompt: 'Run the tests.', lastText: 'Run the tests.', pendingPermissions: 1 },
        },
        {
          ...{ channel: 'silent', archived: false, waiting: 0, running: false },
          ...{ messages: 0, pendingPermissions: 0 },
        },
      ]);
      expect(await stage.store.channelDigests({ limit: 1 })).toEqual(all.slice(0, 1));
      const some = await stage.store.channelDigests({ only: ['b', 'unknown', 'a'], limit: 10 });
      expect(some).toEqual(all.slice(0, 2));
      const names = (await stage.store.channelNames()).map(({ channel }) => channel);
      expect(names).toEqual(['a', 'b', 'silent']);
    });

    it('are of the archived channels, of the others, or of all (16.4)', async () => {
      for (const channel of ['a', 'b', 'c']) await stage.accept(channel, channel);
      await stage.store.changeListing('b', { archived: true, title: 'Put away' });
      const names = async (query: { archived?: boolean; only?: string[] }) =>
        (await stage.store.channelDigests({ ...query, limit: 2 })).map(({ channel }) => channel);
      expect(await names({})).toEqual(['c', 'b']);
      expect(await names({ archived: false })).toEqual(['c', 'a']);
      expect(await names({ archived: true })).toEqual(['b']);
      expect(await names({ archived: true, only: ['a', 'b'] })).toEqual(['b']);
      expect(await names({ archived: false, only: ['a', 'b'] })).toEqual(['a']);
      expect(await stage.store.channelDigests({ only: ['b'], limit: 1 })).toMatchObject([
        { title: 'Put away', archived: true, firstPrompt: 'b' },
      ]);
    });

    it('are about the present conversation', async () => {
      const first = async () => (await stage.store.channelDigests({ limit: 1 }))[0]?.firstPrompt;
      await stage.accept('a', 'the old one');
      await stage.answerNext('yes', { channelChange: { newConversation: true } });
      expect(await first()).toBeUndefined();
      await stage.accept('a', 'the new one');
      await stage.accept('a', 'and more');
      expect(await first()).toBe('the new one');
    });
  });

  it('lists what waits in all channels, in the order of arrival', async () => {
    for (const channel of ['b', 'a', 'b', 'c']) await stage.accept(channel, channel.repeat(1000));
    await stage.claimOne();
    const waiting = await stage.store.waitingEverywhere(2);
    expect(waiting.map(({ channel, seq }) => [channel, seq])).toEqual([
      ['a', 2],
      ['b', 3],
    ]);
    expect(waiting[0]?.text).toBe('a'.repeat(600));
    expect(await stage.store.waitingEverywhere(0)).toEqual([]);
  });

  it('reads no more of an archive than it is asked for', async () => {
    await stage.accept('a', 'x');
    const events = Array.from({ length: 40 }, (_, i) => ({
      type: 'text' as const,
      text: `${i} ${'x'.repeat(20_000)}`,
    }));
    const { lease } = await stage.answerNext('y', { events });
    expect(await stage.store.turnEvents(lease.turnId)).toEqual(events);
    const some = await stage.store.turnEvents(lease.turnId, 100_000);
    expect(some).toEqual(events.slice(0, some.length));
    expect(some.length).toBeGreaterThan(3);
    expect(some.length).toBeLessThan(20);
  });

  describe('statistics', () => {
    it('has the times, the sums and the errors of each key', async () => {
      for (const ms of [100, 400, 200]) await turn('a', { ms });
      await turn('a', { ms: 300, state: 'failed', error: { code: 'auth', message: 'no' } });
      // Somebody has stopped it: that is no error.
      const error = { code: 'interrupted', message: 'Stopped by /stop' };
      await turn('b', { backend: 'codex', ms: 50, state: 'cancelled', error });
      await turn('b', { backend: 'codex', ms: 5000 });
      await stage.accept('b', '/status', { kind: 'command' });
      await stage.answerNext('fine', { at: 1100 });
      const by = async (key: 'backend' | 'channel', since = 0, until = 5000, only?: readonly string[]) => {
        const rows = await stage.store.statistics({ by: key, ...within(since, until), only });
        return rows.map((row) => ({ ...row, ms: row.ms.toSorted((one, other) => one - other) }));
      };
      const claude = {
        ...{ turns: 4, answered: 3, failed: 1, cancelled: 0, ms: [100, 200, 300, 400] },
        ...{ inputTokens: 40, outputTokens: 8, cachedInputTokens: 20, costUsd: 1, errors: { auth: 1 } },
      };
      const codex = {
        ...{ turns: 1, answered: 0, failed: 0, cancelled: 1, ms: [50] },
        ...{ inputTokens: 10, outputTokens: 2, cachedInputTokens: 5, costUsd: 0.25, errors: {} },
      };
      expect(await by('backend')).toEqual([
        { key: 'claude', ...claude },
        { key: 'codex', ...codex },
      ]);
      expect(await by('channel')).toEqual([
        { key: 'a', ...claude },
        { key: 'b', ...codex },
      ]);
      expect(await by('backend', 1050, 1300)).toMatchObject([
        { key: 'claude', turns: 2, ms: [100, 200] },
        { key: 'codex', turns: 1 },
      ]);
      expect(await by('backend', 1401, 5000)).toEqual([]);
      expect(await by('channel', 0, 5000, ['b', 'c'])).toEqual([{ key: 'b', ...codex }]);
      expect(await stage.store.countTurns({ by: 'channel', ...within(0, 5000) })).toEqual([
        { key: 'a', turns: 4 },
        { key: 'b', turns: 1 },
      ]);
    });

    it('is cut at any turn, also among those that ended at the same time', async () => {
      for (const ms of [100, 400, 200, 100]) await turn('a', { ms });
      const places = [1, 2, 4, 5].map((count) => stage.store.turnPlace({ endedAt: 1100, seq: 0 }, count));
      const [first, second, last, none] = await Promise.all(places);
      expect([first, second, last]).toMatchObject([{ endedAt: 1100 }, { endedAt: 1100 }, { endedAt: 1400 }]);
      expect(none).toBeUndefined();
      if (first === undefined || second === undefined) throw new Error('There are four');
      expect(await stage.store.turnPlace(first, 1)).toEqual(second);
      expect(await stage.store.statistics({ by: 'channel', behind: first, upTo: second })).toMatchObject([
        { turns: 1, ms: [100] },
      ]);
      const rest = { behind: second, upTo: { endedAt: 1400, seq: 0 } };
      expect(await stage.store.countTurns({ by: 'channel', ...rest })).toEqual([{ key: 'a', turns: 1 }]);
    });

    it('counts an attempt that comes again for its tokens and its error, not as a turn', async () => {
      await turn('a', { ms: 300 });
      await stage.accept('a', 'x');
      const { lease } = await stage.claimOne(1000);
      const prompt = { files: [], characters: 0, hash: '', seededMessages: 0 };
      await stage.store.journal(lease, { type: 'began', backend: 'claude', cwd: '/', live: false, prompt });
      await stage.store.postpone(lease, retry({ at: 9000, usage: { inputTokens: 7, outputTokens: 1 } }));
      expect(await stage.store.statistics({ by: 'backend', ...within(0, 10_000) })).toMatchObject([
        { turns: 1, failed: 0, ms: [300], inputTokens: 17, errors: { overloaded: 1 } },
      ]);
    });

    it('knows the models that were used, the last one first', async () => {
      await turn('a', { model: 'opus' });
      await turn('a', { model: 'sonnet' });
      await turn('a', { model: 'opus' });
      await turn('a', { backend: 'codex', model: 'gpt' });
      expect(await stage.store.modelsUsed()).toEqual([
        { backend: 'codex', model: 'gpt' },
        { backend: 'claude', model: 'opus' },
        { backend: 'claude', model: 'sonnet' },
      ]);
    });
  });
}

/** The turns that ended in [since, until). */
function within(since: number, until: number) {
  return { behind: { endedAt: since, seq: 0 }, upTo: { endedAt: until, seq: 0 } };
}
