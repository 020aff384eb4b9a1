import { describe, expect, it } from 'vitest';
import {
  hashPairingCode,
  makePairingCode,
  readPairingCode,
} from '../../../../../../src/gateway/channels/discord/access/pairing-code.js';

describe('pairing codes (17.5)', () => {
  it('are 8 readable characters, the same for the same salt, and others for all else', () => {
    const code = makePairingCode('token', '1', 'salt');
    expect(makePairingCode('token', '1', 'salt')).toBe(code);
    const codes = Array.from({ length: 500 }, (_, n) => makePairingCode('token', '1', `salt ${n}`));
    for (const each of codes) expect(each).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
    const others = [makePairingCode('other', '1', 'salt'), makePairingCode('token', '2', 'salt')];
    expect(new Set([code, ...codes, ...others]).size).toBe(503);
  });

  it('are taken as they are meant', () => {
    for (const typed of [
      'ABCDEFGH',
      'abcdefgh',
      ' ABCD EFGH\n',
      'abcd-efgh',
      '`ABCD–EFGH`',
      'AB\u200bCDEFGH',
    ])
      expect(readPairingCode(typed)).toBe('ABCDEFGH');
    for (const typed of ['', 'ABCDEFG', 'ABCDEFGHJ', 'ABCDEFG0', 'ABCDEFGÄ', '😀😀', ' '.repeat(1e6)])
      expect(readPairingCode(typed)).toBeUndefined();
  });

  it('have a hash that does not show them', async () => {
    const hash = await hashPairingCode('ABCDEFGH');
    expect(hash).toMatch(/^[\da-f]{64}$/);
    expect(await hashPairingCode('ABCDEFGH')).toBe(hash);
    expect(await hashPairingCode('ABCDEFGJ')).not.toBe(hash);
  });
});
