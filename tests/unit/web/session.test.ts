import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pageHeaders, pageKey, session, signIn, signOut, watchOtherTabs } from '../../../web/session.js';

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

  it('ends and begins in all tabs (16.5)', () => {
    let tell: (event: object) => void = () => undefined;
    vi.stubGlobal('addEventListener', (_: string, listener: typeof tell) => {
      tell = listener;
    });
    watchOtherTabs();
    const [key] = kept.keys();
    tell({ key: 'another', newValue: null });
    expect(session.value).toBe('open');
    tell({ key, newValue: null });
    expect(session.value).toBe('closed');
    tell({ key, newValue: 'a new one' });
    expect(session.value).toBe('open');
  });
});
