import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ChannelView } from '../../../src/gateway/channels/http/wire.js';
import { channels, readChannels } from '../../../web/channels.js';
import { newsOf } from '../../../web/list-news.js';

const channel = (id: string, more: Partial<ChannelView> = {}): ChannelView => ({
  channel: id,
  title: id,
  archived: false,
  messages: 1,
  waiting: 0,
  running: false,
  permissions: 0,
  backend: 'demo',
  ...more,
});

const told = (...lists: readonly (readonly ChannelView[] | undefined)[]) =>
  newsOf(lists[0], lists[1]).map(({ type, channel: { channel: id } }) => `${type} ${id}`);

describe('what the list of conversations tells', () => {
  it('is nothing of a heartbeat that had nothing to say (18.5)', () => {
    const ended = channel('a', { messages: 3 });
    expect(told([channel('a', { running: true })], [ended])).toEqual(['ended a']);
    expect(told([channel('a', { running: true })], [{ ...ended, silent: true }])).toEqual([]);
  });

  it('is a question wherever there is one more (16.4)', () => {
    const asking = channel('a', { running: true, permissions: 1 });
    expect(told([channel('a', { running: true }), channel('b')], [asking, channel('b')])).toEqual([
      'question a',
    ]);
    expect(told([asking], [channel('a', { running: true, permissions: 2 })])).toEqual(['question a']);
    // A conversation that is new in the list.
    expect(told([], [asking])).toEqual(['question a']);
    expect(told([asking], [asking])).toEqual([]);
    expect(told([asking], [channel('a', { running: true })])).toEqual([]);
  });

  it('is the end of what ran or waited, if something was said (16.4)', () => {
    const done = channel('a', { messages: 2 });
    expect(told([channel('a', { running: true })], [done])).toEqual(['ended a']);
    expect(told([channel('a', { waiting: 1 })], [done])).toEqual(['ended a']);
    expect(told([channel('a', { running: true, permissions: 1 })], [done])).toEqual(['ended a']);
    // Another message waits already, or it was only cancelled, or nothing ran here.
    expect(told([channel('a', { running: true })], [{ ...done, waiting: 1 }])).toEqual([]);
    expect(told([channel('a', { running: true })], [channel('a')])).toEqual([]);
    expect(told([channel('a')], [done])).toEqual([]);
  });

  it('is nothing when the list is read for the first time (16.4)', () => {
    expect(told(undefined, [channel('a', { permissions: 1 })])).toEqual([]);
  });
});

describe('the list of conversations', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    channels.set(undefined);
  });

  it('is not put back by an answer that was overtaken (16.4)', async () => {
    const answers: ((list: readonly ChannelView[]) => void)[] = [];
    vi.stubGlobal('fetch', () => {
      return new Promise((resolve) =>
        answers.push((list) => resolve(new Response(JSON.stringify({ channels: list })))),
      );
    });
    const reads = [readChannels(), readChannels()];
    answers[1]?.([channel('later')]);
    await reads[1];
    answers[0]?.([channel('earlier')]);
    await reads[0];
    expect(channels.value?.map(({ channel: id }) => id)).toEqual(['later']);
  });
});
