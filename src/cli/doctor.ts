import { parseArgs } from 'node:util';
import { resolveBackendName } from '../backends/registry.js';
import { readEnvironment } from '../config/read-environment.js';
import { TurnoutError } from '../core/errors.js';
import { loadConfig } from '../gateway/config.js';
import { systemWarnings } from '../process/system.js';
import { type DeepReport, deepTable, inspectDeeply } from './doctor-deep.js';
import { exitingOnSignal, onEndingSignal } from './ending-signals.js';
import { exitCodes } from './exit-codes.js';
import { type CliReport, inspectClis } from './inspect-clis.js';
import { version } from './version.js';

export const usageText = `Usage: turnout doctor [--deep] [--backend <name,…>] [--json]

Which agent CLIs are installed here, their versions, and what each can do.

  --deep             drive each installed CLI through the conformance scenarios against a scripted model on this
                     machine: no account, no tokens, no network; about a minute for each CLI
  --backend <names>  only these (comma-separated)
  --json             one JSON object instead of a table

Exit codes: 0 all is well · 1 a scenario fails · 2 wrong usage · 3 no CLI is usable
`;

/** `turnout doctor`: lists the installed CLIs and their abilities; `--deep` tests whether they work. */
export async function main(argv: readonly string[]): Promise<number> {
  let options: ReturnType<typeof parseOptions>;
  try {
    options = parseOptions(argv);
  } catch (error) {
    process.stderr.write(`turnout: ${(error as Error).message}\nSee \`turnout help doctor\`.\n`);
    return exitCodes.usage;
  }
  if (options.help) {
    process.stdout.write(usageText);
    return exitCodes.done;
  }
  try {
    return await examine(options);
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    process.stderr.write(`turnout: ${error.explanation}\n`);
    return exitCodes.usage;
  }
}

function parseOptions(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    options: {
      deep: { type: 'boolean' },
      backend: { type: 'string', multiple: true },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  }).values;
}

async function examine(options: ReturnType<typeof parseOptions>): Promise<number> {
  const { settings, inherited } = await readEnvironment({ environment: process.env });
  const config = loadConfig(settings);
  const wanted = options.backend
    ?.flatMap((names) => names.split(','))
    .map((name) => resolveBackendName(name));
  const all = await exitingOnSignal(() => inspectClis(config, inherited));
  const clis = wanted === undefined ? all : all.filter(({ backend }) => wanted.includes(backend));
  const report: Report = {
    turnout: version(),
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    home: config.home,
    defaultBackend: config.agentBackend,
    warnings: [...config.warnings, ...systemWarnings()],
    clis,
  };
  const usable = clis.filter((cli) => cli.usable);
  if (!options.json) process.stdout.write(table(report));
  if (!options.deep) {
    if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return usable.length > 0 ? exitCodes.done : exitCodes.unavailable;
  }
  const deep = await examineDeeply(usable);
  process.stdout.write(
    options.json ? `${JSON.stringify({ ...report, deep }, null, 2)}\n` : `\n${deepTable(deep)}`,
  );
  if (usable.length === 0) return exitCodes.unavailable;
  return deep.length === usable.length && deep.every(({ works }) => works)
    ? exitCodes.done
    : exitCodes.failed;
}

async function examineDeeply(clis: readonly CliReport[]): Promise<readonly DeepReport[]> {
  const stop = new AbortController();
  // A second signal does not wait for the scenarios that run.
  const release = onEndingSignal(() =>
    stop.signal.aborted ? process.exit(exitCodes.interrupted) : stop.abort(),
  );
  try {
    return await inspectDeeply(clis, (line) => process.stderr.write(`${line}\n`), stop.signal);
  } finally {
    release();
  }
}

interface Report {
  readonly turnout: string;
  readonly node: string;
  readonly platform: string;
  readonly home: string;
  readonly defaultBackend: string;
  readonly warnings: readonly string[];
  readonly clis: readonly CliReport[];
}

function table(report: Report): string {
  const lines = [
    `Turnout ${report.turnout} · Node ${report.node} · ${report.platform} · state in ${report.home}`,
    '',
  ];
  for (const cli of report.clis) {
    const mark = cli.usable ? 'ok     ' : 'missing';
    const isDefault = cli.backend === report.defaultBackend ? ' (default)' : '';
    lines.push(
      `${mark}  ${cli.backend.padEnd(9)} ${cli.usable ? `${cli.version ?? 'unknown version'}  ${cli.path}` : (cli.problem ?? '')}${isDefault}`,
    );
    if (cli.usable) lines.push(`${' '.repeat(19)}${abilities(cli)}`);
    else lines.push(`${' '.repeat(19)}install it with: ${cli.install}`);
  }
  for (const warning of report.warnings) lines.push('', `warning: ${warning}`);
  return `${lines.join('\n')}\n`;
}

function abilities({ capabilities }: CliReport): string {
  const yes = [
    capabilities.textDeltas ? 'streams word by word' : 'streams message by message',
    ...(capabilities.thinking ? ['thinking'] : []),
    ...(capabilities.maxTurns ? ['max turns'] : []),
    ...(capabilities.allowedTools ? ['tool filter'] : []),
    ...(capabilities.mcpConfig ? ['MCP per run'] : []),
  ];
  return `${yes.join(', ')}; modes ${capabilities.permissionModes.join(', ')}`;
}
