import { readFileSync, statSync } from 'node:fs';
import { trustedHome } from '../../config/home-directory.js';
import { readEnvironment } from '../../config/read-environment.js';
import { readSettings } from '../../config/settings.js';
import type { SettingUser } from '../../config/used-settings.js';
import { errorEvent } from '../../core/chat-event.js';
import { TurnoutError } from '../../core/errors.js';
import { backendConfig, loadConfig } from '../../gateway/config.js';
import { nonceIn, unattendedInstructions } from '../../orchestra/instructions.js';
import { checkOptions } from '../../runner/check-options.js';
import { withoutMarker } from '../../runner/marker.js';
import { modeSupport } from '../../runner/option-table.js';
import { runnerBackend } from '../../runner/runner-config.js';
import { codexSdk, settingsOwner } from '../../runner/runner-names.js';
import { sessionOptions } from '../../runner/session-options.js';
import type { RunnerName, RunnerOptions } from '../../runner/types.js';
import { explainFailure } from '../command/explain-failure.js';
import { printHelp } from '../command/print.js';
import { allowDemo } from '../demo/demo-flag.js';
import { chooseInstalled } from '../first-run/choose-installed.js';
import { canAsk } from '../output/ask-line.js';
import { say, writeShown } from '../output/say.js';
import { askedRunner } from './asked-runner.js';
import { claudeArguments } from './claude-flags.js';
import { type GivenFiles, givenFiles } from './given-files.js';
import { readPrompt } from './read-prompt.js';
import { withClaudeNames } from './result-object.js';
import { type OutputFormat, parseRunOptions, type RunFlags } from './run-options.js';
import { page } from './run-page.js';
import { sessionTurn } from './session-turn.js';
import { showTurn } from './show-turn.js';

export { page } from './run-page.js';

/** `turnout run`: runs one turn, with the answer on stdout and everything else on stderr. */
export async function main(argv: readonly string[]): Promise<number> {
  return explainFailures(async (useOutput) => {
    await allowDemo(argv);
    const options = parseRunOptions(argv);
    if (options === 'help') return printHelp(page);
    useOutput(options.output);
    return await runTurn(options);
  });
}

/** Runs a command that may fail before its turn begins: the failure is told on stderr, and in the format that was asked for. */
export async function explainFailures(
  run: (useOutput: (output: OutputFormat) => void) => Promise<number>,
): Promise<number> {
  let output: OutputFormat = 'text';
  try {
    return await run((asked) => {
      output = asked;
    });
  } catch (error) {
    const code = explainFailure(error);
    if (error instanceof TurnoutError) writeShown(process.stdout, failureIn(output, error));
    return code;
  }
}

/** Prints the failure in the machine format that was asked for, even if no turn was begun. */
function failureIn(output: OutputFormat, { code, message }: TurnoutError): string {
  if (output === 'text') return '';
  if (output === 'stream-json') return `${JSON.stringify(errorEvent(code, message))}\n`;
  const failure = { responseText: message, isError: true, error: { code, message } };
  return `${JSON.stringify(output === 'json' ? failure : withClaudeNames(failure, { durationMs: 0 }))}\n`;
}

