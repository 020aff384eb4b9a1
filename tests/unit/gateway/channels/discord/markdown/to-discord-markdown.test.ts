import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prose } from '../../../../../../src/core/text.js';
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

  it('makes a list of a wide table, unless it has cells without a column (17.2)', () => {
    const long = 'x'.repeat(100);
    expect(toDiscordMarkdown(`|File|Why|\n|-|:-:|\n|a.ts|${long}|\n|b.ts||\n|<br>c|d|`)).toBe(
      `- File: a.ts\n  Why: ${long}\n- File: b.ts\n- File: c\n  Why: d`,
    );
    const ragged = `|a|b|\n|-|-|\n|${long}|1|2|`;
    expect(toDiscordMarkdown(ragged)).toBe(`\`\`\`\n${ragged}\n\`\`\``);
  });

  it('shows tasks, rules, images and folded parts, not in code (17.2)', () => {
    expect(toDiscordMarkdown('- [ ] a\n  * [x] b\n1. [X] c\n- [y] d')).toBe(
      '- ☐ a\n  * ☑ b\n1. ☑ c\n- [y] d',
    );
    expect(toDiscordMarkdown('a\n\n---\n\n* * *\nb\n---')).toBe(
      `a\n\n${'─'.repeat(20)}\n\n${'─'.repeat(20)}\nb\n---`,
    );
    expect(
      toDiscordMarkdown('See ![a plan](https://x.org/a.png "t") ![](https://x.org/b) ![c](out/c.png).'),
    ).toBe('See [a plan](https://x.org/a.png) https://x.org/b c (out/c.png).');
    expect(toDiscordMarkdown('<details>\n<summary>More</summary>\n\none<br/>two\n</details>')).toBe(
      '\n**More**\n\none\ntwo\n',
    );
    for (const code of ['`![a](b) <br>`', '```\n- [ ] a\n\n---\n<br>\n```'])
      expect(toDiscordMarkdown(code)).toBe(code);
    for (const slow of ['![', '`', '<', '![a](', '- [ ] '])
      expect(toDiscordMarkdown(slow.repeat(50_000)).length).toBeGreaterThan(0);
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

  it('has nothing that can’t be seen, and emoji and tabs as they are (27.10)', () => {
    expect(toDiscordMarkdown('a\0b\ud800c\r\nd\re\u200bf')).toBe('abc\nd\nef');
    expect(toDiscordMarkdown('\u202ea\u{e0041}')).toBe('[U+202E]a[U+E0041]');
    expect(toDiscordMarkdown('👩‍👩‍👧\n```\n\tx\n```')).toBe('👩‍👩‍👧\n```\n\tx\n```');
  });

  it('keeps the words of any text, and has nothing more to do with its own result', () => {
    const words = (text: string) => text.replace(/[\s`~#|:─-]/g, '');
    fc.assert(
      fc.property(anyAnswer, (text) => {
        const shown = toDiscordMarkdown(text);
        const plain = prose(text.replace(/\r\n?/g, '\n'));
        // A wide table has its heads in every item of its list.
        if (shown.includes('- a: ')) expect(words(shown).length).toBeGreaterThanOrEqual(words(plain).length);
        else expect(words(shown)).toBe(words(plain));
        expect(toDiscordMarkdown(shown)).toBe(shown);
      }),
      { numRuns: 60 },
    );
  });
});
