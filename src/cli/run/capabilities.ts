import { runnerCapabilities } from '../../runner/capabilities.js';
import { optionNames } from '../../runner/option-names.js';
import { type Support, supportTable } from '../../runner/option-table.js';
import { type RunMode, runModes } from '../../runner/run-mode.js';
import { readRunnerName, runnerNames } from '../../runner/runner-names.js';
import { capabilityNames, type RunnerName } from '../../runner/types.js';
import type { CommandPage } from '../command/command-page.js';
import { jsonFlags, wantsJson } from '../command/json-flags.js';
import { print } from '../command/print.js';
import { helpFlag, refuseOperands, runCommand } from '../command/run-command.js';
import { table } from '../output/table.js';

export const page = {
  usage: ['capabilities [--backend <name,…>] [--json]'],
  about:
    'What each backend can do, and which options it takes. No CLI is started: see `turnout doctor` for what is installed.',
  flags: {
    backend: {
      type: 'list',
      short: 'b',
      value: 'names',
      about: 'only these (comma-separated), with how each option reaches the CLI',
      complete: runnerNames(),
    },
    ...jsonFlags,
    ...helpFlag,
  },
  examples: [
    ['capabilities', 'all of them side by side'],
    ['capabilities -b codex', 'how each option reaches Codex'],
    ['capabilities --json'],
  ],
  exitCodes: '0 done · 2 wrong usage',
} as const satisfies CommandPage;

/** `turnout capabilities`: prints the abilities of every runner (O13), and what becomes of every option (O3, O4). */
export function main(argv: readonly string[]): Promise<number> {
  return runCommand(
    {
      name: 'capabilities',
      page,
      read: (given) => {
        refuseOperands(given);
        const backends = given.all('backend');
        return { names: chosen(backends), detailed: backends !== undefined, json: wantsJson(given) };
      },
      run: async ({ names, detailed, json }) => {
        const reports = await Promise.all(names.map(report));
        return print(json ? `${JSON.stringify(reports, null, 2)}\n` : tables(reports, detailed));
      },
    },
    argv,
  );
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
