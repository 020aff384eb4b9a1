import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Key } from '../../../../src/cli/chat/input/keys.js';
import {
  beginChat,
  type ChatInput,
  type ChatState,
  type Effect,
} from '../../../../src/cli/chat/state/chat-state.js';
import { liveRegion } from '../../../../src/cli/chat/state/live-region.js';
import { step } from '../../../../src/cli/chat/state/step.js';
import { type Line, textOf } from '../../../../src/cli/chat/text/styled-line.js';
import { lineWidth } from '../../../../src/cli/chat/text/wrap.js';
import type { ChatEvent, PermissionRequestEvent } from '../../../../src/core/chat-event.js';

/** A chat without a terminal and without an agent, with a clock of its own. */
class Stage {
  state: ChatState;
  now = 1_000_000;
  readonly printed: Line[] = [];
  readonly effects: Effect[] = [];

  constructor(given: Partial<Pick<ChatState, 'columns' | 'rows' | 'movesCursor'>> = {}) {
    const status = { backend: 'claude', cwd: '/work', place: '~/work', permissionMode: 'ask' };
    this.state = beginChat({
      columns: 80,
      rows: 24,
      movesCursor: true,
      ...given,
      status,
      backends: ['claude', 'codex'],
    });
  }

  take(input: ChatInput): this {
    const { state, print, effects } = step(this.state, input, this.now);
    this.state = state;
    for (const line of print) this.printed.push(line);
    this.effects.push(...effects);
    return this;
  }

  agent(...events: readonly ChatEvent[]): this {
    for (const event of events) this.take({ type: 'conversation', event: { type: 'agent', event } });
    return this;
  }

  type(text: string): this {
    return this.take({ type: 'key', key: { type: 'text', text } });
  }

  press(name: Extract<Key, { type: 'key' }>['name'], held?: 'ctrl' | 'alt'): this {
    return this.take({
      type: 'key',
      key: { type: 'key', name, ...(held === undefined ? {} : { [held]: true }) },
    });
  }

  say(text: string): this {
    return this.type(text).press('enter');
  }

  wait(ms: number): this {
    this.now += ms;
    return this;
  }

  get text(): string {
    return this.printed.map(textOf).join('\n');
  }

  get live(): string {
    return liveRegion(this.state, this.now).rows.map(textOf).join('\n');
  }

  of(type: Effect['type']): readonly Effect[] {
    return this.effects.filter((effect) => effect.type === type);
  }
}

const complete: ChatEvent = { type: 'complete', text: 'x', sessionId: 's', stopReason: 'end_turn' };
const stopped: ChatEvent = { type: 'error', code: 'interrupted', message: 'Interrupted', retryable: false };

function question(id = 'q', input: unknown = { command: 'rm -rf x' }): PermissionRequestEvent {
  return { type: 'permission_request', id, tool: 'Bash', input, options: ['allow', 'allow_always', 'deny'] };
}

