import { parseArgs } from 'node:util';
import { TurnoutError } from '../core/errors.js';
import { exitCodes } from '../core/exit-codes.js';
import { runnerCapabilities } from '../runner/capabilities.js';
import { optionNames } from '../runner/option-names.js';
import { type Support, supportTable } from '../runner/option-table.js';
import { type RunMode, runModes } from '../runner/run-mode.js';
import { readRunnerName, runnerNames } from '../runner/runner-names.js';
import { capabilityNames, type RunnerName } from '../runner/types.js';
import { table } from './table.js';

export const usageText = `Usage: turnout capabilities [--backend <name,…>] [--json]

What each backend can do, and which options it takes. No CLI is started: see \`turnout doctor\` for what is installed.

  --backend <names>  only these (comma-separated), with how each option reaches the CLI
  --json             a JSON array in place of the tables

Exit codes: 0 done · 2 wrong usage
`;

/** `turnout capabilities`: prints the abilities of every runner (O13), and what becomes of every option (O3, O4). */
export async function main(argv: readonly string[]): Promise<number> {
  let options: ReturnType<typeof parseOptions>;
  let names: readonly RunnerName[];
  try {
    options = parseOptions(argv);
    names = chosen(options.backend);
  } catch (error) {
    const words = error instanceof TurnoutError ? error.explanation : (error as Error).message;
    process.stderr.write(`turnout: ${words}\nSee \`turnout help capabilities\`.\n`);
    return exitCodes.usage;
  }
  if (options.help) {
    process.stdout.write(usageText);
    return exitCodes.done;
  }
  const reports = await Promise.all(names.map(report));
  const detailed = options.backend !== undefined;
  process.stdout.write(options.json ? `${JSON.stringify(reports, null, 2)}\n` : tables(reports, detailed));
  return exitCodes.done;
}

function parseOptions(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    options: {
      backend: { type: 'string', multiple: true },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  }).values;
}

function chosen(backend: readonly string[] | undefined): readonly RunnerName[] {
  if (backend === undefined) return runnerNames();
  const names = backend.flatMap((list) => list.split(',')).map((name) => readRunnerName(name, '--backend'));
  return [...new Set(names)];
}

type Report = Awaited<ReturnType<typeof report>>;

async function report(name: RunnerName) {
  const { hints, ...capabilities } = runnerCapabilities(name);
  // A mode that the runner does not have is null.
  const modes = await Promise.all(
    runModes.map(async (mode) => [mode, (await supportTable(name, mode)) ?? null]),
  );
  const options = Object.fromEntries(modes) as Record<RunMode, Readonly<Record<string, Support>> | null>;
  return { name, capabilities, hints, options };
}

function tables(reports: readonly Report[], detailed: boolean): string {
  const names = reports.map(({ name }) => name);
  const parts = [
    columns(names, [
      ...capabilityNames.map((ability) => [
        ability,
        ...reports.map(({ capabilities }) => (capabilities[ability] ? 'yes' : 'no')),
      ]),
    ]),
    hintLines(reports),
  ];
  for (const mode of runModes) {
    parts.push(`${titles[mode]}\n`);
    parts.push(detailed ? details(reports, mode) : overview(reports, mode));
  }
  if (!detailed)
    parts.push(
      'native: an option of the CLI’s own · emulated: given in another form · refused: exit code 4, or a warning with\n' +
        '--allow-unsupported · -: the backend does not have this mode. How: turnout capabilities --backend <name>\n',
    );
  return parts.filter((part) => part !== '').join('\n');
}

const titles: Readonly<Record<RunMode, string>> = {
  'one-shot': 'Options of a turn that starts the CLI (turnout run)',
  live: 'Options of a live session (turnout run --live)',
  interactive: 'Options of the CLI’s own terminal UI (turnout chat --native)',
};

function overview(reports: readonly Report[], mode: RunMode): string {
  const rows = optionNames.map((option) => [
    option,
    ...reports.map(({ options }) => options[mode]?.[option]?.type ?? '-'),
  ]);
  return columns(
    reports.map(({ name }) => name),
    rows,
  );
}

function details(reports: readonly Report[], mode: RunMode): string {
  return reports
    .map(({ name, options }) => {
      const rows = optionNames.map((option) => {
        const support = options[mode]?.[option];
        if (support === undefined) return [option, '-', ''];
        return [option, support.type, support.type === 'refused' ? support.instead : support.how];
      });
      return table([[name, '', ''], ...rows], ['left', 'left', 'left']);
    })
    .join('\n');
}

function columns(names: readonly string[], rows: readonly (readonly string[])[]): string {
  return table(
    [['', ...names], ...rows],
    ['', ...names].map(() => 'left'),
  );
}

function hintLines(reports: readonly Report[]): string {
  const lines = reports.flatMap(({ name, hints }) =>
    Object.entries(hints).map(([ability, hint]) => [`${name} ${ability}`, hint]),
  );
  return lines.length === 0 ? '' : table(lines, ['left', 'left']);
}
