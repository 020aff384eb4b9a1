import { addChecked } from '../../backends/launch/checked-versions.js';
import { versionIn } from '../../backends/launch/cli-version.js';
import { pinnedVersion } from '../../backends/launch/vetted.js';
import { backendNames, readBackendName } from '../../backends/registry.js';
import { readEnvironment } from '../../config/read-environment.js';
import { exitCodes } from '../../core/exit-codes.js';
import { checkDiscord, type DiscordReport } from '../../gateway/channels/discord/check-discord.js';
import { type GatewayConfig, loadConfig, settingsLeftOut } from '../../gateway/config.js';
import { systemWarnings } from '../../process/system.js';
import { openPeople } from '../archive/open-people.js';
import type { CommandPage } from '../command/command-page.js';
import { exitingOnSignal, onEndingSignal } from '../command/ending-signals.js';
import { explainFailure } from '../command/explain-failure.js';
import { jsonFlags, wantsJson } from '../command/json-flags.js';
import { print } from '../command/print.js';
import { helpFlag, refuseOperands, runCommand } from '../command/run-command.js';
import { withInstalledBackend } from '../first-run/installed-backend.js';
import { clearProgress, showProgress } from '../output/progress-line.js';
import { say } from '../output/say.js';
import { version } from '../version.js';
import { type DeepReport, deepScenarios, deepTable, hasScenarios, inspectDeeply } from './doctor-deep.js';
import { type CliReport, inspectClis, isDemoAgent } from './inspect-clis.js';
import { signInCommand } from './sign-in.js';

export const page = {
  usage: ['doctor [--deep] [--backend <name,…>] [--json]'],
  about:
    'Which agent CLIs are installed here, their versions, whether those were vetted, who is signed in and what to type if nobody is, and what each can do.',
  flags: {
    deep: {
      type: 'switch',
      about:
        'drive each installed CLI through the conformance scenarios against a scripted model on this machine: no account, no tokens, no network; about a minute for each CLI',
    },
    backend: {
      type: 'list',
      short: 'b',
      value: 'names',
      about: 'only these (comma-separated)',
      complete: backendNames(),
    },
    ...jsonFlags,
    ...helpFlag,
  },
  notes:
    "A version is vetted if it passed every scenario of Turnout's lab before a release of Turnout: another one may work as well. One that passes --deep is remembered (checked-versions.json in TURNOUT_HOME): turns don't warn of it any more.",
  examples: [
    ['doctor', 'what is here, and what to do about what is not'],
    ['doctor --deep -b codex', 'does Codex really work?'],
    ['doctor --json | jq .clis'],
  ],
  exitCodes: '0 all is well · 1 a scenario fails · 2 wrong usage · 3 no CLI is usable',
} as const satisfies CommandPage;

interface DoctorOptions {
  readonly deep: boolean;
  readonly json: boolean;
  readonly wanted: readonly string[] | undefined;
}

/** `turnout doctor`: lists the installed CLIs and their abilities; `--deep` tests whether they work. */
export function main(argv: readonly string[]): Promise<number> {
  return runCommand(
    {
      name: 'doctor',
      page,
      read: (given): DoctorOptions => {
        refuseOperands(given);
        const names = given.all('backend')?.flatMap((list) => list.split(','));
        const wanted = names?.map((name) => readBackendName(name, '--backend'));
        return { deep: given.has('deep'), json: wantsJson(given), wanted };
      },
      run: examineOrExplain,
    },
    argv,
  );
}

async function examineOrExplain(options: DoctorOptions): Promise<number> {
  try {
    return await examine(options);
  } catch (error) {
    return explainFailure(error, exitCodes.usage);
  }
}

async function examine({ deep: isDeep, json, wanted }: DoctorOptions): Promise<number> {
  const read = await readEnvironment({ environment: process.env, command: 'doctor' });
  const { inherited, origins, warnings } = read;
  // The default is marked in the table, and needs no words.
  const { settings } = await withInstalledBackend(read);
  const config = loadConfig(settings, {}, origins, 'doctor');
  const all = await exitingOnSignal(() => inspectClis(config, inherited, origins, showWaiting));
  if (config.discord.token !== undefined) showProgress('asking Discord …');
  const discord = await exitingOnSignal(async () =>
    checkDiscord({ ...config.discord, version: version(), paired: await countPaired(config) }),
  );
  clearProgress();
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
  const found = usable.length > 0 ? exitCodes.done : exitCodes.unavailable;
  if (!isDeep) return print(json ? `${JSON.stringify(report, null, 2)}\n` : table(report), found);
  if (!json) await print(table(report));
  const deep = await examineDeeply(usable);
  const notKept = await remember(config.home, deep);
  if (notKept !== undefined) say(notKept);
  const works = deep.length === usable.filter(hasScenarios).length && deep.every((one) => one.works);
  return print(
    json ? `${JSON.stringify({ ...report, deep }, null, 2)}\n` : `\n${deepTable(deep)}`,
    usable.length === 0 || works ? found : exitCodes.failed,
  );
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

function showWaiting(names: readonly string[]): void {
  if (names.length > 0) showProgress(`asking for versions: ${names.join(', ')} …`);
  else clearProgress();
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
    const more = cli.usable ? [standing(cli), account(cli), abilities(cli), modes(cli)] : [notUsable(cli)];
    lines.push(...more.flatMap((line) => wrapped(line, 19)));
  }
  lines.push('', `Discord  ${report.discord.summary}`);
  for (const warning of report.warnings) lines.push('', `warning: ${warning}`);
  return `${lines.join('\n')}\n`;
}

/** A terminal would break a long line within its words. */
function wrapped(text: string, indent: number): readonly string[] {
  const width = process.stdout.isTTY ? Math.max(40, (process.stdout.columns || 80) - indent - 1) : Infinity;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.map((line) => `${' '.repeat(indent)}${line}`);
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

function abilities({ capabilities }: CliReport): string {
  const yes = [
    capabilities.textDeltas ? 'streams word by word' : 'streams message by message',
    ...(capabilities.thinking ? ['thinking'] : []),
    ...(capabilities.thinkingDepth?.length ? ['thinking depth'] : []),
    ...(capabilities.maxTurns ? ['max turns'] : []),
    ...(capabilities.allowedTools ? ['tool filter'] : []),
    ...(capabilities.mcpConfig ? ['MCP per run'] : []),
  ];
  return yes.join(', ');
}

/** `ask` needs a live session: a one-shot CLI has ended its turn before anybody could answer. */
function modes({ capabilities, live }: CliReport): string {
  const liveModes = live === undefined ? '' : `; live: ${live.permissionModes.join(', ')}`;
  return `modes: ${capabilities.permissionModes.join(', ')}${liveModes}`;
}

function account({ backend, signedIn, credentials, signIn, version: printed }: CliReport): string {
  const kind = credentials === undefined ? '' : `: ${credentials}`;
  if (isDemoAgent(printed)) return 'needs no account';
  if (signedIn === 'yes') return `signed in${kind}`;
  if (signedIn === 'no') return `NOT SIGNED IN: ${signInCommand(backend) ?? signIn ?? 'it has no account'}`;
  return `no key or account was found${kind}; it may need none, or keep it where only it looks`;
}
