import { resolve as absolute } from 'node:path';
import { sweepAfterCrash } from '../../backends/launch/sweep-after-crash.js';
import { errorEvent } from '../../core/chat-event.js';
import { nearest } from '../../core/distance.js';
import { TurnoutError } from '../../core/errors.js';
import { exitCodeFor, exitCodes } from '../../core/exit-codes.js';
import { keepRestrictions } from '../../orchestra/agents/keep-restrictions.js';
import { planChain } from '../../orchestra/plan-chain.js';
import { type ChainRequest, resolveChain } from '../../orchestra/resolve-chain.js';
import { resumeRun, runChain } from '../../orchestra/run-chain.js';
import { listRuns, readRun } from '../../orchestra/runs.js';
import type { ResolvedChain } from '../../orchestra/types.js';
import type { CommandPage } from '../command/command-page.js';
import { finishOutput, printHelp } from '../command/print.js';
import { demoBackend } from '../demo/demo-backend.js';
import { Terminal } from '../output/terminal.js';
import { listJson, listText, requireChainFile } from './chain-list.js';
import {
  type ChainCommand,
  type ChainFlags,
  chainCommands,
  chainFlags,
  parseChainOptions,
  taken,
} from './chain-options.js';
import { planText } from './chain-plan.js';
import { showRun } from './chain-run.js';
import { canResume, newestToResume, runsText, runText } from './chain-runs.js';
import { type ChainSettings, chainSettings, homeOfRuns } from './chain-settings.js';

export const page = {
  usage: [
    'chain run <name or one line> [NAME=value…] [options]',
    'chain plan <name or one line> [NAME=value…] [options]',
    'chain list | runs | show [run] | resume [run]',
    'chain --chain <name> [NAME=value…]',
    'chain "planner:3 -> builder:10 -> reviewer"',
  ],
  about:
    'Agents that work one after the other, each until it says that it is done. Chains stand in chains.json, chains.yaml or forge/orch/chains.json of the working directory, or in one line. Tools are allowed without asking: run it where the agents may do what they like.',
  subcommands: {
    run: {
      about: 'runs the chain: progress on stderr, the summary on stdout',
      operand: 'chains',
      takes: taken.run,
    },
    plan: {
      about: 'the exact command of each step, and what becomes of its options; starts nothing',
      operand: 'chains',
      takes: taken.plan,
    },
    list: { about: 'the chains and agents of the file', takes: taken.list },
    runs: { about: 'the runs so far, newest first', takes: taken.runs },
    show: {
      about: 'a run: its steps, outputs, errors, use (default: the newest here)',
      operand: 'runs',
      takes: taken.show,
    },
    resume: {
      about: 'goes on with a run that was stopped, killed or failed (default: the newest here)',
      operand: 'runs',
      takes: taken.resume,
    },
  },
  flags: chainFlags,
  examples: [
    ['chain list'],
    ['chain plan overnight TASK="add dark mode"', 'starts nothing'],
    ['chain run overnight TASK="add dark mode"'],
    ['chain run "planner:3 -> builder:10" -p "add dark mode" -b codex'],
    ['chain resume', 'the newest that was stopped'],
    ['chain runs --json'],
  ],
  exitCodes:
    '0 completed · 1 not completed · 2 wrong usage or chain file · 3 backend not available · 4 not supported by a backend · 130 interrupted',
} as const satisfies CommandPage;

/** `turnout chain`: runs chains of agents, and tells of their runs. */
export async function main(argv: readonly string[]): Promise<number> {
  const terminal = new Terminal(process.stdout, process.stderr);
  let flags: ChainFlags | 'help' | undefined;
  try {
    flags = argv.length === 0 ? 'help' : parseChainOptions(argv);
    if (flags === 'help') {
      const code = await printHelp(page);
      return argv.length === 0 ? exitCodes.usage : code;
    }
    return await commands[flags.command](flags, terminal);
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    const output = flags === undefined || flags === 'help' ? undefined : flags;
    terminal.say(error.explanation + misspelt(output, error));
    await terminal.write(failureIn(output?.output, error));
    return error.code === 'bad_request' ? exitCodes.usage : exitCodeFor(error.code);
  }
}

