import { backendNames, findBackendName, guessBackendName, readBackendName } from '../../backends/registry.js';
import { editConfigFile, readConfigFile } from '../../config/edit-config-file.js';
import { given } from '../../config/home-directory.js';
import { type ReadEnvironment, readEnvironment } from '../../config/read-environment.js';
import { settingWithOrigin } from '../../config/setting-origins.js';
import { problemOf } from '../../config/settings.js';
import { exitCodes } from '../../core/exit-codes.js';
import { permissionModes } from '../../core/permission-mode.js';
import { wholeLine } from '../../core/text.js';
import type { CommandPage } from '../command/command-page.js';
import { exitingOnSignal } from '../command/ending-signals.js';
import { explainFailure } from '../command/explain-failure.js';
import { oneOf } from '../command/flag-values.js';
import { jsonFlags, wantsJson } from '../command/json-flags.js';
import { print, printHelp } from '../command/print.js';
import { readFlags, wrongUsage } from '../command/read-flags.js';
import { helpFlag } from '../command/run-command.js';
import { askLine, canAsk } from '../output/ask-line.js';
import { clearProgress, showProgress } from '../output/progress-line.js';
import { say, writeShown } from '../output/say.js';
import { type FoundCli, findClis, listClis, proposed } from './found-clis.js';
import { NoneInstalled } from './installed-backend.js';
import { firstSteps, nextSteps } from './next-steps.js';
import { wantsDemo } from './offer-demo.js';

export const page = {
  usage: ['init [options]'],
  about:
    'Finds the agent CLIs on this machine, their versions and whether you are signed in, asks which one is to answer, and keeps the choice in config.yaml of TURNOUT_HOME (~/.turnout). Everything else in that file stays as it is. Without a terminal nothing is asked: the choice is the one that would be proposed.',
  flags: {
    backend: {
      type: 'text',
      short: 'b',
      value: 'name',
      about: `this one: ${backendNames().join(', ')}`,
      complete: backendNames(),
    },
    yes: { type: 'switch', short: 'y', about: 'the one that would be proposed' },
    model: { type: 'text', short: 'm', value: 'model', about: "its model (default: the CLI's own)" },
    'permission-mode': {
      type: 'text',
      value: 'mode',
      about: `what agents may do without asking: ${permissionModes.join(', ')}`,
      complete: permissionModes,
    },
    ...jsonFlags,
    ...helpFlag,
  },
  examples: [['init', 'asks'], ['init --yes', 'asks nothing'], ['init -b codex --permission-mode edits']],
  exitCodes:
    "0 done · 1 config.yaml can't be written · 2 wrong usage or settings · 3 no CLI is installed · 130 interrupted",
} as const satisfies CommandPage;

/** `turnout init`: chooses the CLI that answers, and keeps the choice. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const options = parse(argv);
    if (options === 'help') return await printHelp(page);
    return await initialise(options);
  } catch (error) {
    return explainFailure(error);
  }
}

interface InitOptions {
  readonly backend: string | undefined;
  readonly yes: boolean;
  readonly model: string | undefined;
  readonly permissionMode: string | undefined;
  readonly json: boolean;
}

function parse(argv: readonly string[]): InitOptions | 'help' {
  const flags = readFlags(argv, page.flags, { command: 'init' });
  if (flags.has('help')) return 'help';
  const [word] = [...flags.positionals, ...flags.rawArgs];
  if (word !== undefined)
    throw wrongUsage('init', `unexpected ${JSON.stringify(word)}: a CLI is named with --backend`);
  const backend = flags.text('backend');
  const model = flags.text('model');
  const wrong = model === undefined ? undefined : problemOf('BACKEND_MODEL', model);
  if (wrong !== undefined || model?.trim() === '')
    throw wrongUsage('init', `--model: ${wrong ?? 'expected a name'}`);
  return {
    backend: backend === undefined ? undefined : readBackendName(backend, '--backend'),
    yes: flags.has('yes'),
    model: model?.trim(),
    permissionMode: oneOf('--permission-mode', flags.text('permission-mode'), permissionModes),
    json: wantsJson(flags),
  };
}

async function initialise(options: InitOptions): Promise<number> {
  // A wrong config.yaml is explained here, and left alone.
  const before = await readEnvironment({ environment: process.env, command: 'none' });
  const present = presentBackend(before);
  const cliPath = given(before.settings['BACKEND_CLI_PATH']);
  showProgress('looking for agent CLIs …');
  const clis = await exitingOnSignal(() =>
    findClis(before.inherited, { backend: present ?? 'claude', cliPath }),
  );
  clearProgress();
  if (!options.json) await print(`Agent CLIs on this machine:\n\n${listClis(clis)}\n`);
  if (proposed(clis, present) === undefined && options.backend === undefined)
    return withoutClis(!options.json);
  const chosen = await choose(clis, options, present);
  if (chosen === 'nobody') {
    await print('\n');
    say('nothing was chosen, and nothing was changed.');
    return exitCodes.interrupted;
  }
  const home = before.settings['TURNOUT_HOME'] ?? '';
  const { settings: inFile } = await readConfigFile(home);
  const changes = changesFor(chosen, options, inFile);
  const { path, changed } = await editConfigFile(home, changes);
  const now = await readEnvironment({ environment: process.env, command: 'none' });
  const notes = [
    ...lostSettings(changes, inFile),
    ...strongerSources(changes, path, now),
    ...strongerForRuns(chosen, now),
    ...(chosen.installed ? [] : [`${chosen.backend} is not installed yet: ${chosen.install}`]),
  ];
  if (options.json) {
    const result = { path, backend: chosen.backend, changed, notes, clis };
    return print(`${JSON.stringify(result, null, 2)}\n`);
  }
  const isModeSet = now.origins['PERMISSION_MODE'] !== undefined;
  const paragraphs = [
    [...keptLines(chosen, changes, path, changed.length > 0), ...notes],
    firstSteps(chosen),
    // Whoever comes again knows them.
    changed.length === 0 ? [] : nextSteps(isModeSet),
  ].filter((lines) => lines.length > 0);
  return print(`${paragraphs.map((lines) => lines.join('\n')).join('\n\n')}\n`);
}

function keptLines(
  { backend }: FoundCli,
  { BACKEND_MODEL: model, PERMISSION_MODE: mode }: Readonly<Record<string, string | undefined>>,
  path: string,
  isChanged: boolean,
): readonly string[] {
  const more = [
    ...(model === undefined ? [] : [`the model ${wholeLine(model)}`]),
    ...(mode === undefined ? [] : [`the permission mode ${mode}`]),
  ];
  return [
    isChanged
      ? `${backend} answers from now on: kept in ${path}`
      : `${backend} answers already: nothing was changed in ${path}`,
    ...(more.length === 0 ? [] : [`with ${more.join(' and ')}`]),
  ];
}

/** A person may look at the demo at once. */
async function withoutClis(isListed: boolean): Promise<number> {
  const missing = new NoneInstalled(isListed);
  if (!isListed || !canAsk()) throw missing;
  if (!(await wantsDemo(missing))) return exitCodes.unavailable;
  const chat = await import('../chat/chat.js');
  return chat.main(['--backend', 'demo']);
}

