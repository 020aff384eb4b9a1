import { wrapWords } from '../output/wrap-words.js';
import type { CommandPage, Flag, FlagTable } from './command-page.js';

/** A terminal that nobody has made wider. */
const columns = 80;
/** A flag that is longer than this has its words in the lines below it. */
const longestHead = 26;

/** The help page of a command: what `turnout help <command>` prints. */
export function helpText(page: CommandPage): string {
  const commands = Object.entries(page.subcommands ?? {}).map(([name, { about }]) => [name, about] as const);
  const { program = 'turnout' } = page;
  const examples = page.examples.map(([line, what = '']) => [commandLine(line, program), what] as const);
  const parts = [
    page.usage
      .map((form, index) => hung(index === 0 ? 'Usage: ' : '       ', `${program} ${form}`))
      .join('\n'),
    paragraphs(page.about),
    rows(commands),
    flagLines(page.flags),
    page.notes === undefined ? '' : paragraphs(page.notes),
    examples.length === 0 ? '' : `Examples:\n${examples.map(exampleLines).join('\n')}`,
    wrapWords(`Exit codes: ${page.exitCodes}`, columns, ' · ').join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** The lines of a flag table: `-b, --backend <name>  which agent CLI`. */
export function flagLines(flags: FlagTable): string {
  return rows(
    Object.entries(flags).flatMap(([name, flag]) =>
      flag.about === undefined ? [] : [[flagHead(name, flag), flag.about] as const],
    ),
  );
}

/** Two columns; the second one is wrapped. */
export function rows(entries: readonly (readonly [head: string, words: string])[]): string {
  const heads = entries.map(([head]) => head.length).filter((length) => length <= longestHead);
  const width = Math.max(0, ...heads);
  const indent = ' '.repeat(width + 4);
  return entries
    .flatMap(([head, words]) => {
      const [first = '', ...more] = wrapWords(words, columns - indent.length);
      const own = head.length > width;
      const begin = own ? [`  ${head}`, `${indent}${first}`] : [`  ${head.padEnd(width)}  ${first}`];
      return [...begin, ...more.map((line) => `${indent}${line}`)];
    })
    .join('\n');
}

function flagHead(name: string, { short, value }: Flag): string {
  const written = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return value === undefined ? written : `${written} <${value}>`;
}

function paragraphs(text: string): string {
  return (
    text
      .trim()
      .split(/\n{2,}/)
      // A paragraph that is indented is a table or a list: its lines stay as they are.
      .map((part) =>
        part.startsWith('  ') ? part : wrapWords(part.replaceAll(/\s+/g, ' '), columns).join('\n'),
      )
      .join('\n\n')
  );
}

function hung(before: string, text: string): string {
  const [first = '', ...more] = wrapWords(text, columns - before.length);
  return [`${before}${first}`, ...more.map((line) => `${' '.repeat(before.length + 4)}${line}`)].join('\n');
}

function commandLine(line: string, program: string): string {
  return line.includes(program) ? line : `${program} ${line}`;
}

function exampleLines([line, what]: readonly [string, string]): string {
  if (what === '') return `  ${line}`;
  const beside = `  ${line.padEnd(36)}  # ${what}`;
  return beside.length <= columns ? beside : `  # ${what}\n  ${line}`;
}
