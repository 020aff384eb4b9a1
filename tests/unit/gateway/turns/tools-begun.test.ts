import { describe, expect, it } from 'vitest';
import { begunTools } from '../../../../src/gateway/turns/tools-begun.js';

const question = { tool: 'Bash', input: { command: 'make' } };
const tool = (id: string, more: object = {}) => ({
  id,
  name: 'Bash',
  input: question.input,
  startedAt: 1,
  ...more,
});
const denied = { endedAt: 2, isError: true, denied: true };

describe('the tools of a journal that may have done something', () => {
  it.each([
    ['one that waits for its answer', [tool('t1')], [question], []],
    ['one that was denied', [tool('t1', denied)], [], []],
    ['one that was denied, with its question', [tool('t1', denied)], [question], []],
    ['one that runs after the same was denied', [tool('t1', denied), tool('t2')], [question], ['t2']],
    [
      'one that was denied, and the same again that waits',
      [tool('t1', denied), tool('t2')],
      [question, question],
      [],
    ],
    ['one that has failed', [tool('t1', { endedAt: 2, isError: true })], [question], ['t1']],
  ])('%s', (_, tools, questions, begun) => {
    expect(begunTools(tools, questions).map(({ id }) => id)).toEqual(begun);
  });
});
