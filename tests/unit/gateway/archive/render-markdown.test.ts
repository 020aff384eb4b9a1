import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../../../src/core/chat-event.js';
import { code, oneLine, quote } from '../../../../src/core/text.js';
import {
  type DayEntry,
  renderDayHeader,
  renderEntry,
} from '../../../../src/gateway/archive/render-markdown.js';
import type { StoredEvent, StoredTurn } from '../../../../src/store/rows.js';

const noon = Date.UTC(2026, 0, 31, 12, 0, 0);

describe('a turn as Markdown', () => {
  it('has its question, its steps, its answer and its price', () => {
    expect(renderEntry(turnEntry({}))).toBe(`## 12:00:01 · \`claude\` · \`opus\` · answered · 18.2 s

turn \`t1\` · event \`e1\` · session \`s1\` · resumed

**\`alice\`** (\`http\`, 12:00:00):

> What is in it?
>
> Quickly.

> I look.

- \`Read\` \`README.md\` · ok · 300 ms
- \`Bash\` \`{"command":"rm x","why":"no"}\` · error
- permission for \`Bash\`: deny
- warning: \`slow\`

**\`claude\`**:

> A readme.

_1,200 tokens in (1,000 from the cache), 40 out, $0.0123_

`);
  });

  it('that did not live to answer shows what the journal knows', () => {
    const text = renderEntry(
      turnEntry({
        turn: {
          state: 'failed',
          tools: [{ id: 'x', name: 'Bash', input: { command: 'sleep 9' }, startedAt: noon }],
          error: { code: 'crashed', message: 'the gateway ended\n## 12:00:00 · fake' },
        },
        events: [],
        messages: [],
      }),
    );
    expect(text).toContain('- `Bash` `sleep 9` · not ended');
    expect(text).toContain('**Error** `crashed`\n\n> the gateway ended\n> ## 12:00:00 · fake');
  });

  it('whose answer is in no message still shows it', () => {
    expect(renderEntry(turnEntry({ messages: [] }))).toContain('> A readme.');
  });
});

describe('what others wrote', () => {
  it.each([
    ['```\nunclosed', '> ```\n> unclosed'],
    ['# Heading\r\n---\rx', '> # Heading\n> ---\n> x'],
    ['</blockquote><h2>12:00</h2>', '> &lt;/blockquote>&lt;h2>12:00&lt;/h2>'],
    ['<!-- a < b', '> &lt;!-- a < b'],
    ['\u001b[2Ja\u0000\u009b', '> ␛[2Ja␀[U+009B]'],
    ['a\u2028## b\u0085## c\f## d', '> a\n> ## b\n> ## c\n> ## d'],
    ['', '>'],
  ])('%j is quoted', (text, quoted) => expect(quote(text)).toBe(quoted));

  it.each([
    ['a`b', '``a`b``'],
    ['`', '`` ` ``'],
    ['a\n## b', '`a ## b`'],
    [' \n ', '`?`'],
  ])('%j is code', (text, coded) => expect(code(text)).toBe(coded));

  it('is cut between characters', () => {
    expect(oneLine('👍'.repeat(200), 5)).toBe('👍👍👍👍…');
    expect(oneLine('x'.repeat(5), 5)).toBe('xxxxx');
    expect(oneLine('x'.repeat(1_000_000), 5)).toBe('xxxx…');
  });

  it('never passes for a heading or a turn, nor leaves its quote, wherever it stands', () => {
    const nasty = fc.constantFrom(
      ...['\n', '\r', '\u2028', '\f', '## 12:00:00 · `claude` · answered', '```', '~~~', '> ', '- ', '---'],
      ...[
        '<h2>',
        '</blockquote>',
        '<!--',
        '`',
        '**',
        '    ',
        '\t',
        '\u001b[1A',
        '# `x` · 2026-01-31',
        '[a]: b',
      ],
    );
    const text = fc.array(fc.oneof(nasty, fc.string()), { maxLength: 12 }).map((parts) => parts.join(''));
    const plain = [
      renderDayHeader('c', '2026-01-31'),
      renderEntry(turnEntry({})),
      renderEntry(messageEntry('x', 'y')),
    ];
    const shape = ownLines(plain.join('')).map(kindOfLine);
    fc.assert(
      fc.property(text, (evil) => {
        const rendered = [
          renderDayHeader(evil, '2026-01-31'),
          renderEntry(turnEntry({ evil })),
          renderEntry(messageEntry(evil, evil)),
        ].join('');
        expect(ownLines(rendered).map(kindOfLine)).toEqual(shape);
        const quoted = rendered.split('\n').filter((line) => line.startsWith('>'));
        for (const line of quoted) expect(line).not.toMatch(/<[a-z/!?]/i);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
        expect(rendered).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/);
      }),
      { numRuns: 500 },
    );
  });
});

