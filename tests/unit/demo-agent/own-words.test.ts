import { expect, it } from 'vitest';
import { ownWords } from '../../../src/demo-agent/own-words.js';
import { messageContext } from '../../../src/gateway/channels/discord/receive/message-context.js';

it('the demo agent reads the words of messages of Discord, without what was added (17.1)', () => {
  const contextOf = (id: string, text: string) =>
    messageContext({
      id,
      text,
      author: { id: '2', name: 'anna' },
      quoted: [{ type: 'answered', text: 'x' }],
    });
  const one = `hello\n\n${contextOf('1', 'hello')}`;
  expect(ownWords(one)).toBe('hello');
  expect(ownWords(`${one}\n\nwhat is 12*7\n\n${contextOf('2', 'what is 12*7')}`)).toBe(
    'hello\n\nwhat is 12*7',
  );
  for (const own of [' /stop', '[Discord context 0123456789abcdef. x]\nno end', contextOf('3', '')])
    expect(ownWords(own)).toBe(own);
});