describe('a turn (18.1)', () => {
  it('shows words, thinking, tools with their outcome, and what it took', () => {
    const stage = new Stage().say('hello');
    expect(stage.of('say')).toEqual([{ type: 'say', text: 'hello' }]);
    expect(stage.wait(3200).live).toContain('claude is working 3s · Ctrl-C stops it');
    stage.agent({ type: 'thinking_start' }, { type: 'thinking', text: 'hm\nhm' }, { type: 'thinking_end' });
    stage.agent({ type: 'text', text: 'Let me **lo' });
    expect(stage.live).toContain('Let me lo');
    stage.agent(
      { type: 'text', text: 'ok**.\n' },
      { type: 'tool_start', id: '1', name: 'Bash', input: { command: 'npm test' } },
    );
    expect(stage.wait(1200).live).toMatch(/Bash npm test {2}1s/);
    stage.agent({ type: 'tool_end', id: '1', output: 'ok', isError: false });
    stage.agent({ type: 'tool_start', id: '2', name: 'Bash', input: { command: 'false' } });
    stage.agent({ type: 'tool_end', id: '2', output: '\n\u001b[31mbad thing\u001b[0m\nmore', isError: true });
    stage.agent(
      {
        type: 'usage',
        inputTokens: 3204,
        outputTokens: 512,
        costUsd: 0.021,
        contextTokens: 20,
        contextWindow: 100,
      },
      complete,
    );
    expect(stage.text).toBe(
      [
        ...[
          '❯ hello',
          '',
          'hm',
          'hm',
          '',
          'Let me look.',
          '',
          '✓ Bash npm test  1.2 s',
          '✗ Bash false  0 ms',
          '  bad thing',
        ],
        '4.4 s · 3,204 in, 512 out · $0.02 · context 20%',
      ].join('\n'),
    );
    expect(stage.state.turn).toBeUndefined();
  });

  it('an answer that did not stream is shown at its end; a failure in its words', () => {
    expect(new Stage().say('a').agent({ ...complete, text: 'All **at** once' }).text).toContain(
      'All at once',
    );
    const failed: ChatEvent = {
      type: 'error',
      code: 'auth',
      message: 'Not signed in.\nRun claude.',
      retryable: false,
    };
    expect(new Stage().say('a').agent(failed).text).toContain('✗ Not signed in.\nRun claude.');
  });

  it('tools that were stopped and denied look like it', () => {
    const stage = new Stage().say('a');
    for (const id of ['1', '2'])
      stage.agent({ type: 'tool_start', id, name: 'Bash', input: { command: `sleep ${id}` } });
    stage.agent({ type: 'tool_end', id: '1', output: 'no', isError: true, denied: true }, stopped);
    expect(stage.text).toContain('✗ Bash sleep 1  denied\n✗ Bash sleep 2  stopped');
    expect(stage.text).toContain('Interrupted.');
  });

  it('thinking can be hidden', () => {
    const stage = new Stage()
      .say('/thinking hide')
      .say('a')
      .agent({ type: 'thinking', text: 'hm\n' }, complete);
    expect(stage.text).not.toContain('hm');
  });
});

describe('a question (18.1)', () => {
  it('what is typed before it can be seen does not answer it', () => {
    const stage = new Stage().say('go').agent(question());
    expect(stage.text).toContain('? Bash needs your permission\n  $ rm -rf x');
    stage.type('y');
    expect(stage.of('answer')).toEqual([]);
    expect(stage.state.editor.text).toBe('y');
    stage.press('backspace').wait(300).type('n').press('backspace');
    expect(stage.of('answer')).toEqual([]);
    stage.wait(700).type('y');
    expect(stage.of('answer')).toEqual([{ type: 'answer', id: 'q', decision: 'allow' }]);
    expect(stage.text).toContain('→ allowed');
  });

  it('a half-written message stays, and has more time', () => {
    const stage = new Stage().say('go').type('half a mess').agent(question()).wait(1000).type('a');
    expect(stage.of('answer')).toEqual([]);
    stage.wait(1600).type('n');
    expect(stage.of('answer')).toMatchObject([{ decision: 'deny' }]);
    expect(stage.state.editor.text).toBe('half a messa');
  });

  it('a paste never answers, nor does an option that is not offered', () => {
    const stage = new Stage()
      .say('go')
      .agent({ ...question(), options: ['allow', 'deny'] })
      .wait(1000);
    stage
      .take({ type: 'key', key: { type: 'paste', text: 'y' } })
      .wait(2000)
      .type('a');
    expect(stage.of('answer')).toEqual([]);
    expect(stage.wait(2000).live).not.toContain('always');
  });

  it('several are asked one after the other, each with a pause of its own', () => {
    const stage = new Stage().say('go').agent(question('1'), question('2', { command: 'second' }));
    expect(stage.text).not.toContain('second');
    expect(stage.live).toContain('(1 of 2)');
    stage.wait(700).type('a').type('y');
    expect(stage.of('answer')).toEqual([{ type: 'answer', id: '1', decision: 'allow_always' }]);
    expect(stage.text).toContain('$ second');
  });

  it('one that was settled elsewhere is withdrawn', () => {
    const stage = new Stage().say('go').agent(question());
    stage.agent({ type: 'permission_resolved', id: 'q', decision: 'deny', message: 'time is up' });
    expect(stage.text).toContain('withdrawn: time is up');
    expect(stage.live).not.toContain('Allow it?');
  });

  it('shows the change of a file, harmless and whole; what is too long on request', () => {
    const content = Array.from({ length: 100 }, (_, at) => `line ${at}\u001b[2J`).join('\n');
    const request: PermissionRequestEvent = {
      ...question(),
      tool: 'Write',
      input: { file_path: 'a.txt', content },
    };
    const stage = new Stage().say('go').agent(request);
    expect(stage.text).toContain('  a.txt');
    expect(stage.text).toContain('  +line 5\n');
    expect(stage.text).not.toContain('line 99');
    stage.wait(1000).type('v');
    expect(stage.text).toContain('+line 99');
    expect(stage.text).not.toContain('\u001b');
    stage.type('y');
    expect(stage.of('answer')).toHaveLength(1);
  });

  it('fields that the picture of a tool leaves out are told', () => {
    const stage = new Stage()
      .say('go')
      .agent(question('q', { command: 'ls', dangerouslyDisableSandbox: true }));
    expect(stage.text).toContain('dangerouslyDisableSandbox: true');
  });
});

