import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { InitLine } from '../../../../src/backends/claude/init-line.js';

const fields = {
  type: 'system',
  subtype: 'init',
  cwd: '/project',
  session_id: 's1',
  tools: ['Bash', 'Read'],
  model: 'm1',
  capabilities: ['msg_lifecycle_v1'],
};
let count = 0;
/** As Claude writes it: behind the line's own id there is more that no two turns share. */
const line = (more: object = {}, behind: object = {}) =>
  JSON.stringify({ ...fields, ...more, uuid: `u${++count}`, user_message_uuids: [`m${count}`], ...behind });

describe("the first line of Claude's turns", () => {
  it('is parsed once while it says the same', () => {
    const init = new InitLine();
    const parse = vi.spyOn(JSON, 'parse');
    try {
      const first = init.read(line());
      expect(first).toEqual(fields);
      expect(init.read(line())).toBe(first);
      expect(init.read(line({}, { fast_mode_state: 'on', more: { uuid: 'x' } }))).toBe(first);
      expect(parse).toHaveBeenCalledTimes(1);
    } finally {
      parse.mockRestore();
    }
  });

  it.each<[string, object]>([
    ['another session', { session_id: 's2' }],
    ['another model', { model: 'm2' }],
    ['other tools', { tools: ['Bash'] }],
    ['other servers', { mcp_servers: [{ name: 'x', status: 'connected' }] }],
    ['a field more', { analytics_disabled: true }],
    ['a longer directory', { cwd: '/project/more' }],
  ])('with %s says so, and is forgotten again when it is as before', (_, other) => {
    const init = new InitLine();
    init.read(line());
    expect(init.read(line(other))).toEqual({ ...fields, ...other });
    expect(init.read(line(other))).toEqual({ ...fields, ...other });
    expect(init.read(line())).toEqual(fields);
  });

  it('with a field less says so', () => {
    const init = new InitLine();
    init.read(line());
    const { capabilities: _, ...less } = fields;
    expect(init.read(JSON.stringify({ ...less, uuid: 'u' }))).toEqual(less);
  });

  it.each<[string, string]>([
    ['no session', line({ session_id: undefined })],
    ['no model', line({ model: undefined })],
    [
      'its capabilities behind its id',
      '{"type":"system","subtype":"init","session_id":"s","model":"m","uuid":"u","capabilities":["x"]}',
    ],
    ['an empty model', line({ model: '' })],
    ['a model that is none', line({ model: 5 })],
    [
      'the session behind the id',
      line().replace('"session_id":"s1",', '').replace(/}$/, ',"session_id":"s1"}'),
    ],
    ['the model behind the id', line().replace('"model":"m1",', '').replace(/}$/, ',"model":"m1"}')],
    ['no id', JSON.stringify(fields)],
    ['an id that is none', JSON.stringify({ ...fields, uuid: null })],
    ['an id further in', line({ plugins: [{ name: 'x', uuid: 'y' }] })],
    ['a cut', line().slice(0, 80)],
    ['a cut behind the id', line().slice(0, -3)],
    ['a cut behind a brace', `${line().slice(0, 80)}}`],
    ['something else first', line().replace(/"type":"system",("subtype":"init")/, '$1,"type":"system"')],
    ['another kind', line({ subtype: 'status' })],
    ['nothing', ''],
  ])('is left to the parser: %s', (_, raw) => {
    const init = new InitLine();
    expect(init.read(raw)).toBeUndefined();
    // Also where a good one came before, which stays as it was.
    expect(init.read(line())).toEqual(fields);
    expect(init.read(raw)).toBeUndefined();
    expect(init.read(line())).toEqual(fields);
  });

  it.each([
    'a,"uuid":"b',
    ',"uuid":"',
    'ends with a comma,',
    'ends with a backslash\\',
    '\\","uuid":"',
    'two\nlines',
    'Grüße',
    '日本語/😀',
    '\u2028',
  ])('is right for the directory %j', (cwd) => {
    const init = new InitLine();
    for (const _ of [1, 2]) expect(init.read(line({ cwd }))).toEqual({ ...fields, cwd });
    expect(init.read(line())).toEqual(fields);
  });

  it('says of any lines, in any order, what the parser would', () => {
    const word = fc.string({ unit: fc.constantFrom('a', '"', '\\', ',', ':', 'uuid', '{', '}', 'é', '😀') });
    const more = fc.record(
      {
        cwd: word,
        session_id: fc.constantFrom('s1', 's2', ''),
        model: fc.constantFrom('m1', 'm2'),
        tools: fc.array(word, { maxLength: 3 }),
        plugins: fc.array(fc.dictionary(fc.constantFrom('name', 'uuid'), word), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(more, { maxLength: 8 }), (all) => {
        const init = new InitLine();
        for (const each of all) {
          const raw = line(each);
          const said = init.read(raw);
          if (said === undefined) continue;
          const { uuid: _, user_message_uuids: __, ...parsed } = JSON.parse(raw);
          expect(said).toEqual(parsed);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is known in the recordings of live sessions, and has there what the decoder looks at', () => {
    const directory = join(import.meta.dirname, '../../../fixtures/recordings/claude');
    let known = 0;
    for (const name of readdirSync(directory).filter((file) => file.endsWith('.jsonl'))) {
      const init = new InitLine();
      for (const entry of readFileSync(join(directory, name), 'utf8').trimEnd().split('\n')) {
        const raw = (JSON.parse(entry) as { in?: string }).in ?? '';
        const said = init.read(raw);
        expect(said !== undefined).toBe(raw.startsWith('{"type":"system","subtype":"init"'));
        if (said === undefined) continue;
        known += 1;
        expect(JSON.parse(raw)).toMatchObject(said);
        expect(said).toMatchObject({
          session_id: expect.any(String),
          model: expect.any(String),
          mcp_servers: [],
          capabilities: expect.arrayContaining(['msg_lifecycle_v1']),
        });
      }
    }
    expect(known).toBeGreaterThan(10);
  });
});
