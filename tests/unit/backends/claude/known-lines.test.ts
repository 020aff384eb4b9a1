import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claudeDecoder } from '../../../../src/backends/claude/decoder.js';
import { isMark, readKnownLine } from '../../../../src/backends/claude/known-lines.js';
import type { JsonObject } from '../../../../src/backends/output/json.js';

const decoder = claudeDecoder(0);

/** Whether or not a line is known by its beginning, the decoder makes the same of it. */
function expectSame(raw: string): void {
  const known = readKnownLine(raw);
  if (known === undefined) return;
  const parsed = JSON.parse(raw) as JsonObject;
  const states = [decoder.initial, { ...decoder.initial, spoke: true, ending: answered }];
  for (const state of states)
    expect(decoder.step(state, known, raw)).toEqual(decoder.step(state, parsed, raw));
}

const answered = { type: 'answered', stopReason: 'end_turn', text: 'a' } as const;

const delta = (text: unknown, more: object = {}) =>
  JSON.stringify({
    type: 'stream_event',
    event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    session_id: 's',
    parent_tool_use_id: null,
    ...more,
  });

/** As Claude 2.1.325 writes it, with the field that scheduled messages have. */
const lifecycle = (id: unknown, state: unknown, more: object = {}) =>
  JSON.stringify({ type: 'command_lifecycle', command_uuid: id, state, uuid: 'u', session_id: 's', ...more });