describe('Ctrl-C (18.1)', () => {
  it('stops the turn; twice within a second leaves', () => {
    const stage = new Stage().say('go').press('letter-c', 'ctrl');
    expect(stage.of('interrupt')).toHaveLength(1);
    expect(stage.live).toContain('is stopping');
    stage.agent(stopped).wait(1500);
    expect(stage.state.turn).toBeUndefined();
    stage.press('letter-c', 'ctrl');
    expect(stage.of('leave')).toEqual([]);
    expect(stage.live).toContain('Ctrl-C once more leaves.');
    stage.wait(1500).press('letter-c', 'ctrl');
    expect(stage.of('leave')).toHaveLength(1);
  });

  it('clears a line that is being written', () => {
    const stage = new Stage().type('draft').press('letter-c', 'ctrl');
    expect(stage.state.editor.text).toBe('');
    stage.press('letter-c', 'ctrl');
    expect(stage.of('leave')).toEqual([]);
  });

  it('Ctrl-D leaves on an empty line, and deletes in another', () => {
    expect(new Stage().press('letter-d', 'ctrl').of('leave')).toHaveLength(1);
    const stage = new Stage().type('ab').press('home').press('letter-d', 'ctrl');
    expect(stage.of('leave')).toEqual([]);
    expect(stage.state.editor.text).toBe('b');
  });
});

it('an answer of very many lines at once is shown (18.1)', () => {
  const stage = new Stage().say('go').agent({ type: 'text', text: 'line\n\n'.repeat(200_000) }, complete);
  expect(stage.printed.length).toBeGreaterThan(200_000);
});