/** The backend that AGENT_BACKEND names, whichever of their sources has it. */
function presentBackend({ settings }: ReadEnvironment): string | undefined {
  const written = given(settings['AGENT_BACKEND']);
  return written === undefined ? undefined : findBackendName(written);
}

async function choose(
  clis: readonly FoundCli[],
  { backend, yes, json }: InitOptions,
  present: string | undefined,
): Promise<FoundCli | 'nobody'> {
  const named = clis.find((cli) => cli.backend === backend);
  if (named !== undefined) return named;
  const proposal = proposed(clis, present);
  if (proposal === undefined) throw new NoneInstalled();
  const installed = clis.filter((cli) => cli.installed);
  if (yes || json || installed.length === 1) return proposal;
  if (!canAsk()) {
    say(`there is no terminal to ask in: ${proposal.backend} is chosen. Another one: --backend <name>.`);
    return proposal;
  }
  for (;;) {
    const typed = await askLine(
      `Which one is to answer? 1-${installed.length}, or Enter for ${proposal.backend}: `,
    );
    if (typed === undefined) return 'nobody';
    const word = typed.trim();
    const found = word === '' ? proposal : installed[Number(word) - 1];
    const meant = found ?? installed.find((cli) => cli.backend === findBackendName(word));
    if (meant !== undefined) return meant;
    const guess = guessBackendName(word);
    const isThere = installed.some((cli) => cli.backend === guess);
    writeShown(process.stdout, `Type its number or its name.${isThere ? ` Did you mean ${guess}?` : ''}\n`);
  }
}

/** A path and a model in the file belong to the backend that is named there: another one can't use them. */
function changesFor(
  { backend }: FoundCli,
  { model, permissionMode }: InitOptions,
  inFile: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  const owner = inFile['AGENT_BACKEND'] || 'claude';
  const left = findBackendName(owner) === backend ? [] : ['BACKEND_CLI_PATH', 'BACKEND_MODEL'];
  return {
    ...Object.fromEntries(left.filter((name) => inFile[name] !== undefined).map((name) => [name, undefined])),
    AGENT_BACKEND: backend,
    ...(model === undefined ? {} : { BACKEND_MODEL: model }),
    ...(permissionMode === undefined ? {} : { PERMISSION_MODE: permissionMode }),
  };
}

function lostSettings(
  changes: Readonly<Record<string, string | undefined>>,
  inFile: Readonly<Record<string, string>>,
): readonly string[] {
  const lost = Object.keys(changes).filter((name) => changes[name] === undefined);
  return lost.map(
    (name) => `${name}=${wholeLine(inFile[name] ?? '')} was the former CLI's, and is taken out.`,
  );
}

/** Settings of the environment and of `.env` are stronger than those of config.yaml. */
function strongerSources(
  changes: Readonly<Record<string, string | undefined>>,
  path: string,
  { settings, origins }: ReadEnvironment,
): readonly string[] {
  return Object.keys(changes).flatMap((name) => {
    const origin = origins[name];
    if (changes[name] === undefined || origin === undefined || origin === `in ${path}`) return [];
    if (settings[name] === changes[name]) return [];
    return [`But ${name}=${wholeLine(settings[name] ?? '')} ${origin} is stronger: take it away there.`];
  });
}

/** O5: the gateway uses the choice; runs, agents and chains use FORGE_BACKEND, if that is set. */
function strongerForRuns({ backend }: FoundCli, { settings, origins }: ReadEnvironment): readonly string[] {
  const written = given(settings['FORGE_BACKEND']);
  if (written === undefined || findBackendName(written) === backend) return [];
  const shown = `FORGE_BACKEND=${wholeLine(written)}`;
  return [
    `But ${settingWithOrigin('FORGE_BACKEND', origins, shown)} is stronger for runs, agents and chains.`,
  ];
}
