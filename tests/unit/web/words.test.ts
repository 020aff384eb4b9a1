import { describe, expect, it } from 'vitest';
import { retryInWords } from '../../../web/conversation/retry-time.js';
import { plainWords, sentence, titleInWords } from '../../../web/in-words.js';
import { splitCode } from '../../../web/notice.js';
import { learnServerTime, serverNow } from '../../../web/server-time.js';

describe('the words of the page (16.4)', () => {
  it.each([
    ['too many requests', 'too many requests.'],
    ['It failed.', 'It failed.'],
    ['Why?\n', 'Why?'],
    ['It said “no.”', 'It said “no.”'],
    ['unexpected token (at 3)', 'unexpected token (at 3).'],
    ['', ''],
  ])('ends %j with a full stop', (text, ended) => {
    expect(sentence(text)).toBe(ended);
  });

  it('counts a short wait down, and tells a long one by the clock', () => {
    const now = Date.parse('2026-11-18T10:00:00Z');
    const words = (ms: number) => retryInWords(new Date(now + ms).toISOString(), now);
    expect([words(12_000), words(400), words(0), words(-5000)]).toEqual([
      ...['Tried again in 12 s.', 'Tried again in 1 s.', 'Tried again now.', 'Tried again now.'],
    ]);
    expect(words(3_600_000)).toMatch(/^Tried again at \d\d:\d\d/);
  });

  it.each([
    ['# Done\n\n**Two** of `a.ts`, see [this](https://x.test)', 'Done\n\nTwo of a.ts, see this'],
    ['2 * 3 * 4, a_b_c, **', '2 * 3 * 4, a_b_c, **'],
    ['Permission needed for Edit: /tmp/a.ts {"file_path":"/tmp', 'Permission needed for Edit: /tmp/a.ts'],
    [
      'Permission needed for Bash: ls\n{"command":"ls"}\nAnswer allow to request prm_1.',
      'Permission needed for Bash: ls',
    ],
  ])('tells %j in plain words', (text, plain) => {
    expect(plainWords(text)).toBe(plain);
  });

  it('shows no id as the title of a new conversation', () => {
    expect(titleInWords({ title: 'chat-2026-a', channel: 'chat-2026-a' })).toBe('New conversation');
    expect(titleInWords({ title: 'room', channel: 'room' })).toBe('room');
  });

  it('reckons with the gateway’s clock if the browser’s is wrong', () => {
    const ahead = () => Math.round((serverNow() - Date.now()) / 1000);
    learnServerTime(new Date(Date.now() + 3_600_000).toUTCString());
    expect(ahead()).toBeGreaterThan(3590);
    learnServerTime(null);
    expect(ahead()).toBeGreaterThan(3590);
    learnServerTime(new Date().toUTCString());
    expect(ahead()).toBe(0);
  });

  it('shows code in a notice as code, and a sign without its partner as a sign', () => {
    expect(splitCode('Send `/retry` or `/new`.')).toEqual(['Send ', '/retry', ' or ', '/new', '.']);
    expect(splitCode('a ` b')).toEqual(['a ` b']);
    expect(splitCode('`x')).toEqual(['`x']);
  });
});
