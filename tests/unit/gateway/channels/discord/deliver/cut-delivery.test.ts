import { describe, expect, it } from 'vitest';
import { takeAttachLines } from '../../../../../../src/gateway/channels/discord/deliver/attach-lines.js';
import { cutDelivery } from '../../../../../../src/gateway/channels/discord/deliver/cut-delivery.js';
import type { Delivery } from '../../../../../../src/store/rows.js';

function delivery(text: string, more: Partial<Delivery['message']> = {}): Delivery {
  const message = { id: 1, channel: 'discord:1', role: 'assistant', text, createdAt: 5, ...more } as const;
  return { id: 1, message, source: 'discord', attempts: 0 };
}

describe('what an answer becomes in Discord (17.2, 17.6)', () => {
  it('has nonces that Discord takes, the same each time and for no other piece', () => {
    const text = 'word '.repeat(2000);
    const nonces = cutDelivery(delivery(text)).map(({ nonce }) => nonce);
    expect(nonces.every((nonce) => /^[\w-]{1,25}$/.test(nonce))).toBe(true);
    expect(cutDelivery(delivery(text)).map(({ nonce }) => nonce)).toEqual(nonces);
    const others = [{ createdAt: 6 }, { channel: 'discord:2' }].flatMap((more) =>
      cutDelivery(delivery(text, more)),
    );
    expect(new Set([...nonces, ...others.map(({ nonce }) => nonce)]).size).toBe(3 * nonces.length);
  });

  it('takes lines that attach a file, once each, and only whole lines outside of code', () => {
    const answer = [
      'See [attach: no.txt] here',
      '  [attach:  out/a b.txt ]  ',
      '[attach: out/a b.txt]',
      '[attach: other/a b.txt]',
      '~~~~',
      '[attach: code.txt]',
      '~~~',
      '[attach: code.txt]',
      '~~~~',
      '[attach: last.txt]\r',
      '[attach:]',
    ].join('\n');
    const { text, files } = takeAttachLines(answer);
    expect(files).toEqual([
      { name: 'a_b.txt', path: 'out/a b.txt' },
      { name: 'a_b-2.txt', path: 'other/a b.txt' },
      { name: 'last.txt', path: 'last.txt' },
    ]);
    expect(text.split('\n')).toEqual([
      'See [attach: no.txt] here',
      '~~~~',
      '[attach: code.txt]',
      '~~~',
      '[attach: code.txt]',
      '~~~~',
      '[attach:]',
    ]);
  });

  it('has nine files at most; the other lines stay to be seen', () => {
    const lines = Array.from({ length: 12 }, (_, i) => `[attach: ${i}.txt]`);
    const { text, files } = takeAttachLines(lines.join('\n'));
    expect(files).toHaveLength(9);
    expect(text.split('\n')).toEqual(lines.slice(9));
  });
});