describe('Ctrl-R (18.1)', () => {
  function withHistory(): Stage {
    const stage = new Stage();
    for (const text of ['fix the Build', 'write tests', 'why does the build fail?', 'thanks'])
      stage.say(text).agent(complete);
    return stage.type('a draft').press('letter-r', 'ctrl');
  }

  it('finds the newest message with the words, then older ones; Enter takes it without sending it', () => {
    const stage = withHistory().type('bui').type('ld');
    expect(stage.state.editor.text).toBe('why does the build fail?');
    expect(stage.live).toContain('search: build');
    stage.press('letter-r', 'ctrl');
    expect(stage.state.editor.text).toBe('fix the Build');
    const said = stage.of('say').length;
    stage.press('enter');
    expect(stage.live).not.toContain('search:');
    expect(stage.of('say')).toHaveLength(said);
    stage.press('enter');
    expect(stage.of('say').at(-1)).toEqual({ type: 'say', text: 'fix the Build' });
  });

  it('says that there is none; fewer words look again from the newest one', () => {
    const stage = withHistory().type('buildx');
    expect(stage.live).toContain('is in no earlier message');
    stage.press('backspace');
    expect(stage.state.editor.text).toBe('why does the build fail?');
  });

  it.each([
    ['escape', undefined],
    ['letter-g', 'ctrl'],
    ['letter-c', 'ctrl'],
  ] as const)('%s brings back what was being written', (name, held) => {
    const stage = withHistory().type('tests').press(name, held);
    expect(stage.state.editor.text).toBe('a draft');
    expect(stage.state.search).toBeUndefined();
    expect(stage.of('leave')).toEqual([]);
  });

  it('ends with any other key, which does its work', () => {
    const stage = withHistory().type('tests').press('end').type('!');
    expect(stage.state.editor.text).toBe('write tests!');
  });
});

describe('typing while it works (18.1)', () => {
  it('is said into the turn where that can be', () => {
    const stage = new Stage().say('go').say('also this');
    expect(stage.of('steer')).toEqual([{ type: 'steer', text: 'also this' }]);
    stage.take({ type: 'steered', text: 'also this', taken: true });
    expect(stage.text).toContain('❯ also this\n  said into the running turn');
    stage.agent(complete);
    expect(stage.of('say')).toHaveLength(1);
  });

  it('waits where it can’t be, says so, and is said after the turn', () => {
    const stage = new Stage().say('go').say('one').say('two');
    for (const text of ['one', 'two']) stage.take({ type: 'steered', text, taken: false });
    expect(stage.live).toContain('queued: one');
    expect(stage.live).toContain('↑ takes it back');
    stage.press('up');
    expect(stage.state.editor.text).toBe('two');
    stage.press('letter-u', 'ctrl').agent(complete);
    expect(stage.of('say').at(-1)).toEqual({ type: 'say', text: 'one' });
  });

  it('one that comes too late for the turn is said at once', () => {
    const stage = new Stage().say('go').say('late').agent(complete);
    stage.take({ type: 'steered', text: 'late', taken: false });
    expect(stage.of('say').at(-1)).toEqual({ type: 'say', text: 'late' });
  });

  it('after a stop the messages are the user’s again', () => {
    const stage = new Stage().say('go').say('one').take({ type: 'steered', text: 'one', taken: false });
    stage.press('letter-c', 'ctrl').agent(stopped);
    expect(stage.state).toMatchObject({ queue: [], editor: { text: 'one' } });
  });
});

describe('commands in a chat (18.1)', () => {
  it('/backend hands over; what is said meanwhile waits for it', () => {
    const stage = new Stage().say('/backend codex');
    expect(stage.effects).toContainEqual({ type: 'command', command: 'backend', argument: 'codex' });
    expect(stage.live).toContain('handing over to codex');
    stage.say('hello').take({ type: 'done', text: 'codex answers from here on.' });
    expect(stage.of('say')).toEqual([{ type: 'say', text: 'hello' }]);
  });

  it('those that change something wait for the turn, and stay in the field', () => {
    const stage = new Stage().say('go').say('/model x');
    expect(stage.of('command')).toEqual([]);
    expect(stage.state.editor.text).toBe('/model x');
  });

  it('/sessions: one is chosen with the keys', () => {
    const sessions = ['first', 'second'].map((title) => ({ sessionId: `id-${title}`, title, updatedAt: 0 }));
    const stage = new Stage().say('/sessions').take({ type: 'sessions', sessions });
    expect(stage.live).toContain('second');
    stage.press('down').press('enter');
    expect(stage.effects).toContainEqual({ type: 'command', command: 'resume', argument: 'id-second' });
  });

  it('/retry says the last message again, /usage sums up, an unknown one is not sent', () => {
    const stage = new Stage()
      .say('go')
      .agent({ type: 'usage', inputTokens: 5, outputTokens: 7 }, complete)
      .say('/retry');
    expect(stage.of('say')).toHaveLength(2);
    stage.agent(complete).say('/usage');
    expect(stage.text).toContain('2 turns, 0 ms: 5 tokens in, 7 out');
    stage.say('/usgae');
    expect(stage.live).toContain('did you mean /usage?');
    expect(stage.of('say')).toHaveLength(2);
  });
});

