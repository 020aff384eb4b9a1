import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutgoingMessages, outgoingOf, sendKeptMessages } from '../../../web/conversation/outgoing.js';
import { session } from '../../../web/session.js';

/** Storage as browsers have it: its entries are its own properties. */
class FakeStorage {
  setItem(name: string, value: string): void {
    Object.assign(this, { [name]: value });
  }
  removeItem(name: string): void {
    Reflect.deleteProperty(this, name);
  }
}

type Answer = { readonly status: number; readonly body: object };

describe('messages that were sent from the page (16.4)', () => {
  const asked: { readonly path: string; readonly key?: string; readonly body: unknown }[] = [];
  let answer: (path: string) => Answer | undefined;
  let storage: FakeStorage;

  beforeEach(() => {
    vi.useFakeTimers();
    asked.length = 0;
    storage = new FakeStorage();
    vi.stubGlobal('sessionStorage', storage);
    vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
      const key = (init.headers as Record<string, string>)['Idempotency-Key'];
      asked.push({ path, body: JSON.parse(String(init.body)), ...(key === undefined ? {} : { key }) });
      const given = answer(path);
      if (given === undefined) throw new TypeError('failed');
      return new Response(JSON.stringify(given.body), { status: given.status });
    });
    session.set('open');
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    session.set('unknown');
  });

  const accepted = { status: 202, body: { eventId: 'e1', state: 'queued' } };

  it('are kept for a page that is loaded anew, and go on there in their order, with the same keys', async () => {
    answer = () => undefined;
    const before = new OutgoingMessages('kept one');
    before.send('first', { queueMode: 'steer', denies: ['q'] });
    before.send('second');
    await vi.advanceTimersByTimeAsync(0);
    expect(before.list.value.map(({ state }) => state)).toEqual(['waiting', 'sending']);
    before.list.set([]);
    await vi.advanceTimersByTimeAsync(1000);
    const keys = asked.flatMap(({ key }) => key ?? []);

    asked.length = 0;
    answer = () => accepted;
    session.set('unknown');
    sendKeptMessages();
    const after = outgoingOf('kept one');
    await vi.advanceTimersByTimeAsync(60_000);
    // Without a session nothing is tried.
    expect(asked).toEqual([]);
    session.set('open');
    await vi.advanceTimersByTimeAsync(0);
    expect(asked.map(({ path, body }) => [path, body])).toEqual([
      ['/v1/permissions/q', { decision: 'deny', message: expect.any(String) }],
      ['/v1/channels/kept%20one/messages', { text: 'first', queueMode: 'steer' }],
      ['/v1/channels/kept%20one/messages', { text: 'second' }],
    ]);
    expect(asked[1]?.key).toBe(keys[0]);
    expect(after.list.value.map(({ state }) => state)).toEqual(['accepted', 'accepted']);
    expect(Object.keys(storage)).toEqual([]);
  });

  it('are kept if they were refused, until they are taken back', async () => {
    answer = () => ({ status: 413, body: { error: { code: 'too_large', message: 'It is too long.' } } });
    new OutgoingMessages('refused one').send('long');
    await vi.advanceTimersByTimeAsync(0);
    asked.length = 0;
    sendKeptMessages();
    const after = outgoingOf('refused one');
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual([]);
    expect(after.list.value).toMatchObject([{ text: 'long', state: 'refused', refused: 'It is too long.' }]);
    expect(after.take(after.list.value[0]?.key ?? '')).toBe('long');
    expect(Object.keys(storage)).toEqual([]);
  });

  it('are sent although the storage is full, forbidden, or holds something else', async () => {
    answer = () => accepted;
    Object.assign(storage, { 'message a': 'not JSON', 'message b': '{"text":1}', 'draft c': 'text' });
    sendKeptMessages();
    new OutgoingMessages('c').send('x'.repeat(3_000_000));
    expect(Object.keys(storage)).toHaveLength(3);
    storage.setItem = () => {
      throw new Error('QuotaExceededError');
    };
    new OutgoingMessages('c').send('two');
    vi.stubGlobal('sessionStorage', undefined);
    new OutgoingMessages('c').send('three');
    sendKeptMessages();
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toHaveLength(3);
  });

  it('leave no watcher of the session behind, however often they are tried', async () => {
    let watchers = 0;
    const { watch } = session;
    vi.spyOn(session, 'watch').mockImplementation((watcher) => {
      const unwatch = watch.call(session, watcher);
      watchers += 1;
      return () => {
        watchers -= 1;
        return unwatch();
      };
    });
    answer = () => (asked.length < 20 ? undefined : accepted);
    new OutgoingMessages('watched').send('hello');
    await vi.advanceTimersByTimeAsync(200_000);
    expect([asked.length, watchers]).toEqual([20, 0]);
  });
});
