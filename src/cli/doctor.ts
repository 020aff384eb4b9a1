import { parseArgs } from 'node:util';
import { addChecked } from '../backends/launch/checked-versions.js';
import { versionIn } from '../backends/launch/cli-version.js';
import { pinnedVersion } from '../backends/launch/vetted.js';
import { readBackendName } from '../backends/registry.js';
import { readEnvironment } from '../config/read-environment.js';
import { TurnoutError } from '../core/errors.js';
import { exitCodes } from '../core/exit-codes.js';
import { checkDiscord, type DiscordReport } from '../gateway/channels/discord/check-discord.js';
import { type GatewayConfig, loadConfig, settingsLeftOut } from '../gateway/config.js';
import { systemWarnings } from '../process/system.js';
import { type DeepReport, deepScenarios, deepTable, hasScenarios, inspectDeeply } from './doctor-deep.js';
import { exitingOnSignal, onEndingSignal } from './ending-signals.js';
import { type CliReport, inspectClis, isDemoAgent } from './inspect-clis.js';
import { openPeople } from './open-people.js';
import { version } from './version.js';

export const usageText = `Usage: turnout doctor [--deep] [--backend <name,…>] [--json]

Which agent CLIs are installed here, their versions, whether those were vetted, and what each can do. With
DISCORD_BOT_TOKEN it also asks Discord: whether the token is right, in how many servers the bot is, which permissions
it lacks, and who may speak to it.

  --deep             drive each installed CLI through the conformance scenarios against a scripted model on this
                     machine: no account, no tokens, no network; about a minute for each CLI
  --backend <names>  only these (comma-separated)
  --json             one JSON object instead of a table

A version is vetted if it passed every scenario of Turnout's lab before a release of Turnout: another one may work as
well. One that passes --deep is remembered (checked-versions.json in TURNOUT_HOME): turns don't warn of it any more.

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
  const { settings, inherited, origins, warnings } = await readEnvironment({ environment: process.env });
  const config = loadConfig(settings, {}, origins);
  const wanted = options.backend
    ?.flatMap((names) => names.split(','))
    .map((name) => readBackendName(name, '--backend'));
  const all = await exitingOnSignal(() => inspectClis(config, inherited, origins));
  const discord = await exitingOnSignal(async () =>
    checkDiscord({ ...config.discord, version: version(), paired: await countPaired(config) }),
  );
  const clis = wanted === undefined ? all : all.filter(({ backend }) => wanted.includes(backend));
  const report: Report = {
    turnout: version(),
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    home: config.home,
    defaultBackend: config.agentBackend,
    warnings: [
      ...warnings,
      ...config.warnings,
      ...leftOut(config, wanted),
      ...systemWarnings(),
      ...discord.problems,
    ],
    discord,
    clis,
  };
  const usable = clis.filter((cli) => cli.usable);
  if (!options.json) process.stdout.write(table(report));
  if (!options.deep) {
    if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return usable.length > 0 ? exitCodes.done : exitCodes.unavailable;
  }
  const deep = await examineDeeply(usable);
  const notKept = await remember(config.home, deep);
  if (notKept !== undefined) process.stderr.write(`turnout: ${notKept}\n`);
  process.stdout.write(
    options.json ? `${JSON.stringify({ ...report, deep }, null, 2)}\n` : `\n${deepTable(deep)}`,
  );
  if (usable.length === 0) return exitCodes.unavailable;
  return deep.length === usable.filter(hasScenarios).length && deep.every(({ works }) => works)
    ? exitCodes.done
    : exitCodes.failed;
}

/** None without a gateway's data, and if that can't be read: other commands say so. */
async function countPaired({ home, discord }: GatewayConfig): Promise<number> {
  if (discord.token === undefined) return 0;
  try {
    const store = await openPeople(home, 'read');
    try {
      return (await store.discordPaired()).length;
    } finally {
      await store.close();
    }
  } catch {
    return 0;
  }
}

/** Without AGENT_BACKEND among the backends that were asked for, its path is seen nowhere in the report. */
function leftOut(config: GatewayConfig, wanted: readonly string[] | undefined): readonly string[] {
  if (wanted === undefined || wanted.includes(config.agentBackend)) return [];
  return [...new Set(wanted)].flatMap((name) => settingsLeftOut(config, name) ?? []);
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

/** Keeps the versions that work, so that turns don't warn of them. Returns why they were not kept. */
async function remember(home: string, deep: readonly DeepReport[]): Promise<string | undefined> {
  const passed = deep.flatMap(({ backend, version = '', works, results }) => {
    const number = versionIn(version);
    const complete = works && results.length === deepScenarios.length;
    return complete && number !== undefined ? [{ backend, version: number }] : [];
  });
  try {
    await addChecked(home, passed);
    return undefined;
  } catch (error) {
    return `the versions that passed were not remembered: ${(error as Error).message}`;
  }
}

interface Report {
  readonly turnout: string;
  readonly node: string;
  readonly platform: string;
  readonly home: string;
  readonly defaultBackend: string;
  readonly warnings: readonly string[];
  readonly discord: DiscordReport;
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
    const more = cli.usable ? [standing(cli), abilities(cli)] : [notUsable(cli)];
    lines.push(...more.map((line) => `${' '.repeat(19)}${line}`));
  }
  lines.push('', `Discord  ${report.discord.summary}`);
  for (const warning of report.warnings) lines.push('', `warning: ${warning}`);
  return `${lines.join('\n')}\n`;
}

function notUsable({ install, setting }: CliReport): string {
  const otherwise = setting === undefined ? '' : `; or correct ${setting}, or take it away`;
  return `install it with: ${install}${otherwise}`;
}

function standing({ backend, vetting, checked, advice, install, version: printed }: CliReport): string {
  if (isDemoAgent(printed)) return 'the demo agent: it calls no model';
  if (vetting === 'vetted') return 'vetted';
  if (checked)
    return `${vetting} than the vetted ${pinnedVersion(backend)}; it passed \`turnout doctor --deep\` here`;
  if (vetting !== undefined) return `${vetting} than the vetted ${pinnedVersion(backend)}: ${advice}`;
  if (pinnedVersion(backend) === undefined) return 'not vetted: the lab does not know this CLI';
  return `not vetted: the version is not known; a vetted one: ${install}`;
}

function abilities({ capabilities, live }: CliReport): string {
  const yes = [
    capabilities.textDeltas ? 'streams word by word' : 'streams message by message',
    ...(capabilities.thinking ? ['thinking'] : []),
    ...(capabilities.thinkingDepth?.length ? ['thinking depth'] : []),
    ...(capabilities.maxTurns ? ['max turns'] : []),
    ...(capabilities.allowedTools ? ['tool filter'] : []),
    ...(capabilities.mcpConfig ? ['MCP per run'] : []),
  ];
  const modes = `modes ${capabilities.permissionModes.join(', ')}`;
  const liveModes = live === undefined ? '' : `; live: modes ${live.permissionModes.join(', ')}`;
  return `${yes.join(', ')}; ${modes}${liveModes}`;
}
