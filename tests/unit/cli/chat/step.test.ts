import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Key } from '../../../../src/cli/chat/input/keys.js';
import {
  beginChat,
  type ChatInput,
  type ChatState,
  type Effect,
} from '../../../../src/cli/chat/state/chat-state.js';
import { awaitsInput, liveRegion } from '../../../../src/cli/chat/state/live-region.js';
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
    const status = {
      backend: 'claude',
      cwd: '/project',
      place: '~/project',
      permissionMode: 'ask',
      steers: true,
    };
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

  /** The ends of all pauses that were asked for, as a chat tells them. */
  passPause(): this {
    this.wait(700);
    for (const effect of [...this.effects])
      if (effect.type === 'wait') this.take({ type: 'waited', since: effect.since });
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
          '· hm',
          '· hm',
          '',
          'Let me look.',
          '',
          '✓ Bash npm test  1.2 s',
          '✗ Bash false  0 ms',
          '  bad thing',
          '  more',
        ],
        '4.4 s · 3,204 in, 512 out · $0.0210 · context 20%',
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

  it('a failed tool shows five lines of what it said; Ctrl-O shows all of the last tool, then of the one before', () => {
    const stage = new Stage().say('a');
    const lines = Array.from({ length: 9 }, (_, index) => `line ${index}`).join('\n');
    stage.agent(
      { type: 'tool_start', id: '1', name: 'Read', input: { file_path: 'a.ts' } },
      { type: 'tool_end', id: '1', output: `first ${'x'.repeat(100)}\u001b[2J`, isError: false },
      { type: 'tool_start', id: '2', name: 'Bash', input: { command: 'make' } },
      { type: 'tool_end', id: '2', output: `Exit code 3\n${lines}`, isError: true },
    );
    expect(stage.text).toContain(
      '  Exit code 3\n  line 0\n  line 1\n  line 2\n  line 3\n  … 5 more lines: Ctrl-O',
    );
    expect(stage.text).not.toContain('first');
    stage.press('letter-o', 'ctrl');
    expect(stage.text).toContain(`Bash make\nExit code 3\n${lines}`);
    stage.press('letter-o', 'ctrl');
    expect(stage.text).toContain(`Read a.ts\nfirst ${'x'.repeat(100)}`);
    expect(stage.press('letter-o', 'ctrl').live).toContain('No tool has an output');
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
  const asking = () => new Stage().say('go').agent(question()).wait(700);

  it('what is typed before it can be seen does not answer it', () => {
    const stage = new Stage().say('go').agent(question());
    expect(stage.text).toContain('? Bash needs your permission\n│ $ rm -rf x');
    expect(stage.live).not.toContain('Enter confirms');
    stage.type('y').passPause();
    expect(stage.state.editor.text).toBe('y');
    stage.press('backspace').wait(300).type('n').passPause().press('backspace');
    expect(stage.of('answer')).toEqual([]);
    expect(stage.wait(700).live).toContain('[y] allow  [a] always  [n] deny · Enter confirms');
    stage.type('y').press('enter');
    expect(stage.of('answer')).toEqual([{ type: 'answer', id: 'q', decision: 'allow' }]);
    expect(stage.text).toContain('→ allowed');
  });

  it.each([
    ['y', 'allow it', 'allow'],
    ['n', 'deny it', 'deny'],
  ])('%s shows what it would do, and does it after a pause', (letter, meaning, decision) => {
    const stage = asking().type(letter);
    expect(stage.live).toContain(`Allow it? ${letter}: ${meaning} · Enter confirms`);
    expect(stage.of('answer')).toEqual([]);
    stage.passPause();
    expect(stage.of('answer')).toMatchObject([{ decision }]);
  });

  it('always needs Enter; another letter after a pause chooses anew', () => {
    const stage = asking().type('a').passPause();
    expect(stage.live).toContain('a: always allow it · Enter confirms, Esc takes it back');
    expect(stage.of('answer')).toEqual([]);
    stage.press('escape');
    expect(stage.live).toContain('[y] allow');
    stage.type('a').wait(1000).type('n').wait(1000).type('a').press('enter');
    expect(stage.of('answer')).toMatchObject([{ decision: 'allow_always' }]);
  });

  it.each(['and use src/ instead', 'yes but in src/', 'no, wait', 'very well'])(
    'a sentence is none: %s',
    (sentence) => {
      const stage = asking();
      for (const letter of sentence) stage.type(letter).wait(200);
      stage.passPause();
      expect(stage.of('answer')).toEqual([]);
      expect(stage.state.editor.text).toBe(sentence);
    },
  );

  it('stays in sight while somebody writes; Esc or an empty field leads back to it', () => {
    const stage = asking().type('w');
    expect(stage.live).toMatch(/Allow it\? .*Esc, or an empty field: answer it\n❯ w\n/);
    stage.press('backspace').wait(700);
    expect(stage.live).toContain('[n] deny · Enter confirms');
    stage.type('w').wait(2000).type('n').passPause();
    expect(stage.state.editor.text).toBe('wn');
    stage.press('escape').wait(700).type('n').press('enter');
    expect(stage.of('answer')).toMatchObject([{ decision: 'deny' }]);
    expect(stage.of('interrupt')).toEqual([]);
    expect(stage.state.editor.text).toBe('wn');
  });

  it('a half-written message is not answered over, nor sent by Enter at the question', () => {
    const stage = new Stage().say('go').type('half a mess').agent(question()).wait(2000).type('a');
    expect(stage.state.editor.text).toBe('half a messa');
    stage.press('escape').press('enter').wait(700).press('enter');
    expect(stage.of('steer')).toEqual([]);
    stage.type('g');
    expect(stage.state).toMatchObject({ focus: 'field', editor: { text: 'half a messag' } });
  });

  it('Esc denies; before the question could be seen it does nothing', () => {
    const stage = new Stage().say('go').agent(question()).press('escape');
    expect(stage.effects.filter(({ type }) => type !== 'say' && type !== 'remember')).toEqual([]);
    stage.wait(700).press('escape');
    expect(stage.of('answer')).toMatchObject([{ decision: 'deny' }]);
    expect(stage.of('interrupt')).toEqual([]);
    stage.press('escape');
    expect(stage.of('interrupt')).toHaveLength(1);
  });

  it('a stop takes back what was chosen', () => {
    const stage = asking().type('y').press('letter-c', 'ctrl').passPause();
    expect(stage.of('interrupt')).toHaveLength(1);
    expect(stage.of('answer')).toEqual([]);
  });

  it('letters of a search in the history answer nothing', () => {
    const stage = asking().press('letter-r', 'ctrl').wait(700).type('n').passPause();
    expect(stage.of('answer')).toEqual([]);
    expect(stage.live).toContain('search: n');
  });

  it('its tool does not look as if it ran', () => {
    const stage = new Stage().say('go');
    for (const id of ['1', '2'])
      stage.agent({ type: 'tool_start', id, name: 'Bash', input: { command: `do ${id}` } });
    stage.agent({ ...question(), toolId: '2' }).wait(3000);
    expect(stage.live).toMatch(/[⠀-⣿] Bash do 1 {2}3s\n\? Bash do 2 {2}waits for you/);
  });

  it('in a small window: short choices, and what does not fit its height is shown on request', () => {
    const command = Array.from({ length: 12 }, (_, at) => `echo ${at}`).join('\n');
    const stage = new Stage({ columns: 40, rows: 10 }).say('go').agent(question('q', { command })).wait(700);
    expect(stage.text).toContain('echo 2\n  … 9 more rows: [v] shows all');
    expect(stage.live).toContain('Allow it? n/v · Enter confirms');
    stage.type('y').press('enter');
    expect(stage.of('answer')).toEqual([]);
    expect(stage.text).toContain('echo 11');
    expect(stage.live).toContain('Allow it? y/a/n · Enter confirms');
    expect(stage.type('w').live).toContain('Allow it? Esc: answer it\n❯ w');
  });

  it('in a dumb terminal: a letter and Enter, also for the rest', () => {
    const command = Array.from({ length: 30 }, (_, at) => `echo ${at}`).join('\n');
    const stage = new Stage({ movesCursor: false }).take({ type: 'line', text: 'go' });
    stage.agent({ ...question('q', { command }), options: ['allow', 'deny'] }).wait(700);
    expect(stage.text).toMatch(/\[n\] deny {2}\[v\] show all \(type the letter, then Enter\)$/);
    stage.take({ type: 'line', text: 'v' });
    expect(stage.text).toMatch(/echo 29\n\n?\[y\] allow {2}\[n\] deny \(type/);
    stage.take({ type: 'line', text: 'a' });
    expect(stage.of('answer')).toEqual([]);
    expect(stage.text.match(/\[y\] allow/g)).toHaveLength(2);
    stage.take({ type: 'line', text: 'yes' });
    expect(stage.of('answer')).toMatchObject([{ decision: 'allow' }]);
  });

  it('a paste never answers, nor does an option that is not offered', () => {
    const stage = new Stage().say('go').agent({ ...question(), options: ['allow', 'deny'] });
    stage.wait(1000).take({ type: 'key', key: { type: 'paste', text: 'y' } });
    stage.passPause().press('backspace').wait(700).type('a').press('enter').passPause();
    expect(stage.of('answer')).toEqual([]);
    expect(stage.wait(2000).live).not.toContain('always');
  });

  it('several are asked one after the other, each with a pause of its own', () => {
    const stage = new Stage().say('go').agent(question('1'), question('2', { command: 'second' }));
    expect(stage.text).not.toContain('second');
    expect(stage.live).toContain('(1 of 2)');
    stage.wait(700).type('a').press('enter').type('y').passPause();
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
    expect(stage.text).toContain('│ a.txt');
    expect(stage.text).toContain('│ +line 5␛[2J\n');
    expect(stage.text).not.toContain('line 99');
    stage.wait(1000).type('v').passPause();
    expect(stage.text).toContain('+line 99');
    expect(stage.text).not.toContain('\u001b');
    stage.type('y').passPause();
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
    expect(stage.live).toContain('↑ brings it back');
    stage.press('letter-c', 'ctrl');
    expect(stage.of('leave')).toEqual([]);
    expect(stage.press('up').state.editor.text).toBe('draft');
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
    expect(stage.live).toContain('They are said together after this turn. ↑ takes the last one back.');
    stage.press('up');
    expect(stage.state.editor.text).toBe('two');
    expect(stage.live).toContain('It is said after this turn. ↑ takes it back.');
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
    expect(stage.text).toContain('What you wrote meanwhile was not said: it is in the field again.');
  });

  const tool: ChatEvent = { type: 'tool_start', id: '1', name: 'Bash', input: { command: 'sleep 9' } };
  const toolEnd: ChatEvent = { type: 'tool_end', id: '1', output: '', isError: false };
  const steered = (...events: readonly ChatEvent[]) =>
    new Stage()
      .say('go')
      .agent(...events)
      .say('use src/')
      .take({ type: 'steered', text: 'use src/', taken: true });

  it.each([
    ['while a tool runs', steered(tool)],
    ['while it writes', steered({ type: 'text', text: 'so' }).agent({ type: 'text', text: ' it goes' })],
    ['before the agent goes on', steered(tool).agent(toolEnd)],
    ['before the CLI has said whether it takes it', new Stage().say('go').say('use src/')],
  ])('what was said into a turn that is stopped %s comes back', (_, stage) => {
    stage.type('and').press('letter-c', 'ctrl').agent(stopped);
    expect(stage.state.editor.text).toBe('use src/\nand');
    expect(stage.text).toContain('it is in the field again.');
    // Whatever the CLI says about it later.
    stage.take({ type: 'steered', text: 'use src/', taken: false });
    expect(stage.of('say')).toHaveLength(1);
  });

  it('what was surely heard does not come back, nor what a gateway keeps', () => {
    const heard = steered(tool).agent(toolEnd, { type: 'text', text: 'In src/ then.' }, stopped);
    expect(heard.state.editor.text).toBe('');
    const stage = new Stage().say('go');
    const status = { ...stage.state.status, channel: 'home' };
    stage.take({ type: 'conversation', event: { type: 'status', status } }).say('use src/');
    stage.take({ type: 'steered', text: 'use src/', taken: true }).agent(stopped);
    expect(stage.state.editor.text).toBe('');
  });

  it('a terminal without a field gets the words as lines', () => {
    const stage = new Stage({ movesCursor: false });
    for (const text of ['go', 'use src/']) stage.take({ type: 'line', text });
    stage.agent(stopped);
    expect(stage.text).toContain('What you wrote meanwhile was not said:\nuse src/');
    expect(stage.state.editor.text).toBe('');
  });

  it('the working line says what Enter does', () => {
    const stage = new Stage().say('go');
    expect(stage.live).not.toContain('Enter:');
    expect(stage.type('x').live).toContain('claude is working 0s · Enter: into this turn · Ctrl-C stops it');
    const status = { ...stage.state.status, steers: false };
    stage.take({ type: 'conversation', event: { type: 'status', status } });
    expect(stage.live).toContain('Enter: after this turn');
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
    expect(stage.text).toContain('claude: 2 turns, 0 ms: 5 tokens in, 7 out; it tells no cost');
    const status = { ...stage.state.status, backend: 'codex' };
    stage.take({ type: 'conversation', event: { type: 'status', status } }).say('go');
    stage.agent({ type: 'usage', inputTokens: 1, outputTokens: 2, costUsd: 0.0003 }, complete).say('/usage');
    expect(stage.text).toMatch(/\nclaude: 2 turns.*\ncodex: 1 turn, 0 ms: 1 tokens in, 2 out, \$0\.0003$/);
    stage.say('/usgae');
    expect(stage.live).toContain('did you mean /usage?');
    expect(stage.of('say')).toHaveLength(3);
  });
});

describe('the picture (18.1)', () => {
  it('a long text in the field is counted where it is not seen, and shown by its beginning when it is sent', () => {
    const text = Array.from({ length: 200 }, (_, index) => `row ${index}`).join('\n');
    const stage = new Stage().take({ type: 'key', key: { type: 'paste', text } });
    expect(stage.live).toContain('❯ … 189 lines above\n  row 189\n');
    for (let times = 0; times < 199; times += 1) stage.press('up');
    expect(stage.live).toMatch(/❯ row 0[\s\S]* {2}… 189 lines below/);
    stage.press('enter');
    expect(stage.text).toMatch(/^❯ row 0\n[\s\S]* {2}row 9\n {2}… 190 more lines$/);
    expect(stage.of('say')).toEqual([{ type: 'say', text }]);
  });

  it('a terminal that can’t move its cursor is told what to do, and nothing twice', () => {
    const stage = new Stage({ movesCursor: false }).take({ type: 'line', text: 'hi' });
    expect(stage.text).toBe('');
    expect(awaitsInput(stage.state)).toBe(false);
    stage.press('letter-c', 'ctrl');
    expect(stage.text).toBe('Ctrl-C once more leaves.');
    expect(awaitsInput(stage.agent(stopped).state)).toBe(true);
    stage.take({ type: 'line', text: '/help' });
    expect(stage.text).not.toMatch(/↑|Alt-Enter/);
  });

  it('a diff does not say again which file it is; another name in it is shown', () => {
    const diff = (name: string) =>
      `Index: ${name}\n${'='.repeat(67)}\n--- ${name}\n+++ ${name}\n@@ -1,1 +1,1 @@\n--- old\n+new\n`;
    const asked = (name: string) =>
      new Stage().say('go').agent({
        ...question('q', { filePath: '/project/a.txt', diff: diff(name) }),
        tool: 'edit',
      }).text;
    expect(asked('/project/a.txt')).toMatch(/permission\n│ \/project\/a\.txt\n│ @@ .*\n│ --- old\n│ \+new$/);
    expect(asked('/etc/b.txt')).toContain('--- /etc/b.txt');
  });

  it('a question tells all that "always" would allow (27.9)', () => {
    const always = `touch *\u001b[2J${' and more'.repeat(20)}`;
    const stage = new Stage({ movesCursor: false }).take({ type: 'line', text: 'go' });
    stage.agent({ ...question(), always });
    expect(stage.text).toContain('│ “always” allows, until the session ends:\n│   touch *␛[2J and more');
    expect(stage.text.replaceAll(/[\s│]/g, '')).toContain(`${'andmore'.repeat(20)}[y]allow[a]always[n]deny`);
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
          for (const row of rows) expect(lineWidth(row)).toBeLessThan(columns);
          for (const row of [...rows, ...stage.printed.slice(before)])
            expect(/\p{Cc}/u.test(textOf(row))).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });
});
