import { describe, expect, it } from 'vitest';
import { JsonLines } from '../../../../src/backends/one-shot/json-lines.js';

describe('the JSON in an output', () => {
  it('is an object on each line', () => {
    expect(items('{"type":"a"}\n{"type":"b"}')).toEqual([{ type: 'a' }, { type: 'b' }]);
  });

  it('is an array of objects on one line', () => {
    expect(items('[{"type":"a"},{"type":"b"},3]')).toEqual([{ type: 'a' }, { type: 'b' }, '3']);
  });

  it('is a document over many lines, also when lines inside it are JSON by chance', () => {
    const document = { response: 'x', list: [{}, [], { deep: {} }], stats: {} };
    expect(items(JSON.stringify(document, null, 2))).toEqual([document]);
    expect(items(JSON.stringify([{ type: 'a' }, { type: 'b' }], null, '\t'))).toEqual([
      { type: 'a' },
      { type: 'b' },
    ]);
  });

  it('is there at once when its document ends, not only at the end of the output', () => {
    const lines = new JsonLines();
    const found = JSON.stringify({ response: 'x' }, null, 2)
      .split('\n')
      .flatMap((line) => lines.push(line));
    expect(found).toMatchObject([{ value: { response: 'x' } }]);
    expect(lines.end()).toEqual([]);
  });

  it('is found behind, between and before noise, and the noise is kept', () => {
    const pretty = JSON.stringify({ response: 'x' }, null, 2);
    expect(items(`[STARTUP] a phase\n${pretty}\nbye`)).toEqual([
      '[STARTUP] a phase',
      { response: 'x' },
      'bye',
    ]);
    expect(items(`{\n${pretty}\n}`)).toEqual(['{', { response: 'x' }, '}']);
    expect(items('[WARN] slow\n{"response":"x"}')).toEqual(['[WARN] slow', { response: 'x' }]);
    expect(items('{"type":"a"}\nnoise\n{"type":"b"}')).toEqual([{ type: 'a' }, 'noise', { type: 'b' }]);
  });

  it('is nothing in blank lines, words, numbers and halves of objects', () => {
    expect(items('\n   \nhello\n42\n"x"\nnull')).toEqual(['hello', '42', '"x"', 'null']);
    expect(items('{"type":"a"')).toEqual(['{"type":"a"']);
    expect(items('}\n]\n}')).toEqual(['}', ']', '}']);
  });

  it('may have carriage returns behind it', () => {
    expect(items('{"type":"a"}\r\n{\r\n  "response": "x"\r\n}\r')).toEqual([
      { type: 'a' },
      { response: 'x' },
    ]);
  });

  // A cost that grows with the square of the lines would never come to an end here.
  it('costs little to look for in a hundred thousand lines of brackets', () => {
    for (const garbage of ['{\n', '}\n', '{\n}\n]\n', '{ x\n}\n', '[\n[\n']) {
      expect(items(garbage.repeat(100_000)).length).toBeGreaterThanOrEqual(100_000);
    }
  });
});

/** Objects as they are, other lines as text. */
function items(output: string): readonly unknown[] {
  const lines = new JsonLines();
  const found = [...output.split('\n').flatMap((line) => lines.push(line)), ...lines.end()];
  return found.map(({ value, raw }) => value ?? raw);
}