function ownLines(markdown: string): readonly string[] {
  return markdown.split('\n').filter((line) => line !== '' && !line.startsWith('>'));
}

/** The kind of a line for a reader of Markdown, without its code spans. */
function kindOfLine(line: string): string {
  const bare = line.replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, 'CODE');
  return bare.replaceAll(/\d+/g, '0').replace(/^- CODE CODE/, '- CODE');
}

function messageEntry(text: string, author: string): DayEntry {
  const event = storedEvent({ text, author, state: 'refused', error: { code: 'overloaded', message: text } });
  return {
    type: 'message',
    message: { id: 1, channel: 'c', eventId: 'e1', role: 'user', text, createdAt: noon },
    event,
  };
}

function storedEvent(more: Partial<StoredEvent>): StoredEvent {
  return {
    id: 'e1',
    seq: 1,
    channel: 'c',
    source: 'http',
    kind: 'prompt',
    text: 'What is in it?\n\nQuickly.',
    author: 'alice',
    state: 'answered',
    createdAt: noon,
    attempts: 1,
    crashes: 0,
    ...more,
  };
}

/** With `evil`, that text stands wherever somebody else's text can stand. */
function turnEntry(options: {
  readonly evil?: string;
  readonly turn?: Partial<StoredTurn>;
  readonly events?: readonly ChatEvent[];
  readonly messages?: readonly [];
}): DayEntry {
  const { evil } = options;
  const or = (text: string) => evil ?? text;
  const events: readonly ChatEvent[] = [
    { type: 'text', text: evil === undefined ? 'I look.' : `x${evil}` },
    { type: 'tool_start', id: 'a', name: or('Read'), input: { path: or('README.md') } },
    { type: 'tool_end', id: 'a', output: or('# Readme'), isError: false },
    { type: 'tool_start', id: 'b', name: or('Bash'), input: { command: or('rm x'), why: 'no' } },
    { type: 'permission_request', id: 'p', tool: or('Bash'), input: {}, options: ['deny'] },
    { type: 'permission_resolved', id: 'p', decision: 'deny' },
    { type: 'tool_end', id: 'b', output: 'no', isError: true },
    { type: 'notice', level: 'warning', message: or('slow') },
    { type: 'text', text: or('A readme.') },
    { type: 'complete', text: or('A readme.'), sessionId: 's1', stopReason: 'end_turn' },
  ];
  const turn: StoredTurn = {
    id: 't1',
    seq: 1,
    channel: or('c'),
    eventIds: ['e1'],
    state: 'answered',
    startedAt: noon + 1000,
    endedAt: noon + 19_200,
    setup: {
      backend: or('claude'),
      model: or('opus'),
      cwd: '/work',
      live: false,
      resumed: 's1',
      prompt: { files: [], characters: 0, hash: '', seededMessages: 0 },
    },
    sessionId: or('s1'),
    tools: [{ id: 'a', name: 'Read', input: {}, startedAt: noon, endedAt: noon + 300, isError: false }],
    usage: { inputTokens: 1200, outputTokens: 40, cachedInputTokens: 1000, costUsd: 0.0123 },
    stopReason: 'end_turn',
    ...options.turn,
  };
  const answer = { id: 2, channel: 'c', eventId: 'e1', role: 'assistant', createdAt: noon + 19_200 } as const;
  return {
    type: 'turn',
    turn,
    prompts: [
      {
        event: evil === undefined ? storedEvent({}) : storedEvent({ text: evil, author: evil }),
        shownAbove: false,
      },
    ],
    events: options.events ?? events,
    messages: options.messages ?? [{ ...answer, text: or('A readme.'), backend: or('claude') }],
  };
}
