import { describe, expect, it } from 'vitest';
import { maxDepth, parseJson, printJson } from '../../../src/core/json.js';

function nested(levels: number, open: string, close: string): string {
  return open.repeat(levels) + close.repeat(levels);
}

describe('JSON that somebody else has written', () => {
  it.each([
    ['objects', '{"a":', '}'],
    ['arrays', '[', ']'],
    ['both', '[{"a":', '}]'],
    ['a field called __proto__', '{"__proto__":', '}'],
  ])(
    'nested to any depth can be printed again: %s [fault 13.1: values nested 100,000 deep]',
    (_, open, close) => {
      const inner = open.includes('{') ? '1' : '';
      const text = open.repeat(100_000) + inner + close.repeat(100_000);
      const printed = JSON.stringify(parseJson(text));
      expect(printed).toContain('[cut: nested more than');
      expect(printed.length).toBeLessThan(20 * maxDepth);
      expect(({} as Record<string, unknown>)['a']).toBeUndefined();
    },
  );

  it('is left alone up to the limit', () => {
    const text = nested(maxDepth, '[', ']');
    expect(JSON.stringify(parseJson(text))).toBe(text);
    const wide = JSON.stringify({ list: Array.from({ length: 500 }, (_, at) => ({ at, of: [at] })) });
    expect(JSON.stringify(parseJson(wide))).toBe(wide);
    expect(() => parseJson('{')).toThrow(SyntaxError);
  });
});

describe('a value that JSON has no words for', () => {
  it('is printed all the same, with all fields that can be', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    expect(JSON.parse(printJson({ type: 'tool_start', input: cyclic, big: 1n }))).toEqual({
      type: 'tool_start',
      input: expect.stringContaining("[cut: it can't be written as JSON"),
      big: expect.stringContaining('BigInt'),
    });
    expect(printJson([cyclic])).toContain('[cut');
    expect(printJson(undefined)).toBe('null');
  });
});
