import { describe, expect, it } from 'vitest';
import { helpText, rows } from '../../../src/cli/command/help-text.js';
import { readFlags } from '../../../src/cli/command/read-flags.js';
import { commands } from '../../../src/cli/commands.js';
import { wrapWords } from '../../../src/cli/output/wrap-words.js';
import { commandSummary, overview } from '../../../src/cli/usage.js';

const loaded = await Promise.all(
  Object.entries(commands).map(async ([name, load]) => [name, await load()] as const),
);
const pages = loaded.map(([name, { page }]) => [name, page] as const);
const texts = pages.map(([name, page]) => [name, helpText(page)] as const);

describe.each(texts)('the help of turnout %s (18.8)', (name, text) => {
  it('fits 80 columns', () => {
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(text).not.toMatch(/[ \t]$/m);
  });

  it('begins with the usage, and has examples and exit codes', () => {
    expect(text).toMatch(new RegExp(`^Usage: turnout ${name}\\b`));
    expect(text).toMatch(/\nExamples:\n {2}(?:# .*\n {2})?.*turnout/);
    expect(text).toMatch(/\nExit codes: .*2 wrong usage/s);
  });

  it('is in the overview', () => {
    expect(commandSummary(name)).not.toBe('');
    expect(overview).toContain(`\n  ${name} `);
  });
});

describe.each(pages)('the page of turnout %s (18.8)', (name, page) => {
  const text = helpText(page);

  it('has JSON under both names, or under none', () => {
    const { json, output } = page.flags as Record<string, { about?: string } | undefined>;
    expect(json === undefined).toBe(output === undefined);
    if (json !== undefined) expect(text).toMatch(/^ {2}--json .*\n|^ {2}--output <format> .*json/m);
  });

  it('has -b, -m and -p for backend, model and prompt', () => {
    const { flags } = page;
    if (flags['backend'] !== undefined) expect(flags['backend'].short).toBe('b');
    if (flags['model'] !== undefined) expect(flags['model'].short).toBe('m');
    if (flags['prompt'] !== undefined)
      expect([flags['prompt'].short, flags['print']?.short, name === 'chat' && 'p']).toContain('p');
  });

  it('has a name for the value of each flag that takes one, and no letter twice', () => {
    for (const [flag, { type, value, about }] of Object.entries(page.flags))
      if (about !== undefined) expect([flag, value === undefined]).toEqual([flag, type === 'switch']);
    const letters = Object.values(page.flags).flatMap(({ short }) => short ?? []);
    expect(new Set(letters).size).toBe(letters.length);
  });

  it('has sub-commands that take flags of the page', () => {
    for (const { takes = [] } of Object.values(page.subcommands ?? {}))
      expect(Object.keys(page.flags)).toEqual(expect.arrayContaining([...takes]));
  });

  it('names a flag that there is not, and one that may be meant', () => {
    const [first = 'help'] = Object.keys(page.flags);
    const read = (flag: string) => readFlags([flag], page.flags, { command: name });
    expect(() => read('--no-such-thing')).toThrow('There is no option --no-such-thing.');
    expect(() => read(`--${first}x`)).toThrow(`There is no option --${first}x. Did you mean --${first}?`);
    expect(() => read('-Z')).toThrow('There is no option -Z.');
  });
});

describe('the overview (18.8)', () => {
  it('fits 80 columns and has examples', () => {
    expect(overview.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(overview).toContain('\nExamples:\n  turnout run ');
  });
});

describe('the layout of a page (18.8)', () => {
  it('breaks at blanks, and leaves a long word whole', () => {
    expect(wrapWords('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapWords('a longerthanthat b', 5)).toEqual(['a', 'longerthanthat', 'b']);
    expect(wrapWords('0 done · 1 failed · 2 wrong', 19, ' · ')).toEqual(['0 done · 1 failed ·', '2 wrong']);
  });

  it('puts the words of a long flag below it', () => {
    const lines = rows([
      ['--short', 'what it does'],
      ['--a-flag-that-is-much-too-long <value>', 'the same'],
    ]);
    expect(lines).toBe(
      '  --short  what it does\n  --a-flag-that-is-much-too-long <value>\n           the same',
    );
  });
});
