import { expect, it } from 'vitest';
import { PageSessions, sessionSeconds } from '../../../../../src/gateway/channels/http/page-session.js';

it('a session lasts for 30 days, over a restart, and ends by itself (16.5)', () => {
  let now = Date.UTC(2026, 0, 2);
  const { cookie, pageKey, expiresAt } = new PageSessions('token', () => now).begin();
  const restarted = new PageSessions('token', () => now);
  expect([restarted.isCookie(cookie), restarted.isKeyOf(cookie, pageKey)]).toEqual([true, true]);
  expect(expiresAt - now).toBe(sessionSeconds * 1000);
  now = expiresAt;
  expect(restarted.isCookie(cookie)).toBe(false);
});

it('a session can’t be prolonged, made up or mixed with another one (16.5)', () => {
  const sessions = new PageSessions('token');
  const { cookie, pageKey } = sessions.begin();
  const [, nonce = '', proof = ''] = cookie.split('.');
  const later = Math.floor(Date.now() / 1000 + 10 * sessionSeconds).toString(36);
  for (const forged of [`${later}.${nonce}.${proof}`, `${cookie}x`, cookie.slice(1), '', '..', 'a.b.c']) {
    expect(sessions.isCookie(forged), forged).toBe(false);
  }
  expect(new PageSessions('token2').isCookie(cookie)).toBe(false);
  expect(sessions.isKeyOf(sessions.begin().cookie, pageKey)).toBe(false);
  expect(sessions.isKeyOf(cookie, proof)).toBe(false);
});
