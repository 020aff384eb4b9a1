import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { permissionModes } from '../src/core/permission-mode.js';
import { thinkingDepths } from '../src/core/thinking.js';
import { runnerCapabilities } from '../src/runner/capabilities.js';
import { type OptionName, optionFlags, optionNames } from '../src/runner/option-names.js';
import { type ModeSupport, modeSupport } from '../src/runner/option-table.js';
import { type RunMode, runModes } from '../src/runner/run-mode.js';
import { runnerNames } from '../src/runner/runner-names.js';
import { capabilityNames } from '../src/runner/types.js';

// Writes the tables of docs/runner.md out of the code: `node --import tsx scripts/runner-tables.ts`.

const page = new URL('../docs/runner.md', import.meta.url);
const begin = '<!-- written by scripts/runner-tables.ts -->';
const end = '<!-- end of what was written -->';

const titles: Readonly<Record<RunMode, string>> = {
  'one-shot': '### A turn that starts the CLI: `runOnce`, `runStreaming`, `turnout run`',
  live: '### A live session: `Sessions`, `turnout run --live`',
  interactive: '### The CLI’s own terminal UI: `runInteractive`, `turnout chat --native`',
};

/** The page with tables that are up to date. */
export async function withTables(text: string): Promise<string> {
  const [before, rest] = text.split(begin);
  const [, after] = (rest ?? '').split(end);
  if (after === undefined) throw new Error('docs/runner.md has lost the marks around its tables');
  return `${before}${begin}\n\n${await tables()}\n${end}${after}`;
}

async function tables(): Promise<string> {
  const parts = [abilities()];
  for (const mode of runModes) parts.push(`${titles[mode]}\n\n${await modeTable(mode)}`);
  return parts.join('\n');
}

function abilities(): string {
  const names = runnerNames();
  const rows = capabilityNames.map((ability) => [
    `\`${ability}\``,
    ...names.map((name) => (runnerCapabilities(name)[ability] ? 'yes' : 'no')),
  ]);
  return markdown(['ability', ...names], rows);
}

async function modeTable(mode: RunMode): Promise<string> {
  const found = await Promise.all(
    runnerNames().map((name) => modeSupport(name, mode).catch(() => undefined)),
  );
  const supports = found.filter((support) => support !== undefined);
  const rows = optionNames.map((option) => [
    named(option),
    ...supports.map((support) => cell(support, option)),
  ]);
  return `${markdown(['option', ...supports.map(({ name }) => name)], rows)}\n${instead(supports)}`;
}

function named(option: OptionName): string {
  const flag = optionFlags[option];
  return flag === undefined ? `\`${option}\`` : `\`${option}\` (\`${flag}\`)`;
}

function cell(support: ModeSupport, option: OptionName): string {
  const found = support.of(option);
  if (found.type === 'refused') return '**refused**';
  const values = possible(support, option);
  const how = found.type === 'emulated' ? `_${found.how}_` : found.how;
  return values === '' ? how : `${how}: ${values}`;
}

function possible(support: ModeSupport, option: OptionName): string {
  const all =
    { permissionMode: permissionModes, thinking: [...thinkingDepths, 1] }[option as 'thinking'] ?? [];
  const taken = all.filter((value) => support.of(option, value).type !== 'refused');
  return taken.map((value) => (typeof value === 'number' ? 'tokens' : `\`${value}\``)).join(' ');
}

/** What to use in place of the options that are refused, once for all runners with the same words. */
function instead(supports: readonly ModeSupport[]): string {
  const lines = optionNames.flatMap((option) => {
    const words = supports.flatMap((support) => {
      const found = support.of(option);
      return found.type === 'refused'
        ? [found.instead.replace(/\b[\w-]+'s own settings/, 'the CLI’s own settings')]
        : [];
    });
    return [...new Set(words)].map((text) => `- \`${option}\`: ${text}`);
  });
  return lines.length === 0 ? '' : `In place of what is refused:\n\n${lines.join('\n')}\n`;
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return `${[head, head.map(() => '---'), ...rows].map(line).join('\n')}\n`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(page, await withTables(readFileSync(page, 'utf8')));
}