/** The settings of a turn: those of the home and the environment, under the flags. `command` is the one that they are for. */
export async function turnSettings(
  options: Pick<RunFlags, 'cwd' | 'backend' | 'model' | 'mayPick'> &
    Partial<Pick<RunFlags, 'allowUnsupported'>>,
  command: SettingUser = 'run',
) {
  const flags = options.cwd === undefined ? {} : { WORKING_DIR: options.cwd };
  const read = await readEnvironment({ environment: process.env, flags, command });
  const { settings, inherited, origins, restrictedFor, warnings } = read;
  const named = askedRunner(options.backend, settings, origins);
  const { picked, notes, missing } = await chooseInstalled(settings, inherited, {
    flag: named,
    mayPick: options.mayPick === true && canAsk(),
  });
  const asked = named ?? picked;
  // The SDK is another way to run Codex: the settings are Codex's.
  const backend = asked === undefined ? undefined : settingsOwner(asked);
  const { model, allowUnsupported = false } = options;
  const config = loadConfig(settings, { backend, model, allowUnsupported, restrictedFor }, origins, command);
  const runner: RunnerName = asked ?? config.agentBackend;
  if (!statSync(config.workingDir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new TurnoutError('bad_request', `The working directory ${config.workingDir} is not there.`, {
      hint: 'Choose another one with --cwd or WORKING_DIR.',
    });
  }
  return {
    config,
    runner,
    origins,
    backend: backendConfig(config, inherited),
    // `backendLive` of the config is also true where only the mode needs it, which a flag may change.
    liveSet: readSettings(settings, (name) => name === 'BACKEND_LIVE').values.BACKEND_LIVE,
    warnings: [...notes, ...warnings, ...config.warnings],
    missing,
  };
}

export async function runTurn(flags: RunFlags): Promise<number> {
  const { options, ...settings } = await sessionChosen(flags);
  const { backend } = settings;
  const files = await givenFiles(options, backend);
  try {
    return await runWithFiles(options, files, settings);
  } finally {
    await files.remove();
  }
}

/** The settings, and the flags with the session that they mean, by the index of sessions. */
export async function sessionChosen(flags: RunFlags, command: SettingUser = 'run') {
  const { withContinuedSession, withNamedSession } =
    flags.sessionId === undefined && !flags.continueLast
      ? { withNamedSession: undefined, withContinuedSession: undefined }
      : await import('./resumed-session.js');
  const named = withNamedSession?.(flags, trustedHome(process.env)) ?? flags;
  if (named.backend !== flags.backend) await allowDemo(['--backend', named.backend ?? '']);
  const settings = await turnSettings(named, command);
  if (settings.missing !== undefined) throw settings.missing;
  const { home, workingDir: cwd } = settings.config;
  const found = withContinuedSession?.(named, { home, cwd, backend: settings.runner });
  const notes = found?.note === undefined ? [] : [found.note];
  return { ...settings, options: found?.flags ?? named, warnings: [...settings.warnings, ...notes] };
}

async function runWithFiles(
  options: RunFlags,
  files: GivenFiles,
  { config, runner, backend, liveSet, warnings }: Omit<Awaited<ReturnType<typeof turnSettings>>, 'origins'>,
): Promise<number> {
  const { permissionMode = config.permissionMode, timeoutMs, permissionTimeoutMs: permissionMs } = options;
  const unable = liveSet ? await whyNotLive(options, runner) : undefined;
  // A permission can be asked only in a live session: a one-shot CLI has ended its turn by then.
  const live = options.live || permissionMode === 'ask' || (liveSet && unable === undefined);
  const ignored = liveSet && !live ? [`BACKEND_LIVE is not used for this turn: ${unable}.`] : [];
  const allowUnsupported = options.allowUnsupported || config.allowUnsupported;
  const own = claudeArguments(runner, options, allowUnsupported);
  const wanted = { ...runnerOptions(options, files, own.rawArgs), permissionMode, allowUnsupported };
  const checked = await checkOptions(runner, wanted, live ? 'live' : 'one-shot');
  for (const warning of [...warnings, ...ignored, ...own.warnings, ...checked.warnings]) say(warning);
  const prompt = await readPrompt(options.prompt, () => process.stdin, {
    say: (line) => say(line),
    timeoutMs: options.timeoutMs ?? config.queryTimeoutMs,
    fallback: options.defaultPrompt,
  });
  const warm = options.warm || config.runWarm ? await import('./warm-turn.js') : undefined;
  const turn = (warm?.warmTurn ?? sessionTurn)(
    prompt,
    {
      ...sessionOptions(runner, checked.options, backend, live),
      ...(runner === codexSdk ? { adapter: runnerBackend(runner, backend) } : {}),
      stream: options.output === 'text' || options.output === 'stream-json',
      clocks: {
        ...config.clocks,
        ...(timeoutMs === undefined ? {} : { turnMs: timeoutMs }),
        ...(permissionMs === undefined ? {} : { permissionMs }),
      },
    },
    { denyQuestions: options.denyQuestions },
  );
  const { output, verbose } = options;
  // In an object the answer is for a program; the line that ends an unattended run is for an orchestrator, which reads text.
  const answer = options.unattended ? (text: string) => withoutMarker(text, nonceIn(process.env)) : undefined;
  const chosen = options.backend === undefined ? '' : ` --backend ${runner}`;
  const again = options.again ?? `turnout run${chosen} --continue`;
  const swept = import('../../host/listen.js').then(({ sweepHost }) => sweepHost(config.home));
  const code = await showTurn(turn, { output, verbose, answer, logLevel: config.logLevel, again });
  await swept;
  return code;
}

/** A setting does not stand in the way of a flag: the reason why this turn can't be a live one, if it can't. */
async function whyNotLive({ rawArgs }: RunFlags, runner: RunnerName): Promise<string | undefined> {
  if (runner === codexSdk) return `${codexSdk} has no live sessions`;
  const isRefused =
    rawArgs.length > 0 && (await modeSupport(runner, 'live')).of('rawArgs').type === 'refused';
  return isRefused ? 'a live session takes no arguments for the CLI itself' : undefined;
}

/** The flags as options of a runner. The directory and the model are in the config, which the settings belong to, too. */
export function runnerOptions(
  options: RunFlags,
  files: GivenFiles,
  rawArgs: readonly string[],
): RunnerOptions {
  return {
    systemPrompt: systemPromptOf(options),
    sessionId: options.sessionId,
    continueLast: options.continueLast,
    thinking: options.thinking,
    maxTurns: options.maxTurns,
    tools: { allowed: options.allowedTools, disallowed: options.disallowedTools },
    mcpConfig: files.mcpConfig,
    settings: files.settings,
    permissionMode: options.permissionMode,
    rawArgs,
    allowUnsupported: options.allowUnsupported,
  };
}

/** The parts of the system prompt, in their order; undefined if there is none. */
export function systemPromptOf(options: RunFlags): string | undefined {
  const parts = [
    options.unattended ? unattendedInstructions(nonceIn(process.env)) : undefined,
    options.systemPrompt ?? textOf(options.systemPromptFile),
    options.appendSystemPrompt ?? textOf(options.appendSystemPromptFile),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.filter((part) => part !== '').join('\n\n');
}

function textOf(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new TurnoutError(
      'bad_request',
      `The system prompt file ${file} can't be read: ${(cause as Error).message}`,
      { cause },
    );
  }
}
