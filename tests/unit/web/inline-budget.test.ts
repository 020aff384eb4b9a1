import type { Tokens } from 'marked';
import { describe, expect, it } from 'vitest';
import { InlineBudget, inlineWork } from '../../../web/markdown/inline-budget.js';
import { lex } from '../../../web/markdown/lex.js';
import { cpuMs } from '../../machine-speed.js';

describe('what is looked for in a paragraph', () => {
  it.each(['*a_', '*_a ', '**a*', '_a', '~a', '[a](', '![', '!', '`a', '<a', '&a', '\\*', 'a@', 'http://a'])(
    'is bounded in all, also for %j again and again (16.5)',
    (shape) => {
      const long = shape.repeat(9_990 / shape.length);
      const paragraphs = Array.from({ length: 190 }, (_, at) => (at < 10 ? long : long.slice(0, 990)));
      const budget = new InlineBudget();
      const work = paragraphs
        .filter((text) => budget.take(text))
        .reduce((sum, text) => sum + inlineWork(text), 0);
      expect(work).toBeLessThanOrEqual(10_000_000);
      const begin = cpuMs();
      const { text, blocks } = lex(paragraphs.join('\n\n'));
      // Without the budget most of them take from ten seconds to minutes.
      expect(cpuMs() - begin).toBeLessThan(4000);
      expect(blocks.map(({ raw }) => raw).join('')).toBe(text);
    },
  );

  it('is what it was in a long answer of the usual kind (16.5)', () => {
    const paragraph = `${"It's *this* (see [the guide](https://example.org/a_b)) and `that`, said **they**. ".repeat(12)}\n\n`;
    const { blocks } = lex(paragraph.repeat(60));
    const tokens = blocks.flatMap((block) => (block as Tokens.Paragraph).tokens ?? []);
    expect(tokens.filter(({ type }) => type === 'link')).toHaveLength(720);
  });
});
