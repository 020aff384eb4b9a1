import { addChecked } from '../../backends/launch/checked-versions.js';
import { versionIn } from '../../backends/launch/cli-version.js';
import { backendNames, readBackendName } from '../../backends/registry.js';
import type { Environment } from '../../config/home-directory.js';
import { readEnvironment } from '../../config/read-environment.js';
import { fromEnvironment, type SettingOrigins, settingWithOrigin } from '../../config/setting-origins.js';
import { isSettingName } from '../../config/settings.js';
import { usesSetting } from '../../config/used-settings.js';
import { TurnoutError } from '../../core/errors.js';
import { exitCodes } from '../../core/exit-codes.js';
import { checkDiscord } from '../../gateway/channels/discord/check-discord.js';
import { type GatewayConfig, readConfig, settingsLeftOut } from '../../gateway/config.js';
import { systemWarnings } from '../../process/system.js';
import { settingsOwner } from '../../runner/runner-names.js';
import { openPeople } from '../archive/open-people.js';
import type { CommandPage } from '../command/command-page.js';
import { exitingOnSignal, onEndingSignal } from '../command/ending-signals.js';
import { explainFailure } from '../command/explain-failure.js';
import { jsonFlags, wantsJson } from '../command/json-flags.js';
import { print } from '../command/print.js';
import { helpFlag, refuseOperands, runCommand } from '../command/run-command.js';
import { valueProblem } from '../config/value-problem.js';
import { clearProgress, showProgress } from '../output/progress-line.js';
import { say, writeShown } from '../output/say.js';
import { askedRunner } from '../run/asked-runner.js';
import { version } from '../version.js';
import { type DeepReport, deepScenarios, deepTable, hasScenarios, inspectDeeply } from './doctor-deep.js';
import { type DoctorReport, doctorTable } from './doctor-table.js';
import { type CliReport, inspectClis } from './inspect-clis.js';

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
  exitCodes:
    '0 all is well · 1 the settings are wrong, the chosen CLI is not signed in, or a scenario fails · 2 wrong usage · 3 no CLI is usable',
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
  // A wrong settings file is what this command is there to explain: it goes on with what can be read of it.
  const read = await readEnvironment({
    environment: process.env,
    command: 'doctor',
    wrongFiles: 'report',
  });
  const { settings, inherited, origins, warnings } = read;
  const { config, problems } = readConfig(settings, {}, origins, 'doctor');
  const { defaultBackend, wrongName } = defaultOfRuns(settings, origins, config);
  const all = await exitingOnSignal(() => inspectClis(config, inherited, origins, showWaiting));
  if (config.discord.token !== undefined) showProgress('asking Discord …');
  const discord = await exitingOnSignal(async () =>
    checkDiscord({ ...config.discord, version: version(), paired: await countPaired(config) }),
  );
  clearProgress();
  const clis = wanted === undefined ? all : all.filter(({ backend }) => wanted.includes(backend));
  const report: DoctorReport = {
    turnout: version(),
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    home: config.home,
    defaultBackend,
    problems: [
      ...read.problems.map(({ explanation }) => explanation),
      ...problems,
      ...wrongName,
      ...wrongInFiles(settings, origins),
    ],
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
  const isWrong = report.problems.length > 0;
  const found = usable.length === 0 ? exitCodes.unavailable : isWrong ? exitCodes.failed : exitCodes.done;
  // The scenarios need no account.
  const asked = wanted ?? [defaultBackend];
  const isSignedOut = usable.some(({ backend, signedIn }) => signedIn === 'no' && asked.includes(backend));
  if (!isDeep)
    return print(
      json ? `${JSON.stringify(report, null, 2)}\n` : doctorTable(report),
      found === exitCodes.done && isSignedOut ? exitCodes.failed : found,
    );
  if (!json) await print(doctorTable(report));
  const deep = await examineDeeply(usable);
  const notKept = await remember(config.home, deep);
  if (notKept !== undefined) say(notKept);
  const works = deep.length === usable.filter(hasScenarios).length && deep.every((one) => one.works);
  return print(
    json ? `${JSON.stringify({ ...report, deep }, null, 2)}\n` : `\n${deepTable(deep)}`,
    usable.length === 0 || works ? found : exitCodes.failed,
  );
}

/** O5: FORGE_BACKEND is stronger than AGENT_BACKEND for whatever is not a gateway. */
function defaultOfRuns(settings: Environment, origins: SettingOrigins, { agentBackend }: GatewayConfig) {
  try {
    const asked = askedRunner(undefined, settings, origins);
    return { defaultBackend: asked === undefined ? agentBackend : settingsOwner(asked), wrongName: [] };
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    return { defaultBackend: agentBackend, wrongName: [error.message] };
  }
}

/** Values in the settings files that another command would refuse. In the environment they may be another program's. */
function wrongInFiles(settings: Environment, origins: SettingOrigins): readonly string[] {
  return Object.keys(origins).flatMap((name) => {
    const [origin, value] = [origins[name], settings[name]];
    const isOfFile = origin !== fromEnvironment && isSettingName(name) && !usesSetting('doctor', name);
    const problem = isOfFile && value !== undefined ? valueProblem(name, value) : undefined;
    return problem === undefined ? [] : [`${settingWithOrigin(name, origins)}: ${problem}`];
  });
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
    return await inspectDeeply(clis, (line) => writeShown(process.stderr, `${line}\n`), stop.signal);
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