const commands: Readonly<Record<ChainCommand, (flags: ChainFlags, terminal: Terminal) => Promise<number>>> = {
  run: async (flags, terminal) => {
    const settings = await settingsFor(flags, terminal);
    const chain = await resolve(flags, settings);
    refuseUnkept(chain, settings, flags.allowUnsupported, terminal);
    return runShown(flags, terminal, settings, chain, (hooks) =>
      runChain(chain, {
        ...hooks,
        home: settings.home,
        configFor: settings.configFor,
        programs: settings.configFor(settings.defaultBackend),
        worktree: flags.worktree,
      }),
    );
  },
  resume: async (flags, terminal) => {
    const home = homeOfRuns(flags);
    const runId = flags.target ?? newestToResume(await listRuns(home), directoryOf(flags)).runId;
    const { chain, summary } = await readRun(home, runId);
    if (flags.target === undefined) {
      terminal.say(`going on with ${runId} (${chain.name}, ${summary.status}, started ${summary.startedAt})`);
    }
    if (summary.status === 'completed') terminal.say(`${summary.runId} is completed already.`);
    const settings = await settingsFor({ ...flags, cwd: chain.cwd }, terminal);
    refuseLooser(chain, settings);
    refuseUnkept(chain, settings, flags.allowUnsupported, terminal);
    return runShown(flags, terminal, settings, chain, (hooks) =>
      resumeRun(runId, {
        ...hooks,
        home: settings.home,
        configFor: settings.configFor,
        programs: settings.configFor(settings.defaultBackend),
      }),
    );
  },
  plan: async (flags, terminal) => {
    const settings = await settingsFor(flags, terminal);
    const chain = await resolve(flags, settings, { planOnly: true });
    const plan = await planChain(chain, settings.configFor);
    for (const { place, text } of unkeptIn(chain, settings, flags.allowUnsupported))
      terminal.say(`${place}: ${text}`);
    return print(terminal, flags, plan, planText);
  },
  list: async (flags, terminal) => {
    const { cwd } = await settingsFor(flags, terminal);
    const file = await requireChainFile(cwd, flags.file);
    for (const warning of file.warnings) terminal.say(warning);
    return print(terminal, flags, listJson(file), () => listText(file));
  },
  runs: async (flags, terminal) => {
    const home = homeOfRuns(flags);
    const runs = await listRuns(home, (warning) => terminal.say(warning));
    const demoRuns = runs.length > 0 || flags.demo ? [] : await listRuns(homeOfRuns({ demo: true }));
    const told = runs.map(({ cwd: _, ...run }) => run);
    return print(terminal, flags, told, () => runsText(runs, { home, demoRuns: demoRuns.length }));
  },
  show: async (flags, terminal) => {
    const home = homeOfRuns(flags);
    const stored = await readRun(home, flags.target ?? (await newestRun(home, directoryOf(flags))));
    const { runId, status } = stored.summary;
    const resume = canResume(status) ? resumeCommand(flags, runId) : undefined;
    return print(terminal, flags, stored.report, () => runText(stored, resume));
  },
};

/** The steps whose backend can't keep a restriction that is set for AGENT_BACKEND. */
function unkeptIn(chain: ResolvedChain, settings: ChainSettings, isAllowed: boolean) {
  return chain.groups.flat().flatMap(({ agent, run }) => {
    const text = run.type === 'agent' ? settings.unkept(run.backend, isAllowed) : undefined;
    return text === undefined ? [] : [{ place: `agent ${agent}`, text }];
  });
}

function refuseUnkept(
  chain: ResolvedChain,
  settings: ChainSettings,
  isAllowed: boolean,
  terminal: Terminal,
): void {
  for (const { place, text } of unkeptIn(chain, settings, isAllowed)) {
    if (!isAllowed)
      throw new TurnoutError('unsupported', `${place}: ${text}`, {
        hint: 'Choose another backend, remove the setting, or pass --allow-unsupported.',
      });
    terminal.say(`${place}: ${text}`);
  }
}

