import type { ComponentChildren, VNode } from 'preact';
import { describe, expect, it } from 'vitest';
import { lex } from '../../../web/markdown/lex.js';
import { renderBlock } from '../../../web/markdown/render.js';
import { safeAddress } from '../../../web/markdown/safe-address.js';

/** The elements as text: `<p>…</p>`. Components that only put elements together are drawn, others named. */
function print(children: ComponentChildren): string {
  if (children === null || children === undefined || typeof children === 'boolean') return '';
  if (Array.isArray(children)) return children.map(print).join('');
  if (typeof children !== 'object') return JSON.stringify(String(children)).slice(1, -1);
  const { type, props } = children as VNode<Record<string, unknown>>;
  if (typeof type === 'function') {
    if (type.name === 'CodeBlock') return `<CodeBlock ${props['language']}>${props['text']}</CodeBlock>`;
    return print((type as (props: unknown) => ComponentChildren)(props));
  }
  const { children: inside, ...attributes } = props;
  const shown = Object.entries(attributes).map(([name, value]) => ` ${name}=${value}`);
  return `<${type}${shown.join('')}>${print(inside as ComponentChildren)}</${type}>`;
}

function html(text: string): string {
  return lex(text).blocks.map(renderBlock).map(print).join('');
}

describe('a model’s Markdown', () => {
  it.each([
    ['# Title', '<h3 class=depth-1>Title</h3>'],
    ['a **b** *c* ~~d~~ `e < f`', '<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e < f</code></p>'],
    ['- a\n- b', '<ul><li class=undefined>a</li><li class=undefined>b</li></ul>'],
    ['3. a', '<ol start=3><li class=undefined>a</li></ol>'],
    ['> said', '<blockquote><p>said</p></blockquote>'],
    ['```ts\nlet a;\n```', '<CodeBlock ts>let a;</CodeBlock>'],
    ['AT&amp;T &lt;b&gt; &#65; &nothing;', '<p>AT&T <b> A &nothing;</p>'],
    ['one  \ntwo', '<p>one<br></br>two</p>'],
  ])('%j becomes elements (16.4)', (text, expected) => {
    expect(html(text)).toBe(expected);
  });

  it('shows HTML as the text that it is (16.5)', () => {
    expect(html('<script>alert(1)</script>')).toBe('<p class=as-is><script>alert(1)</script></p>');
    expect(html('a <img src=x onerror=alert(1)> b')).toBe('<p>a <img src=x onerror=alert(1)> b</p>');
    // Both are text: nothing of it is an element's type or attribute.
    const elements = JSON.stringify(lex('a <img src=x onerror=alert(1)> b').blocks.map(renderBlock));
    expect(elements).not.toContain('"type":"img"');
  });

  it('links to the web and mail only, and says where (16.5)', () => {
    expect(html('[x](https://a.example/b)')).toBe(
      '<p><a href=https://a.example/b title=https://a.example/b target=_blank rel=noopener noreferrer>x</a></p>',
    );
    expect(html('[x](javascript:alert(1))')).toBe('<p><span title=javascript:alert(1)>x</span></p>');
    expect(html('[x](data:text/html,<script>)')).not.toContain('<a');
    expect(html('[x](src/a.ts)')).toBe('<p><span title=src/a.ts>x</span></p>');
    expect(html('<javascript:alert(1)>')).not.toContain('<a');
  });

  it.each([
    ['https://a.example', true],
    ['HTTP://A.example/b?c', true],
    ['mailto:a@b.example', true],
    ['javascript:alert(1)', false],
    ['JaVaScRiPt:alert(1)', false],
    [' javascript:alert(1)', false],
    ['java\nscript:alert(1)', false],
    ['vbscript:x', false],
    ['data:text/html,x', false],
    ['file:///etc/passwd', false],
    ['//evil.example', false],
    ['/v1/channels', false],
    ['https:\\\\evil.example', false],
    ['http://', false],
    ['https://[', false],
    ['blob:https://a', false],
  ])('%j is an address to link to: %j (16.5)', (href, expected) => {
    expect(safeAddress(href) !== undefined).toBe(expected);
  });

  it('shows a table of too many cells as it was written, and links to no endless address (16.5)', () => {
    const table = `|${'a|'.repeat(200)}\n|${'-|'.repeat(200)}\n${'|\n'.repeat(1000)}`;
    expect(html(table)).toBe(`<CodeBlock >${table.trimEnd()}</CodeBlock>`);
    const href = `https://x.example/${'y'.repeat(5000)}`;
    const shown = html(`[a]: ${href}\n\n[a]`);
    expect(shown).not.toContain('<a');
    expect(shown.length).toBeLessThan(1000);
  });

  it('loads no image: a link stands for it (16.5)', () => {
    const shown = html('![a cat](https://tracker.example/cat.png)');
    expect(shown).not.toContain('<img');
    expect(shown).toContain('Image: a cat');
    expect(shown).toContain('href=https://tracker.example/cat.png');
    expect(html('![x](data:image/svg+xml,<svg>)')).toBe('<p><span class=image-link>Image: x</span></p>');
  });
});
