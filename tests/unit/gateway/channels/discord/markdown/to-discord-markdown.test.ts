import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDiscordMarkdown } from '../../../../../../src/gateway/channels/discord/markdown/to-discord-markdown.js';
import { anyAnswer } from './any-answer.js';

describe('Markdown for Discord', () => {
  it('puts a table into a fence and aligns its columns (17.2)', () => {
    const table = '| File | 変更 |\n|---|:-:|\n| a.ts | `x \\| y` |\n|b|😀|\n';
    expect(toDiscordMarkdown(`Before\n\n${table}\nBehind`)).toBe(
      [
        'Before',
        '',
        '```',
        '| File | 変更     |',
        '| ---- | :------: |',
        '| a.ts | `x \\| y` |',
        '| b    | 😀       |',
        '```',
        '',
        'Behind',
      ].join('\n'),
    );
    expect(toDiscordMarkdown('a | b\n--|--')).toBe('```\n| a   | b   |\n| --- | --- |\n```');
  });

  it('leaves the blanks of a wide table as they are', () => {
    const table = `|a|b|\n|-|-|\n|${'x'.repeat(100)}|1|`;
    expect(toDiscordMarkdown(table)).toBe(`\`\`\`\n${table}\n\`\`\``);
  });

  it('leaves alone what only looks like a table', () => {
    for (const text of [
      'a | b\nc | d',
      'Title\n---',
      'a | b\n---',
      `| \`\`\` |\n|---|`,
      '```\n|a|\n|-|\n```',
      '> |a|\n> |-|',
    ])
      expect(toDiscordMarkdown(text)).toBe(text);
  });

  it('gives fences the three backticks that Discord knows, unless they hold such', () => {
    expect(toDiscordMarkdown('~~~js\na\n~~~')).toBe('```js\na\n```');
    expect(toDiscordMarkdown('- ````js\n  a\n  ````')).toBe('- ```js\n  a\n  ```');
    const nested = '````md\n```js\na\n```\n````';
    expect(toDiscordMarkdown(nested)).toBe(nested);
    expect(toDiscordMarkdown('~~~a`b\nc\n~~~')).toBe('~~~a`b\nc\n~~~');
  });

  it('makes deep headings the deepest that Discord knows, not in code', () => {
    expect(toDiscordMarkdown('#### a\n\n###### b\n# c')).toBe('### a\n\n### b\n# c');
    expect(toDiscordMarkdown('```\n#### a\n```')).toBe('```\n#### a\n```');
  });

  it('shows what is no text', () => {
    expect(toDiscordMarkdown('a\0b\ud800c\r\nd\re')).toBe('a␀b\ufffdc\nd\ne');
  });

  it('keeps the words of any text, and has nothing more to do with its own result', () => {
    const words = (text: string) => text.replace(/[\s`~#|-]/g, '');
    fc.assert(
      fc.property(anyAnswer, (text) => {
        const shown = toDiscordMarkdown(text);
        const plain = text.replaceAll('\0', '\u2400').replace(/\p{Surrogate}/gu, '\ufffd');
        expect(words(shown)).toBe(words(plain));
        expect(toDiscordMarkdown(shown)).toBe(shown);
      }),
      { numRuns: 60 },
    );
  });
});