describe('the picture (18.1)', () => {
  it('a question tells what "always" would allow, in one line (18.1)', () => {
    const always = `touch *\u001b[2J${' and more'.repeat(20)}`;
    const stage = new Stage({ movesCursor: false }).take({ type: 'line', text: 'go' });
    stage.agent({ ...question(), always });
    expect(stage.text).toMatch(/\[y\] allow {2}\[a\] always: touch \* \[2J and [^\n]{1,30}… {2}\[n\] deny/);
  });

  it('a terminal that can’t move its cursor gets an answer by line', () => {
    const stage = new Stage({ movesCursor: false }).take({ type: 'line', text: 'go' }).agent(question());
    expect(stage.text).toContain('[y] allow  [a] always  [n] deny');
    stage.take({ type: 'line', text: 'y' });
    expect(stage.of('answer')).toEqual([]);
    stage.wait(2000).take({ type: 'line', text: 'yes' });
    expect(stage.of('answer')).toHaveLength(1);
  });

  it('whatever happens, the live region fits into the window and the cursor into the region', () => {
    const text = fc.constantFrom(
      'hello',
      '日本語 '.repeat(40),
      'a\nb\nc\n'.repeat(10),
      '/help',
      '/sessions',
      'y',
      '\u001b[2J',
    );
    const input = fc.oneof(
      text.map((one): ChatInput => ({ type: 'key', key: { type: 'text', text: one } })),
      text.map((one): ChatInput => ({ type: 'key', key: { type: 'paste', text: one } })),
      fc
        .constantFrom<Extract<Key, { type: 'key' }>['name']>(
          'enter',
          'up',
          'down',
          'escape',
          'tab',
          'newline',
          'left',
        )
        .map((name): ChatInput => ({ type: 'key', key: { type: 'key', name } })),
      fc.record({
        type: fc.constant('resize' as const),
        columns: fc.integer({ min: 1, max: 120 }),
        rows: fc.integer({ min: 1, max: 40 }),
      }),
      fc
        .oneof(
          text.map((one): ChatEvent => ({ type: 'text', text: one })),
          text.map((one): ChatEvent => ({ type: 'thinking', text: one })),
          text.map(
            (one): ChatEvent => ({ type: 'tool_start', id: one, name: 'Bash', input: { command: one } }),
          ),
          text.map((one): ChatEvent => ({ type: 'tool_end', id: one, output: one, isError: true })),
          text.map((one): ChatEvent => question(one, { command: one })),
          fc.constantFrom(complete, stopped),
        )
        .map((event): ChatInput => ({ type: 'conversation', event: { type: 'agent', event } })),
    );
    fc.assert(
      fc.property(fc.array(input, { maxLength: 30 }), (inputs) => {
        const stage = new Stage();
        for (const one of inputs) {
          const before = stage.printed.length;
          stage.take(one).wait(50);
          const { rows, cursor } = liveRegion(stage.state, stage.now);
          const columns = Math.max(11, stage.state.columns);
          expect(rows.length).toBeLessThanOrEqual(Math.max(3, stage.state.rows - 1));
          expect(cursor.row).toBeLessThan(rows.length);
          expect(cursor.column).toBeLessThan(columns);
          for (const row of [...rows, ...stage.printed.slice(before)]) {
            expect(lineWidth(row)).toBeLessThan(columns);
            expect(/\p{Cc}/u.test(textOf(row))).toBe(false);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
