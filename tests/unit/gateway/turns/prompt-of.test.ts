import { expect, it } from 'vitest';
import { promptOf } from '../../../../src/gateway/turns/prompt-of.js';

it('each message of a turn has its own context behind it (17.1)', () => {
  expect(promptOf([{ text: 'a', context: 'by anna' }, { text: 'b' }, { text: 'c', context: 'by bob' }])).toBe(
    'a\n\nby anna\n\nb\n\nc\n\nby bob',
  );
});
