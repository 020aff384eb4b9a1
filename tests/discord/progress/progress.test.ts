import { describe, expect, it, onTestFinished } from 'vitest';
import { noLog } from '../../../src/config/log.js';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import { silent } from '../../../src/gateway/channels/discord/discord-api.js';
import { Progress } from '../../../src/gateway/channels/discord/progress/progress.js';
import type { FeedEntry, GatewayFace } from '../../../src/gateway/channels/types.js';
import type { StoredEvent } from '../../../src/store/rows.js';
import { restApi } from '../deliver/rest-api.js';
import { setUpDeliver } from '../deliver/stage.js';
import { until } from '../loopback/until.js';

const edit = 'PATCH /channels/:channel/messages/:message';
const send = 'POST /channels/:channel/messages';
const typing = 'POST /channels/:channel/typing';
const remove = 'DELETE /channels/:channel/messages/:message';

/** A gateway of which only `follow` is there, and Discord. */
async function setUp(times = {}) {
  const { discord, store, parts } = await setUpDeliver({ rateLimitScale: 0.001 });
  const channel = `discord:${discord.channel.id}`;
  const feeds = new Map<string, { readonly entries: FeedEntry[]; wake: () => void; open: boolean }>();
  async function* follow(name: string, { signal }: { readonly signal: AbortSignal }) {
    const feed = { entries: [] as FeedEntry[], wake: () => {}, open: true };
    feeds.set(name, feed);
    signal.addEventListener('abort', () => feed.wake());
    try {
      while (!signal.aborted) {
        const entry = feed.entries.shift();
        if (entry !== undefined) yield entry;
        else await new Promise<void>((resolve) => (feed.wake = resolve));
      }
    } finally {
      feed.open = false;
    }
  }
  const tell = async (entry: unknown, name = channel) => {
    await until(() => feeds.get(name)?.open === true);
    feeds.get(name)?.entries.push(entry as FeedEntry);
    feeds.get(name)?.wake();
  };
  const events = new Map<string, Partial<StoredEvent>>();
  const gateway = { follow, event: async (id: string) => events.get(id) } as unknown as GatewayFace;
  const start = () => {
    const progress = new Progress({
      ...{ api: parts.api, store, log: noLog, now: Date.now },
      times: { typingMs: 30, showAfterMs: 10, editMs: 15, settleMs: 60, stopMs: 500, ...times },
    });
    onTestFinished(() => progress.stop());
    progress.start(gateway);
    progress.connected({ bot: discord.bot });
    return progress;
  };
  return {
    ...{ discord, store, channel, feeds, events, start, tell, api: parts.api },
    begin: () => tell({ type: 'others', channels: [channel, 'http:1'] }, 'discord:'),
    status: (turnId: string | undefined, more = {}) =>
      tell({
        type: 'status',
        status: {
          running: turnId === undefined ? undefined : { turn: turnOf(turnId) },
          ...{ permissions: [], waiting: [], waitingCount: 0, ...more },
        },
      }),
    chat: (event: ChatEvent, turnId = 't1') => tell({ type: 'chat', turnId, event }),
    /** The turn has ended, and nothing of it is on disk any more. */
    ended: async () => {
      await until(() => feeds.get(channel)?.open === false);
      for (let i = 0; i < 500 && (await store.discordProgress()).length > 0; i++) await pause(10);
    },
    shown: () => discord.answers(discord.channel),
    typed: () => discord.typing(discord.channel).times.length,
  };
}

