import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claudeDecoder } from '../../../src/backends/claude/decoder.js';
import { readKnownLine } from '../../../src/backends/claude/known-lines.js';
import type { JsonObject } from '../../../src/backends/one-shot/json-lines.js';

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
    ['a piece of thinking', delta('x').replaceAll('text_delta', 'thinking_delta')],
    ['an event of tomorrow', '{"type":"stream_event","event":{"type":"message_thought"}}'],
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
  const directory = join(import.meta.dirname, '../../fixtures/recordings/claude');
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
