import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readFrontMatter, splitFrontMatter } from '../../../src/config/front-matter.js';

const shape = {
  model: z.string({ error: 'expected text' }),
  many: z.array(z.string(), { error: 'expected a list' }),
};
const read = (text: string) => readFrontMatter('x.md', text, shape);

describe('front matter', () => {
  it('is told from the body', () => {
    expect(read('---\nmodel: m\nmany: [a, b]\n---\nBody\n')).toEqual({
      settings: { model: 'm', many: ['a', 'b'] },
      body: 'Body\n',
      bodyLine: 5,
      problems: [],
    });
  });

  it.each([
    ['none', 'Body', {}, 'Body'],
    ['an empty one', '---\n---\nBody', {}, 'Body'],
    ['only comments', '---\n# nothing\n---\nBody', {}, 'Body'],
    ['a key without a value', '---\nmodel:\n---\nBody', {}, 'Body'],
    ['a key that is null', '---\nmodel: null\nmany: ~\n---\nBody', {}, 'Body'],
    ['a null in quotes', '---\nmodel: "null"\n---\nBody', { model: 'null' }, 'Body'],
    [
      'numbers as they are written',
      '---\nmodel: 12345678901234567890\n---\n',
      { model: '12345678901234567890' },
      '',
    ],
    ['one that ends the file', '---\nmodel: m\n---', { model: 'm' }, ''],
    ['a line that only begins with ---', '---- x\nBody', {}, '---- x\nBody'],
    ['a rule further down', 'Body\n---\nmore', {}, 'Body\n---\nmore'],
  ])('reads %s', (_name, text, settings, body) => {
    expect(read(text)).toMatchObject({ settings, body, problems: [] });
  });

  it('names what is wrong by its line, and takes the rest', () => {
    expect(read('---\nmodel: m\nmany: 3\nmodle: x\n---\nBody')).toEqual({
      settings: { model: 'm' },
      body: 'Body',
      bodyLine: 6,
      problems: [
        'x.md line 3: many: expected a list',
        'x.md line 4: unknown key "modle"; expected model, many; did you mean model?',
      ],
    });
  });

  it.each([
    ['broken YAML', '---\nok: 1\nmodel: [a\n---\nBody', /^x\.md line \d: not valid YAML: /],
    ['a key given twice', '---\nmodel: a\nmodel: b\n---\nBody', /^x\.md line 3: not valid YAML: /],
    ['a list instead of keys', '---\n- model\n---\nBody', /^x\.md line 2: expected lines of "key: value"/],
    ['text instead of keys', '---\nmodel\n---\nBody', /^x\.md line 2: expected lines of "key: value"/],
    ['an alias of nothing', '---\nmodel: *nobody\n---\nBody', /x\.md line 2: /],
    ['keys of objects', '---\n__proto__: {a: b}\n---\nBody', /unknown key "__proto__"/],
    ['inherited names', '---\ntoString: x\n---\nBody', /unknown key "toString"/],
  ])('survives %s', (_name, text, problem) => {
    const { settings, body, problems } = read(text);
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(settings).toEqual({});
    expect(body).toBe('Body');
  });

  it('keeps a text whose front matter is not closed, and says so', () => {
    const text = '---\nmodel: m\nBody';
    expect(read(text)).toMatchObject({ settings: {}, body: text });
    expect(read(text).problems).toEqual([expect.stringMatching(/^x\.md line 1: .*not closed/)]);
  });

  it('survives any text', () => {
    const line = fc.oneof(
      fc.constantFrom('---', '...', 'model: m', 'many:', '- a', '&a *a', '{', ''),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join('\n');
        const { body } = read(text);
        expect(text.endsWith(body)).toBe(true);
        expect(splitFrontMatter(text).body).toBe(body);
      }),
    );
  });
});
