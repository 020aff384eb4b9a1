import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claudeEntries } from '../../../../src/backends/claude/record-entries.js';
import { codexEntries } from '../../../../src/backends/codex/record-entries.js';
import { geminiEntries } from '../../../../src/backends/gemini/record-entries.js';
import { readTail } from '../../../../src/backends/record/read-tail.js';
import { mayHoldPrompt, toolsSince } from '../../../../src/backends/record/tools-since.js';
import type { RecordEntry } from '../../../../src/backends/record/types.js';
import { directoryWith } from '../../gateway/temporary-directory.js';

const query = { cwd: '/', since: 100, prompt: 'again', clockSetBack: false };
const prompt = (at: number): RecordEntry => ({ type: 'prompt', at, text: 'again' });
const tool = (at: number, id: string): RecordEntry => ({ type: 'tool', at, id, name: 'Bash', input: {} });
const nothing = { type: 'tools', tools: [] };
const look = (entries: readonly RecordEntry[], more: object = {}, fromStart = true) =>
  toolsSince({ entries, fromStart }, { ...query, ...more });

describe('the turn in a record', () => {
  it('is known by its time: the same words were sent before', () => {
    const earlier = [prompt(50), tool(60, 't1')];
    expect(look(earlier)).toEqual({ type: 'tools', tools: [] });
    expect(look([...earlier, prompt(110), tool(120, 't2')])).toMatchObject({ tools: [{ id: 't2' }] });
  });

  it('has no more tools than those that count, and then its damage counts (16.5)', () => {
    const leaveOut = new Set(['Bash']);
    const entries = [prompt(110), tool(120, 't1')];
    expect(look(entries, { leaveOut })).toEqual(nothing);
    expect(look([...entries, { type: 'damaged' }], { leaveOut })).toMatchObject({ type: 'unknown' });
  });

  it('is known by its words if the clock was set back', () => {
    const entries = [prompt(50), tool(60, 't1'), prompt(20), tool(30, 't2')];
    expect(look(entries, { clockSetBack: true })).toMatchObject({ tools: [{ id: 't2' }] });
  });

  it('is known by its words if the clock was set back and has caught up, in a session that is known', () => {
    const known = { sessionId: 's1' };
    const entries = [prompt(20), tool(30, 't1'), prompt(50), tool(60, 't2')];
    expect(look(entries, known)).toMatchObject({ tools: [{ id: 't2' }] });
    expect(look([...entries, { type: 'prompt', at: 70, text: 'other' }], known)).toEqual(nothing);
    expect(look([...entries, prompt(80)], known)).toEqual(nothing);
    expect(look([...entries, prompt(110)], known)).toEqual(nothing);
    expect(look(entries, { ...known, prompt: '' })).toEqual(nothing);
    expect(look([tool(60, 't2')], known)).toEqual(nothing);
    expect(
      look([{ type: 'tool_end', at: 60, id: 't', isError: false, denied: false }], known, false).type,
    ).toBe('unknown');
  });

  it('is not known if the record is too long for its beginning to be read, unless a tool is seen', () => {
    expect(look([prompt(110)], {}, false)).toMatchObject({ type: 'unknown' });
    expect(look([prompt(50), prompt(110)], {}, false)).toEqual(nothing);
    expect(look([], {}, false)).toMatchObject({ type: 'unknown' });
    expect(look([{ type: 'prompt', at: 50, text: 'other' }], { clockSetBack: true }, false).type).toBe(
      'unknown',
    );
    expect(look([prompt(110), tool(120, 't1')], {}, false)).toMatchObject({ tools: [{ id: 't1' }] });
  });
});

describe('a new session that nobody has named', () => {
  const holds = (entries: readonly RecordEntry[], more: object = {}) =>
    mayHoldPrompt({ entries, fromStart: true }, { ...query, ...more });
  const damaged: RecordEntry = { type: 'damaged' };

  it('may be the turn’s if it has the prompt, with other white space and however long', () => {
    const long = 'word '.repeat(300_000);
    expect(
      holds([{ type: 'prompt', at: 110, text: 'In front.\n\n a\r\n\tb\u0000c' }], { prompt: 'a\nb c\n' }),
    ).toBe(true);
    expect(holds([{ type: 'prompt', at: 110, text: long.slice(0, 1_000_000) }], { prompt: long })).toBe(true);
    expect(holds([prompt(110)], { prompt: 'other' })).toBe(false);
    expect(holds([prompt(50), tool(110, 't')])).toBe(false);
  });

  it('may be the turn’s if the line of its prompt can’t be read, and then it is not known what it has begun', () => {
    for (const entries of [
      [damaged],
      [{ ...prompt(50), text: 'other' }, damaged],
      [damaged, { type: 'reply', at: 110 } as const],
    ]) {
      expect(holds(entries)).toBe(true);
      expect(look(entries).type).toBe('unknown');
    }
    expect(look([damaged, tool(110, 't')])).toMatchObject({ tools: [{ id: 't' }] });
    expect(look([damaged], { clockSetBack: true }).type).toBe('unknown');
    const old = [damaged, { ...prompt(50), text: 'other' }, { ...prompt(110), text: 'other' }];
    expect(holds(old)).toBe(false);
    expect(look(old)).toEqual(nothing);
  });

  it('may be the turn’s if it has tools and no prompt that is known as one', () => {
    expect(holds([tool(110, 't')])).toBe(true);
    expect(holds([{ type: 'reply', at: 110 }])).toBe(false);
  });
});

describe('the end of a long record', () => {
  it('is read without the line that is cut, and is no more than asked for', async () => {
    const path = join(await directoryWith({}), 'record');
    writeFileSync(path, 'first line\nsecond\u2028line\nthird');
    expect(await readTail(path)).toEqual({
      lines: ['first line', 'second\u2028line', 'third'],
      fromStart: true,
    });
    expect(await readTail(path, 10)).toEqual({ lines: ['third'], fromStart: false });
    expect(await readTail(`${path}-none`)).toBeUndefined();
  });
});

it.each([
  ['claude', claudeEntries],
  ['codex', codexEntries],
  ['gemini', geminiEntries],
])('a record of %s may hold anything', (_, entriesOf) => {
  const keys = fc.constantFrom(
    'type',
    'payload',
    'message',
    'content',
    'item',
    'toolCalls',
    '$set',
    'messages',
    'timestamp',
  );
  const words = fc.constantFrom(
    'user',
    'gemini',
    'response_item',
    'tool_use',
    'tool_result',
    'item_completed',
    'x_call',
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      words,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
    ),
  }));
  const line = fc.oneof(
    value.map((one) => JSON.stringify(one)),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
      toolsSince({ entries: entriesOf(lines), fromStart: true }, query);
    }),
    { numRuns: 100 },
  );
});
