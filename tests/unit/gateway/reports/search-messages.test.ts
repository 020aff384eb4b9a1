import { describe, expect, it } from 'vitest';
import { searchMessages } from '../../../../src/gateway/reports/search-messages.js';
import type { StoredMessage } from '../../../../src/store/rows.js';
import type { NewestPage, Store } from '../../../../src/store/store.js';

/** Messages as `channel: text`, the newest last. */
function storeOf(...lines: readonly string[]) {
  const pages: NewestPage[] = [];
  const all = lines.map((line, index): StoredMessage => {
    const [channel = '', ...text] = line.split(': ');
    return { id: index + 1, channel, role: 'user', text: text.join(': '), createdAt: index };
  });
  const store: Pick<Store, 'newestMessages' | 'channelNames'> = {
    newestMessages: async (page) => {
      pages.push(page);
      const { before = Number.POSITIVE_INFINITY, limit, maxCharacters } = page;
      const older = all.filter(({ id }) => id < before).reverse();
      return older
        .slice(0, limit)
        .map((message) => ({ ...message, text: message.text.slice(0, maxCharacters) }));
    },
    channelNames: async () =>
      [...new Set(all.map(({ channel }) => channel))].sort().map((channel) => ({
        channel,
        title: channel === 'titled' ? 'The Great Deploy' : undefined,
      })),
  };
  return { store: store as Store, pages };
}

const search = async (lines: readonly string[], text: string, limits = {}, most = 10) =>
  Object.fromEntries(await searchMessages(storeOf(...lines).store, text, most, limits));

describe('a search in the messages', () => {
  it('finds a text whatever its case, and shows the newest place of each channel (16.2)', async () => {
    const lines = ['a: Über den Fluss', 'a: drüber hinweg', 'b: nothing', 'c: ÜBERALL'];
    expect(await search(lines, 'über')).toEqual({ c: 'ÜBERALL', a: 'drüber hinweg' });
  });

  it('takes every character for itself (16.2)', async () => {
    const lines = ['a: 100% of it', 'b: 1000 of it', 'c: a_b', 'd: aXb', 'e: [x]*', "f: it's; --"];
    expect(await search(lines, '100%')).toEqual({ a: '100% of it' });
    expect(await search(lines, 'a_b')).toEqual({ c: 'a_b' });
    expect(await search(lines, '[x]*')).toEqual({ e: '[x]*' });
    expect(await search(lines, "it's; --")).toEqual({ f: "it's; --" });
  });

  it('shows the words around the place, on one line (16.2)', async () => {
    const found = await search([`a: ${'x '.repeat(200)}\n\nNeedle\n${'y '.repeat(200)}`], 'needle');
    expect(found['a']).toMatch(/^…[x ]{20,60}Needle [y ]{20,60}…$/);
    expect(await search(['a: İİİ straße'], 'straße')).toEqual({ a: 'i̇i̇i̇ straße' });
  });

  it('finds channels by their names, too (16.2)', async () => {
    expect(await search(['deploys: hello', 'home: the deploy'], 'DEPLOY')).toEqual({
      home: 'the deploy',
      deploys: undefined,
    });
  });

  it('finds channels by their titles before all others, with words where a message has some (16.4)', async () => {
    const lines = ['titled: hello', 'other: the deploy'];
    expect(await search(lines, 'great deploy')).toEqual({ titled: undefined });
    expect(await search(lines, 'deploy', {}, 1)).toEqual({ titled: undefined });
    expect(await search(['titled: to deploy', ...lines], 'deploy')).toEqual({
      titled: 'to deploy',
      other: 'the deploy',
    });
  });

  it('looks at so many messages, characters and channels, and no more (16.2)', async () => {
    const many = Array.from({ length: 300 }, (_, i) => `c${i}: word ${i}`);
    expect(Object.keys(await search(many, 'word', {}, 7))).toHaveLength(7);
    expect(Object.keys(await search(many, 'word', { messages: 120 }, 1000))).toHaveLength(120);
    expect(Object.keys(await search(many, 'word', { characters: 1 }, 1000))).toHaveLength(50);
    expect(await search([`a: ${'x'.repeat(50)}word`], 'word', { charactersEach: 40 })).toEqual({});
  });

  it('ends when nobody waits for it any more (16.2)', async () => {
    const { store, pages } = storeOf(...Array.from({ length: 300 }, (_, i) => `a: ${i}`));
    const signal = AbortSignal.abort();
    await expect(searchMessages(store, 'x', 10, { signal })).rejects.toMatchObject({ code: 'interrupted' });
    expect(pages).toHaveLength(1);
  });

  it('reads less at once where messages are long (16.2)', async () => {
    const { store, pages } = storeOf(...Array.from({ length: 130 }, () => `a: ${'x'.repeat(60_000)}`));
    await searchMessages(store, 'y', 10);
    expect(pages.slice(0, 3).map(({ limit }) => limit)).toEqual([50, 8, 8]);
  });
});