const turnOf = (id: string) => ({ id, startedAt: Date.now(), eventIds: [`of ${id.replace(/ .*/, '')}`] });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('the progress of a turn in Discord (17.2)', () => {
  it('is typing and one message with the text’s end and the tool, which goes when the answer is there', async () => {
    const stage = await setUp({ settleMs: 10_000 });
    const progress = stage.start();
    await stage.begin();
    await stage.status('t1');
    await until(() => stage.shown().length === 1 && stage.typed() > 2);
    await stage.chat({ type: 'text', text: '@everyone hello' });
    await stage.chat({ type: 'tool_start', id: '1', name: 'Ba`sh', input: { command: 'npm test' } });
    await until(() => stage.shown()[0]?.includes('hello') === true);
    await until(() => /^⏳ .* · `Baˋsh: npm test`\n@everyone hello$/.test(stage.shown()[0] ?? ''));
    await stage.status(undefined);
    await pause(40);
    expect(stage.shown()).toHaveLength(1);
    progress.delivered(stage.channel);
    await until(() => stage.shown().length === 0);
    await stage.ended();
    expect(await stage.store.discordProgress()).toEqual([]);
    const typed = stage.typed();
    await pause(80);
    expect(stage.typed()).toBe(typed);
    expect(stage.discord.visible(stage.discord.channel)).toEqual([]);
  });

  it('is no message in a short turn', async () => {
    const stage = await setUp({ showAfterMs: 5000 });
    stage.start();
    await stage.begin();
    await stage.status('t1');
    await until(() => stage.typed() > 0);
    await stage.status(undefined);
    await stage.ended();
    expect(stage.discord.world.everSaid(stage.discord.channel.id)).toEqual([]);
  });

  it('neither types nor shows a message while a person has to decide, and then shows one below', async () => {
    const stage = await setUp();
    stage.start();
    await stage.begin();
    await stage.status('t1');
    await until(() => stage.shown().length === 1);
    await stage.status('t1', { permissions: [{}] });
    await until(() => stage.shown().length === 0);
    const typed = stage.typed();
    await pause(80);
    expect([stage.typed() <= typed + 1, stage.shown()]).toEqual([true, []]);
    await stage.status('t1');
    await until(() => stage.shown().length === 1 && stage.typed() > typed);
  });

  it('replies to the message that it is about, has a button to stop, and stays if the turn is stopped', async () => {
    const stage = await setUp();
    const { people, channel, visible } = { ...stage.discord, visible: () => stage.discord.visible(channel) };
    const question = people.write(people.join('anna'), channel, 'hello');
    stage.events.set('of t1', { source: 'discord', messageId: question.id, state: 'running' });
    stage.start();
    await stage.begin();
    await stage.status('t1');
    await until(() => stage.shown().length === 1);
    expect(visible().at(-1)).toMatchObject({ replyTo: question.id, buttons: ['Stop'], pinged: [] });
    await stage.chat({ type: 'text', text: 'half of it' });
    await until(() => stage.shown()[0]?.includes('half of it') === true);
    stage.events.set('of t1', { source: 'discord', messageId: question.id, state: 'cancelled' });
    await stage.status(undefined);
    await stage.ended();
    expect(visible().at(-1)).toMatchObject({ content: expect.stringContaining('half of it'), buttons: [] });
    expect(stage.shown()[0]).toMatch(/^⏹️ Stopped after .*\. So far:\nhalf of it$/);
  });

  it('is the same message when the turn is tried again, and says why', async () => {
    const stage = await setUp();
    stage.start();
    await stage.begin();
    await stage.status('t1');
    await until(() => stage.shown().length === 1);
    const error = { code: 'crashed', message: 'the CLI crashed' };
    const waiting = [{ id: 'of t1', attempts: 2, error }];
    await stage.status(undefined, { waiting, waitingCount: 1 });
    await until(() => stage.shown()[0]?.endsWith('trying again (2 of 3): `the CLI crashed`') === true);
    await stage.status('t1 again');
    await stage.chat({ type: 'text', text: 'now' }, 't1 again');
    await until(() => stage.shown()[0]?.endsWith('working\nnow') === true);
    expect(stage.discord.rest.seen.filter(({ route }) => route === send)).toHaveLength(1);
    await stage.status(undefined);
    await until(() => stage.shown().length === 0);
  });

  it('has few edits when Discord is slow, each of the newest state', async () => {
    const stage = await setUp();
    stage.start();
    await stage.begin();
    await stage.status('t1');
    await until(() => stage.shown().length === 1);
    stage.discord.faults.order(edit, { type: 'slow', milliseconds: 60 }, { times: 100 });
    for (let i = 0; i < 40; i++) {
      await stage.chat({ type: 'text', text: `${i} ` });
      await pause(5);
    }
    await until(() => stage.shown()[0]?.includes(' 39') === true);
    const edits = stage.discord.rest.seen.filter(({ route }) => route === edit).length;
    expect(edits).toBeLessThan(8);
  });

  it('is left as done if it can’t be removed', async () => {
    const stage = await setUp();
    stage.start();
    await stage.begin();
    await stage.status('t1');
    await until(() => stage.shown().length === 1);
    stage.discord.faults.order(remove, { type: 'error' }, { times: 3 });
    await stage.status(undefined);
    await until(() => stage.shown()[0] === '✅ Done.');
  });

  it.each(['with its id', 'without its id'])('is removed after a crash, %s in the store', async (how) => {
    const stage = await setUp();
    const { id } = stage.discord.channel;
    const sent = await restApi(stage.discord).send(id, { content: '⏳ 3 s · works', flags: silent });
    await stage.store.saveDiscordProgress({
      ...{ channelId: id, nonce: 'n', firstTriedAt: Date.now() },
      ...(how === 'with its id' && { messageId: sent.id }),
    });
    stage.start();
    await until(() => stage.shown().length === 0);
    expect(stage.discord.violations).toEqual([]);
  });

  it('ends with the gateway, also in the middle of a turn', async () => {
    const stage = await setUp();
    const progress = stage.start();
    await stage.begin();
    await stage.status('t1');
    await until(() => stage.shown().length === 1);
    await progress.stop();
    expect(stage.shown()).toEqual([]);
    const typed = stage.typed();
    await pause(60);
    expect(stage.typed()).toBe(typed);
  });

  it('is not missed in a turn that begins while the message of the last one is removed', async () => {
    const stage = await setUp({ settleMs: 100 });
    stage.start();
    await stage.begin();
    await stage.status('t1');
    await until(() => stage.shown().length === 1);
    await stage.status(undefined);
    await until(() => stage.feeds.get(stage.channel)?.open === false);
    await stage.begin();
    await stage.status('t2');
    await stage.chat({ type: 'text', text: 'of t2' }, 't2');
    await until(() => stage.shown().some((text) => text.includes('of t2')));
  });

  it('is one message after the other when turns follow each other', async () => {
    const stage = await setUp();
    stage.start();
    await stage.begin();
    for (const turn of ['t1', 't2', 't3']) {
      await stage.status(turn, { waitingCount: 1 });
      await stage.chat({ type: 'text', text: `of ${turn}` }, turn);
      await until(() => stage.shown().some((text) => text.includes(`of ${turn}`)));
      expect(stage.shown()).toHaveLength(1);
    }
    await stage.status(undefined);
    await until(() => stage.shown().length === 0);
  });

  it.each([
    ['before it was taken', false],
    ['after it was taken', true],
  ])('does not hold up the answer when its request hangs %s', async (_, commit) => {
    const stage = await setUp();
    const progress = stage.start();
    const hanging = stage.discord.faults.order(send, { type: 'hang', commit });
    await stage.begin();
    await stage.status('t1');
    await until(() => hanging.met === 1);
    const begun = performance.now();
    const answer = stage.api.send(stage.discord.channel.id, { content: 'the answer' });
    await stage.status(undefined);
    await answer;
    // discord.js itself gives up after 15 seconds, and tries again.
    expect(performance.now() - begun).toBeLessThan(13_000);
    progress.delivered(stage.channel);
    await stage.ended();
    expect(stage.shown()).toEqual(['the answer']);
  });

  it('is removed when a request that was given up is taken late', async () => {
    const stage = await setUp();
    const progress = stage.start();
    const { id } = stage.discord.channel;
    const content = '⏳ 4 s · works';
    const late = await stage.api.send(id, { content, nonce: 'of-a-turn-that-is-over', flags: silent });
    // An answer may look the same.
    const other = await stage.api.send(id, { content, nonce: 'of-an-answer' });
    for (const { nonce, ...d } of [late, other])
      progress.handle({ t: 'MESSAGE_CREATE', d: { ...d, nonce: nonce ?? 'n' } } as never);
    await until(() => stage.shown().length === 1);
    expect(stage.discord.visible(stage.discord.channel).map((message) => message.id)).toEqual([other.id]);
  });

  it('stops typing with the turn, also if Discord has put it off', async () => {
    const stage = await setUp({ showAfterMs: 5000 });
    stage.start();
    const late = stage.discord.faults.order(typing, { type: 'rate-limit', retryAfter: 0.15 });
    await stage.begin();
    await stage.status('t1');
    await until(() => late.met === 1);
    await stage.status(undefined);
    await stage.ended();
    await pause(250);
    expect(stage.typed()).toBe(0);
  });
});
