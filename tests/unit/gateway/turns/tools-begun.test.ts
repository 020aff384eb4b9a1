import { describe, expect, it } from 'vitest';
import { begunTools, describeTools } from '../../../../src/gateway/turns/tools-begun.js';

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

it('tools are told to a reader by their file or command, not by their JSON (16.5)', () => {
  const input = { file_path: 'a.ts', old_string: 'x'.repeat(999), new_string: '' };
  const todos = { todos: [{ content: 'one', status: 'pending' }] };
  const tools = [
    tool('t1', { endedAt: 2 }),
    tool('t2', { name: 'Edit', input }),
    tool('t3', { name: 'TodoWrite', input: todos }),
  ];
  expect(describeTools(tools).split('\n')).toEqual([
    '- Bash make (done)',
    '- Edit a.ts (begun, end unknown)',
    '- TodoWrite 0 of 1 done (begun, end unknown)',
  ]);
});
