import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  pageHeaders,
  pageKey,
  refusal,
  session,
  signIn,
  signOut,
  tokenIn,
  watchAddress,
  watchOtherTabs,
} from '../../../web/session.js';
import { patience } from '../../machine-speed.js';

describe('the session of the page', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
    clear: () => kept.clear(),
  };
  const asked: { readonly method?: string; readonly headers?: unknown }[] = [];
  const reload = vi.fn();

  beforeEach(async () => {
    vi.stubGlobal('localStorage', storage);
    vi.stubGlobal('sessionStorage', { clear: vi.fn() });
    vi.stubGlobal('location', { reload });
    vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
      asked.push(init as never);
      return new Response('{"pageKey":"the key"}', { status: 201 });
    });
    await signIn('token');
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    session.set('unknown');
    asked.length = 0;
    reload.mockClear();
  });

  it('ends at the gateway and in the browser when somebody signs out (16.5)', async () => {
    expect(pageHeaders()).toEqual({ 'X-Turnout-Page': 'the key' });
    await signOut();
    expect(asked.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'X-Turnout-Page': 'the key' } });
    expect([pageKey(), kept.size]).toEqual(['', 0]);
    expect(reload).toHaveBeenCalledOnce();
  });

  it('ends in the browser although the gateway can’t be reached (16.5)', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed')));
    await signOut();
    expect([pageKey(), kept.size]).toEqual(['', 0]);
    expect(reload).toHaveBeenCalledOnce();
  });

  it.each([
    ['secret', 'secret'],
    [' secret\n', 'secret'],
    ['http://127.0.0.1:7777/#token=a%2Fb', 'a/b'],
    ['  http://127.0.0.1:7777/#token=secret&more=1 ', 'secret'],
    ['#token=100%', '100%'],
  ])('finds the token in what is pasted: %j (16.5)', (pasted, token) => {
    expect(tokenIn(pasted)).toBe(token);
  });

  it('begins when the printed address is pasted into the open page, and takes the token out of it (16.5)', async () => {
    let change: (event: object) => void = () => undefined;
    vi.stubGlobal('addEventListener', (_: string, listener: typeof change) => {
      change = listener;
    });
    const replaceState = vi.fn();
    vi.stubGlobal('history', { replaceState });
    const at = { hash: '#token=secret', pathname: '/', search: '' };
    vi.stubGlobal('location', at);
    watchAddress();
    // In a session the view stays, and the token goes.
    const before = asked.length;
    change({ oldURL: 'http://127.0.0.1/#/c/home' });
    expect(replaceState.mock.calls.map((call) => call[2])).toEqual(['/', '#/c/home']);
    expect(asked).toHaveLength(before);
    session.set('closed');
    change({ oldURL: 'http://127.0.0.1/#/c/home' });
    expect(asked.at(-1)).toMatchObject({ headers: { Authorization: 'Bearer secret' } });
    await vi.waitFor(() => expect(session.value).toBe('open'), patience);
  });

  it('says what is wrong with the token of an address, also if it was cut (16.5)', async () => {
    let change: (event: object) => void = () => undefined;
    vi.stubGlobal('addEventListener', (_: string, listener: typeof change) => {
      change = listener;
    });
    vi.stubGlobal('history', { replaceState: vi.fn() });
    vi.stubGlobal('fetch', async () => new Response('{}', { status: 401 }));
    watchAddress();
    for (const hash of ['#token=', '#token=an-old-one']) {
      refusal.set(undefined);
      session.set('closed');
      vi.stubGlobal('location', { hash, pathname: '/', search: '' });
      change({ oldURL: 'http://127.0.0.1/#/c/home' });
      await vi.waitFor(() => expect(refusal.value).toContain('token in that address'), patience);
      expect(session.value).toBe('closed');
    }
    await signIn('typed');
    expect(refusal.value).toBe('This is not the token of this gateway.');
  });

  it('ends and begins in all tabs (16.5)', () => {
    let tell: (event: object) => void = () => undefined;
    vi.stubGlobal('addEventListener', (_: string, listener: typeof tell) => {
      tell = listener;
    });
    watchOtherTabs();
    const [key] = kept.keys();
    tell({ key: 'another', newValue: null });
    expect(session.value).toBe('open');
    expect(reload).not.toHaveBeenCalled();
    tell({ key, newValue: null });
    expect(session.value).toBe('closed');
    // What was typed or waits to be sent there goes as well.
    expect(sessionStorage.clear).toHaveBeenCalledOnce();
    expect(reload).toHaveBeenCalledOnce();
    tell({ key, newValue: 'a new one' });
    expect(session.value).toBe('open');
  });
});
