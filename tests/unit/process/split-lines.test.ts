import { StringDecoder } from 'node:string_decoder';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Line, LineSplitter } from '../../../src/process/split-lines.js';
import { anyCharacter } from '../../property/arbitraries.js';

describe('LineSplitter', () => {
  it('gives the same lines however the bytes are chunked', () => {
    fc.assert(
      fc.property(bytes, cuts, (input, at) => {
        expect(splitInChunks(input, at)).toEqual(splitAtOnce(input));
      }),
      { numRuns: 500 },
    );
  });

  it('cuts long lines at the same place however the bytes are chunked', () => {
    fc.assert(
      fc.property(bytes, cuts, fc.integer({ min: 1, max: 12 }), (input, at, max) => {
        const lines = splitInChunks(input, at, max);
        expect(lines).toEqual(splitInChunks(input, [], max));
        const whole = splitAtOnce(input);
        expect(lines.length).toBe(whole.length);
        for (const [index, { text, truncated }] of lines.entries()) {
          if (truncated === undefined) expect(text).toBe(whole[index]?.text);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same for chunks of whole lines, for parts of them, and at the limit', () => {
    fc.assert(
      fc.property(linesInChunks, fc.option(fc.integer({ min: 1, max: 12 })), (chunks, max) => {
        const splitter = new LineSplitter(max ?? undefined);
        const lines = [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.flush()];
        const whole = Buffer.concat(chunks);
        expect(lines).toEqual(splitAtOnce(whole, max ?? undefined));
        expect(lines).toEqual(splitInChunks(whole, [...whole.keys()], max ?? undefined));
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[string, string, string[]]>([
    ['CRLF keeps its CR', 'a\r\nb\r\n', ['a\r', 'b\r']],
    ['a bare CR splits nothing', 'a\rb\n', ['a\rb']],
    ['U+2028 and U+2029 split nothing', 'a\u2028b\u2029c\n', ['a\u2028b\u2029c']],
    ['empty lines count', '\n\na\n\n', ['', '', 'a', '']],
    ['a last line without LF counts', 'a\nb', ['a', 'b']],
    ['a byte order mark is kept', '\ufeffa\n', ['\ufeffa']],
    ['nothing is no line', '', []],
  ])('%s', (_, input, lines) => {
    expect(splitInChunks(Buffer.from(input), []).map(({ text }) => text)).toEqual(lines);
  });

  it('makes U+FFFD of what is not UTF-8', () => {
    const input = Buffer.from([0x61, 0xff, 0xc3, 0x0a, 0xe2, 0x82, 0x0a, 0xf0, 0x9f]);
    expect(splitInChunks(input, []).map(({ text }) => text)).toEqual(['a\ufffd\ufffd', '\ufffd', '\ufffd']);
  });

  it('cuts a line over the limit between two characters and goes on with the next', () => {
    const input = Buffer.from('ééééé\nshort\n');
    for (const at of [[], [3], [3, 8], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]) {
      expect(splitInChunks(input, at, 5)).toEqual([{ text: 'éé', truncated: true }, { text: 'short' }]);
    }
  });

  it('takes a line of exactly the limit whole', () => {
    expect(splitInChunks(Buffer.from('12345\n'), [2], 5)).toEqual([{ text: '12345' }]);
    expect(splitInChunks(Buffer.from('12345'), [], 5)).toEqual([{ text: '12345' }]);
    expect(splitInChunks(Buffer.from('12345\n'), [], 5)).toEqual([{ text: '12345' }]);
    expect(splitInChunks(Buffer.from('1234\n'), [], 5)).toEqual([{ text: '1234' }]);
    expect(splitInChunks(Buffer.from('123456\n'), [], 5)).toEqual([{ text: '12345', truncated: true }]);
    expect(splitInChunks(Buffer.from('1\n123456\n'), [2], 5)).toEqual([
      { text: '1' },
      { text: '12345', truncated: true },
    ]);
  });

  it('holds no more of a line than the limit', () => {
    const splitter = new LineSplitter(1024 * 1024);
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const before = process.memoryUsage().arrayBuffers;
    for (let chunks = 0; chunks < 2000; chunks++) splitter.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    expect(splitter.flush()).toEqual([{ text: 'x'.repeat(1024 * 1024), truncated: true }]);
  });

  it('takes a line byte by byte in linear time and memory', () => {
    const splitter = new LineSplitter();
    const byte = Buffer.from('x');
    for (let count = 0; count < 2_000_000; count++) splitter.push(byte);
    expect(splitter.flush()[0]?.text.length).toBe(2_000_000);
  });
});

const pieces = fc.oneof(
  fc
    .constantFrom('\n', '\r\n', '\r', '\u2028', '\u2029', 'é', '€', '😀', '{"a":1}', '')
    .map((text) => Buffer.from(text)),
  fc.string({ unit: anyCharacter, maxLength: 8 }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 6 }).map((raw) => Buffer.from(raw)),
);
const bytes = fc.array(pieces, { maxLength: 30 }).map((parts) => Buffer.concat(parts));
/** Mostly as a CLI writes: one or more whole lines a chunk; some end within a line, or within a character. */
const linesInChunks = fc.array(
  fc
    .tuple(fc.array(pieces, { maxLength: 4 }), fc.boolean())
    .map(([parts, whole]) => Buffer.concat([...parts, Buffer.from(whole ? '\n' : '')])),
  { maxLength: 10 },
);
const cuts = fc.array(fc.nat({ max: 100 }), { maxLength: 20 });

function splitInChunks(input: Buffer, at: readonly number[], max?: number): Line[] {
  const splitter = new LineSplitter(max);
  const edges = [...new Set([0, ...at.filter((edge) => edge < input.length), input.length])].sort(
    (a, b) => a - b,
  );
  const lines = edges.flatMap((edge, index) => splitter.push(input.subarray(edge, edges[index + 1] ?? edge)));
  return [...lines, ...splitter.flush()];
}

function splitAtOnce(input: Buffer, max = Number.POSITIVE_INFINITY): Line[] {
  const lines: Line[] = [];
  let line: number[] = [];
  for (const byte of input) {
    if (byte === 0x0a) {
      lines.push(asLine(line, max));
      line = [];
    } else {
      line.push(byte);
    }
  }
  return line.length > 0 ? [...lines, asLine(line, max)] : lines;
}

function asLine(bytes: readonly number[], max: number): Line {
  if (bytes.length <= max) return { text: Buffer.from(bytes).toString() };
  return { text: new StringDecoder('utf8').write(Buffer.from(bytes.slice(0, max))), truncated: true };
}
