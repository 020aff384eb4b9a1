import { describe, expect, it } from 'vitest';
import { questionText } from '../../../../src/core/question-text.js';
import type { MessageView } from '../../../../src/gateway/channels/http/wire.js';
import { arrange } from '../../../../web/feed/timeline.js';
import { addEvent, describeTurn, type Turn, unknownTurn } from '../../../../web/feed/turn.js';
import { message, turn } from './frames.js';

function seen(...parameters: Parameters<typeof turn>): Turn {
  const view = turn(...parameters);
  return addEvent(describeTurn(unknownTurn(view.turnId), view), { type: 'text', text: 'some' });
}

/** `prompt 1`, `answer 2 (t1)`: each row with its message and turns. */
function rows(
  messages: readonly MessageView[],
  turns: readonly Turn[] = [],
  waiting: readonly string[] = [],
) {
  return arrange({ messages, turns, waiting: new Set(waiting) }).map((row) => {
    const ids = row.type === 'answer' ? row.turns.map(({ turnId }) => turnId) : [];
    return [row.type, row.message?.id, ...(ids.length > 0 ? [`(${ids})`] : [])]
      .filter((part) => part)
      .join(' ');
  });
}

const [one, two] = [message(1, 'user', 'e1'), message(2, 'user', 'e2')];

