import { describe, expect, it } from 'vitest';
import { retryInWords } from '../../../web/conversation/retry-time.js';
import { sentence } from '../../../web/in-words.js';
import { splitCode } from '../../../web/notice.js';

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

  it('shows code in a notice as code, and a sign without its partner as a sign', () => {
    expect(splitCode('Send `/retry` or `/new`.')).toEqual(['Send ', '/retry', ' or ', '/new', '.']);
    expect(splitCode('a ` b')).toEqual(['a ` b']);
    expect(splitCode('`x')).toEqual(['`x']);
  });
});