describe('lines of Claude that are known by their beginning', () => {
  it('mean what they mean when they are parsed: the recordings', () => {
    const lines = recordedLines();
    let known = 0;
    for (const line of lines) {
      expectSame(line);
      if (readKnownLine(line) !== undefined) known += 1;
    }
    // That many are known is what makes it worth having.
    expect(known).toBeGreaterThan(lines.length / 3);
  });

  it('mean what they mean when they are parsed: any text', () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', '"', '\\', '\n', '}', '{', ',', 'é', '\u2028', '😀', '\ud800'),
    });
    fc.assert(
      fc.property(texts, (text) => {
        const line = delta(text);
        expect(readKnownLine(line)).toBeDefined();
        expectSame(line);
      }),
    );
  });

  it.each(['queued', 'started', 'completed', 'cancelled', 'discarded', 'refused'])(
    'where a message is on its way: %s',
    (state) => {
      const id = '6c7e5bd1-9d0b-4b43-8f6a-0e5f9f1a7a10';
      const known = { type: 'command_lifecycle', command_uuid: id, state };
      expect(readKnownLine(lifecycle(id, state))).toEqual(known);
      const more = { wakeup_source: 'loop_wakeup', nested: { state: 'x', command_uuid: 'y' } };
      expect(readKnownLine(lifecycle(id, state, more))).toEqual(known);
      expect(readKnownLine(JSON.stringify(known))).toEqual(known);
    },
  );

  it('where a message is on its way: any id and state', () => {
    const words = fc.string({
      unit: fc.constantFrom('a', '-', '_', '0', '"', '\\', ',', ':', '{', '}', '\n', 'state', 'é', '😀'),
    });
    const lines = fc
      .tuple(fc.oneof(words, fc.uuid()), fc.oneof(words, fc.constantFrom('queued', 'started')), fc.boolean())
      .map(([id, state, swapped]) => [lifecycle(id, state), swapped] as const)
      .map(([line, swapped]) =>
        swapped ? line.replace(/,("command_uuid":.*?),("state":.*?),/, ',$2,$1,') : line,
      );
    fc.assert(
      fc.property(lines, (line) => {
        const known = readKnownLine(line);
        if (known === undefined) return;
        const { type, command_uuid, state } = JSON.parse(line) as JsonObject;
        expect(known).toEqual({ type, command_uuid, state });
      }),
      { numRuns: 1000 },
    );
  });

  it('marks say nothing to a live session; whatever else is known does', () => {
    const marks = ['content_block_start', 'content_block_stop', 'message_stop'];
    const lines = marks.map((type) => `{"type":"stream_event","event":{"type":"${type}"}}`);
    lines.push('{"type":"system","subtype":"status","status":"requesting"}');
    for (const line of lines) expect(isMark(readKnownLine(line) ?? {})).toBe(true);
    for (const line of [delta('x'), delta(''), lifecycle('a', 'started')])
      expect(isMark(readKnownLine(line) ?? {})).toBe(false);
    // A parsed line is looked at, whatever it is.
    for (const line of lines) expect(isMark(JSON.parse(line) as JsonObject)).toBe(false);
  });

  it.each<[string, string]>([
    ['a piece of a subagent', delta('x', { parent_tool_use_id: 'toolu_1' })],
    ['pieces that are void', delta('x', { abandoned_blocks: [0] })],
    ['a text that is none', delta(42)],
    ['a line that was cut', delta('some text').slice(0, -20)],
    ['a text that was cut', delta('some text').slice(0, 100)],
    ['a wrong escape', delta('x').replace('"x"', '"\\x"')],
    ['something behind the text', delta('x').replace('"x"}}', '"x","more":1}}')],
    [
      'a text in another place',
      JSON.stringify({
        type: 'stream_event',
        event: { type: 'content_block_delta', delta: { note: ',"delta":{"type":"text_delta","text":"x"}}' } },
      }),
    ],
    ['the counts of a call that begins', '{"type":"stream_event","event":{"type":"message_start"}}'],
    ['the counts of a call that ends', '{"type":"stream_event","event":{"type":"message_delta"}}'],
    ['a piece of thinking', delta('x').replaceAll('text_delta', 'thinking_delta')],
    ['an event of tomorrow', '{"type":"stream_event","event":{"type":"message_thought"}}'],
    ['an id with an escape', lifecycle('a', 'started').replace('"a"', '"\\u0061"')],
    ['an id with a quote', lifecycle('a"b', 'started')],
    ['an id that ends with a backslash', lifecycle('a\\', 'started')],
    ['an id that is none', lifecycle(5, 'started')],
    ['no id', lifecycle(undefined, 'started')],
    ['a state with an escape', lifecycle('a', 'a"b')],
    ['a state that is none', lifecycle('a', null)],
    ['an empty state', lifecycle('a', '')],
    ['something between id and state', lifecycle('a', 'started').replace('"state"', '"x":1,"state"')],
    ['the state before the id', '{"type":"command_lifecycle","state":"started","command_uuid":"a"}'],
    ['a lifecycle line that was cut', lifecycle('a', 'started').slice(0, -2)],
    ['a lifecycle line that was cut in its id', lifecycle('a', 'started').slice(0, 45)],
    ['a status that was cut', '{"type":"system","subtype":"status","status":"reque'],
    ['a result', '{"type":"result"}'],
    ['no JSON', 'Welcome!'],
    ['nothing', ''],
  ])('leave the rest to the parser: %s', (_, line) => {
    expect(readKnownLine(line)).toBeUndefined();
  });

  it('do not stay in memory with their text', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    collect();
    const before = process.memoryUsage().heapUsed;
    const known = Array.from({ length: 5000 }, (_, i) =>
      readKnownLine(delta(`a piece that is no longer tiny ${i}`, { session_id: 's'.repeat(20_000) })),
    );
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(30_000_000);
    expect(known.at(-1)).toBeDefined();
  });
});

function recordedLines(): string[] {
  const directory = join(import.meta.dirname, '../../../fixtures/recordings/claude');
  return readdirSync(directory).flatMap((name) => {
    const content = readFileSync(join(directory, name), 'utf8');
    if (name.endsWith('.json')) return (JSON.parse(content) as { stdout: string[] }).stdout;
    if (!name.endsWith('.jsonl')) return [];
    return content
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) => (JSON.parse(line) as { in?: string }).in ?? []);
  });
}