describe('the rows of a conversation', () => {
  it('shows messages in their order (16.4)', () => {
    const messages = [
      one,
      message(3, 'assistant', 'e1'),
      message(4, 'system', null),
      message(5, 'assistant', null),
    ];
    expect(rows(messages)).toEqual(['prompt 1', 'answer 3', 'notice 4', 'answer 5']);
  });

  it('puts a prompt that waited in front of its own answer (16.4)', () => {
    const messages = [one, two, message(3, 'assistant', 'e1'), message(4, 'assistant', 'e2')];
    expect(rows(messages)).toEqual(['prompt 1', 'answer 3', 'prompt 2', 'answer 4']);
  });

  it('leaves a prompt that was taken into a running turn where it was said (16.4)', () => {
    const messages = [one, two, message(3, 'assistant', 'e1')];
    expect(rows(messages)).toEqual(['prompt 1', 'prompt 2', 'answer 3']);
    expect(rows(messages, [seen('t', ['e1', 'e2'], 'answered')])).toEqual([
      'prompt 1',
      'prompt 2',
      'answer 3 (t)',
    ]);
  });

  it('puts the turn that runs at the end, with its prompt in front of it, and leaves out what waits (16.4)', () => {
    const messages = [one, two, message(3, 'user', 'e3'), message(4, 'assistant', 'e1')];
    expect(rows(messages, [seen('t', ['e2'])], ['e3'])).toEqual([
      'prompt 1',
      'answer 4',
      'prompt 2',
      'answer (t)',
    ]);
  });

  it('keeps the key of a turn when it becomes an answer, so that its row is not made anew (16.4)', () => {
    const running = arrange({ messages: [one], turns: [seen('t', ['e1'])], waiting: new Set() });
    const messages = [one, message(2, 'assistant', 'e1')];
    const answered = arrange({ messages, turns: [seen('t', ['e1'], 'answered')], waiting: new Set() });
    expect(running.map(({ key }) => key)).toEqual(answered.map(({ key }) => key));
  });

  it('shows the attempts at a message together, and what came of a failed one behind its steps (16.4)', () => {
    const notice = message(2, 'system', 'e1', 'It failed.');
    const failed = seen('t1', ['e1'], 'failed');
    expect(rows([one, notice], [failed])).toEqual(['prompt 1', 'answer (t1)', 'notice 2']);
    const attempts = [seen('t1', ['e1'], 'postponed'), seen('t2', ['e1'])];
    expect(rows([one], attempts)).toEqual(['prompt 1', 'answer (t1,t2)']);
    const keys = arrange({ messages: [one, notice], turns: attempts, waiting: new Set() }).map(
      ({ key }) => key,
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  const stopped = { state: 'cancelled', begun: true } as const;

  it('puts the notice of a stopped turn behind that turn, not behind the next message (16.4)', () => {
    const notice = message(3, 'system', 'e1', 'Stopped by a newer message.');
    const messages = [{ ...one, ...stopped }, two, notice, message(4, 'assistant', 'e2')];
    expect(rows(messages)).toEqual(['prompt 1', 'past 1', 'notice 3', 'prompt 2', 'answer 4']);
    const turns = [seen('t', ['e1'], 'cancelled')];
    expect(rows(messages, turns)).toEqual(['prompt 1', 'answer (t)', 'notice 3', 'prompt 2', 'answer 4']);
    // The notice says how it ended: its turn does not say so again.
    expect(arrange({ messages, turns, waiting: new Set() })[1]).toMatchObject({ told: true });
  });

  it('reads what was said in a stopped turn at once if it is the last one (16.4)', () => {
    const first = [{ ...one, ...stopped }, message(2, 'system', 'e1', 'Stopped.')];
    const isLast = (messages: readonly MessageView[]) =>
      arrange({ messages, turns: [], waiting: new Set() }).find(({ type }) => type === 'past');
    expect(isLast(first)).toMatchObject({ key: 'answer e1', last: true });
    const more = [...first, message(3, 'user', 'e3'), message(4, 'assistant', 'e3')];
    expect(isLast(more)).toMatchObject({ last: false });
  });

  it('puts a message that was dropped behind what it waited for (16.4)', () => {
    const dropped = { ...two, state: 'cancelled', begun: false } as const;
    const three = message(3, 'user', 'e3');
    const messages = [one, dropped, three, message(4, 'assistant', 'e1'), message(5, 'assistant', 'e3')];
    expect(rows(messages)).toEqual(['prompt 1', 'answer 4', 'prompt 2', 'prompt 3', 'answer 5']);
    expect(rows([one, dropped], [seen('t', ['e1'])])).toEqual(['prompt 1', 'answer (t)', 'prompt 2']);
    const notice = message(3, 'system', 'e1', 'Stopped.');
    const after = [message(4, 'user', 'e4'), message(5, 'assistant', 'e4')];
    expect(rows([{ ...one, ...stopped }, dropped, notice, ...after])).toEqual([
      ...['prompt 1', 'past 1', 'notice 3', 'prompt 2'],
      ...['prompt 4', 'answer 5'],
    ]);
  });

  it('shows a message that came into a turn there, and nowhere else (16.4)', () => {
    const steered = addEvent(seen('t', ['e1', 'e2'], 'answered'), {
      type: 'notice',
      level: 'info',
      message: 'A message came in',
      eventId: 'e2',
    });
    const messages = [
      one,
      { ...two, state: 'answered', begun: true } as const,
      message(3, 'assistant', 'e1'),
    ];
    expect(rows(messages, [steered])).toEqual(['prompt 1', 'answer 3 (t)']);
    expect(arrange({ messages, turns: [steered], waiting: new Set() })[1]).toMatchObject({
      within: [{ id: '2' }],
    });
    // Until the turn is read, it stands where it was said.
    const unread = arrange({ messages, turns: [], waiting: new Set() });
    expect(unread.map(({ type }) => type)).toEqual(['prompt', 'prompt', 'answer']);
    expect(unread[2]).toMatchObject({ joined: true });
  });

  it('leaves out the words for a question that a card shows (16.4)', () => {
    for (const tool of ['Bash', 'two\nlines', 'a\r\u2028b']) {
      const input = { command: 'ls\n-la', description: 'x'.repeat(900) };
      const text = questionText({ id: 'prm_1', tool, input, options: ['allow', 'deny'] });
      expect(rows([one, message(2, 'system', 'e1', text)])).toEqual(['prompt 1']);
    }
    // What is said about one is shown.
    const notice = message(2, 'system', 'e1', 'Permission needed for Bash\nNobody answered.');
    expect(rows([one, notice])).toEqual(['prompt 1', 'notice 2']);
  });
});