/** A run keeps the modes and the tools that it was begun with: none goes on with more than is allowed by now. */
function refuseLooser(chain: ResolvedChain, { restrictions }: ChainSettings): void {
  for (const { agent: name, run } of chain.groups.flat()) {
    if (run.type !== 'agent') continue;
    const { permissionMode = 'bypass', tools } = run.options;
    const begun = { name, source: 'as the run was begun', permissionMode };
    const allowed = tools?.allowed === undefined ? {} : { allowedTools: tools.allowed };
    const [looser] = keepRestrictions({ ...begun, ...allowed }, restrictions, 'environment').warnings;
    if (looser !== undefined)
      throw new TurnoutError('unsupported', `This run can't go on: ${looser}`, {
        hint: 'Set that for this command, or begin the chain anew: turnout chain run',
      });
  }
}

async function runShown(
  flags: ChainFlags,
  terminal: Terminal,
  settings: ChainSettings,
  chain: ResolvedChain,
  run: Parameters<typeof showRun>[0]['run'],
): Promise<number> {
  // An agent that a killed run has left would work in the same directory.
  await sweepAfterCrash({ TURNOUT_HOME: settings.home });
  const plan = flags.verbose ? await planChain(chain, settings.configFor) : undefined;
  const commands = plan?.steps.map(({ command }) => command) ?? [];
  const { output, verbose } = flags;
  const resumeWith = (runId: string) => resumeCommand(flags, runId);
  return showRun({ run, resumeWith }, { output, verbose, commands }, terminal);
}

function settingsFor(flags: Pick<ChainFlags, 'cwd' | 'demo'>, terminal: Terminal): Promise<ChainSettings> {
  return chainSettings(flags, (warning) => terminal.say(warning));
}

function resolve(
  flags: ChainFlags,
  settings: ChainSettings,
  how: Pick<ChainRequest, 'planOnly'> = {},
): Promise<ResolvedChain> {
  const { file, target: chain, variables, prompt, promptFile, model, nonce, allowUnsupported } = flags;
  const { cwd, defaultBackend, configFor, restrictions } = settings;
  const backend = flags.demo ? demoBackend : flags.backend;
  const request: ChainRequest = { cwd, chain, variables, defaultBackend, configFor, restrictions };
  const chosen = { file, prompt, promptFile, backend, model };
  return resolveChain({
    ...request,
    ...Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined)),
    ...(nonce && { nonce }),
    ...(allowUnsupported && { allowUnsupported }),
    ...how,
    ...(flags.demo && { demo: true }),
    mayBeProgram: flags.named,
  });
}

function resumeCommand({ demo }: ChainFlags, runId: string): string {
  return `turnout chain resume ${demo ? '--demo ' : ''}${runId}`;
}

/** The directory that a run without a name is looked for in. */
function directoryOf({ cwd }: ChainFlags): string {
  return absolute(cwd ?? process.env['WORKING_DIR'] ?? '.');
}

async function newestRun(home: string, cwd: string): Promise<string> {
  const newest = (await listRuns(home)).find((run) => run.cwd === cwd);
  if (newest !== undefined) return newest.runId;
  throw new TurnoutError('bad_request', `No chain has been run in ${cwd} yet.`, {
    hint: '`turnout chain runs` lists the runs of all directories.',
  });
}

async function print<T>(
  terminal: Terminal,
  { output }: ChainFlags,
  value: T,
  inWords: (value: T) => string,
): Promise<number> {
  await terminal.write(output === 'json' ? `${JSON.stringify(value, null, 2)}\n` : inWords(value));
  return finishOutput(terminal);
}

/** In the short form the first word may be a command: `turnout chain lst`. */
function misspelt(flags: ChainFlags | undefined, { code }: TurnoutError): string {
  if (flags === undefined || flags.named || flags.target === undefined || code !== 'bad_request') return '';
  const near = nearest(flags.target, chainCommands);
  return near === undefined ? '' : `\nDid you mean the command \`turnout chain ${near}\`?`;
}

/** Prints the failure in the machine format that was asked for, even if no run was begun. */
function failureIn(output: ChainFlags['output'] | undefined, { code, message }: TurnoutError): string {
  if (output === undefined || output === 'text') return '';
  const failure =
    output === 'json' ? { status: 'failed', steps: [], error: { code, message } } : errorEvent(code, message);
  return `${JSON.stringify(failure)}\n`;
}
