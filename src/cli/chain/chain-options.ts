import { vendorNames } from '../../backends/names.js';
import { TurnoutError } from '../../core/errors.js';
import { takeVariables, type Variables } from '../../orchestra/variables.js';
import type { FlagTable } from '../command/command-page.js';
import { didYouMean } from '../command/did-you-mean.js';
import { notBlank } from '../command/flag-values.js';
import { outputFormat } from '../command/json-flags.js';
import { type GivenFlags, readFlags } from '../command/read-flags.js';
import { helpFlag } from '../command/run-command.js';
import { turnFlags } from '../run/turn-flags.js';

export const chainCommands = ['run', 'plan', 'list', 'show', 'resume', 'runs'] as const;
export type ChainCommand = (typeof chainCommands)[number];

export const chainOutputs = ['text', 'json', 'stream-json'] as const;
export type ChainOutput = (typeof chainOutputs)[number];

/** The parsed command line of `turnout chain`. Paths are as they were typed. */
export interface ChainFlags {
  readonly command: ChainCommand;
  /** False for the short form without `run`, where the first word may be a misspelt command. */
  readonly named: boolean;
  /** A chain for `run` and `plan`, a run for `show` and `resume`. */
  readonly target: string | undefined;
  readonly variables: Variables;
  readonly cwd: string | undefined;
  readonly file: string | undefined;
  readonly prompt: string | undefined;
  readonly promptFile: string | undefined;
  readonly backend: string | undefined;
  readonly model: string | undefined;
  readonly output: ChainOutput;
  readonly verbose: boolean;
  readonly allowUnsupported: boolean;
  readonly worktree: boolean;
  readonly nonce: boolean;
  readonly demo: boolean;
}

export const chainFlags = {
  prompt: {
    type: 'text',
    short: 'p',
    value: 'text',
    about: "the prompt for every step; wins over the file's",
  },
  'prompt-file': { type: 'text', value: 'file', about: 'the same, from a file', complete: 'files' },
  chain: { type: 'text', value: 'name', about: 'the chain, as an option', complete: 'chains' },
  file: { type: 'text', value: 'file', about: 'the chain file (JSON or YAML)', complete: 'files' },
  cwd: { ...turnFlags.cwd, about: 'where the agents work (default: WORKING_DIR, else here)' },
  backend: {
    type: 'text',
    short: 'b',
    value: 'name',
    about: "this backend for every step; wins over the file's",
    complete: vendorNames,
  },
  model: {
    type: 'text',
    short: 'm',
    value: 'model',
    about: "this model for every step; wins over the file's",
  },
  'dry-run': { type: 'switch', about: 'the same as plan' },
  demo: { type: 'switch', about: 'every step on the bundled demo agent: no account, no tokens' },
  worktree: { type: 'switch', about: 'in a new git worktree, beside other runs' },
  nonce: { type: 'switch', about: 'the completion marker carries a word that only this run knows' },
  'allow-unsupported': {
    type: 'switch',
    about: 'leave out options that a backend does not have, with a warning',
  },
  output: {
    type: 'text',
    value: 'format',
    about: 'text (default), json, stream-json (run and resume)',
    complete: chainOutputs,
  },
  json: { type: 'switch', about: 'the same as --output json' },
  verbose: { type: 'switch', short: 'v', about: 'the commands, and what the agents say and do' },
  ...helpFlag,
} as const satisfies FlagTable;

type OptionName = keyof typeof chainFlags;
type Given = GivenFlags<OptionName>;

export function parseChainOptions(argv: readonly string[]): ChainFlags | 'help' {
  // A chain that begins with an arrow is a wrong chain, not an option.
  const words = argv.map((arg) => (arg.startsWith('->') ? ` ${arg}` : arg));
  const given = readFlags(words, chainFlags, { command: 'chain' });
  if (given.has('help')) return 'help';
  try {
    return flagsFrom(given);
  } catch (error) {
    if (!(error instanceof TurnoutError) || error.hint !== undefined) throw error;
    throw wrong(error.message);
  }
}

function flagsFrom(given: Given): ChainFlags {
  const { variables, rest } = takeVariables([...given.positionals, ...given.rawArgs]);
  const [first] = rest;
  const dryRun = given.has('dry-run');
  const written = chainCommands.find((name) => name === first);
  const words = written === undefined ? rest : rest.slice(1);
  const command = written === 'run' && dryRun ? 'plan' : (written ?? plain(dryRun));
  refuseOthers(command, written ?? 'run', given);
  const [word, ...more] = words;
  if (more.length > 0) throw tooMany(written, words);
  if (word !== undefined && given.has('chain')) {
    throw wrong(`--chain and ${JSON.stringify(word)} were both given`);
  }
  if (word !== undefined && !takesTarget.has(command)) {
    throw wrong(`\`turnout chain ${command}\` takes no argument, got ${JSON.stringify(word)}`);
  }
  if (variables.size > 0 && !ofChains.has(command)) {
    throw wrong(`\`turnout chain ${command}\` takes no variables, got ${[...variables.keys()].join(', ')}`);
  }
  if (given.has('demo') && given.has('backend')) throw wrong('--demo and --backend were both given');
  return {
    command,
    named: written !== undefined,
    target: word ?? given.text('chain'),
    variables,
    cwd: notBlank('--cwd', given.text('cwd')),
    file: notBlank('--file', given.text('file')),
    prompt: given.text('prompt'),
    promptFile: notBlank('--prompt-file', given.text('prompt-file')),
    backend: notBlank('--backend', given.text('backend')),
    model: notBlank('--model', given.text('model')),
    output: outputOf(command, given),
    verbose: given.has('verbose'),
    allowUnsupported: given.has('allow-unsupported'),
    worktree: given.has('worktree'),
    nonce: given.has('nonce'),
    demo: given.has('demo'),
  };
}

/** `plan` takes every option of `run`, so that one word makes one of the other. */
const ofRun = Object.keys(chainFlags) as readonly OptionName[];
export const taken: Readonly<Record<ChainCommand, readonly OptionName[]>> = {
  run: ofRun,
  plan: ofRun,
  list: ['cwd', 'file', 'output', 'json', 'verbose'],
  show: ['output', 'json', 'demo', 'verbose'],
  resume: ['output', 'json', 'demo', 'verbose', 'allow-unsupported'],
  runs: ['output', 'json', 'demo', 'verbose'],
};
const takesTarget: ReadonlySet<ChainCommand> = new Set(['run', 'plan', 'show', 'resume']);
const ofChains: ReadonlySet<ChainCommand> = new Set(['run', 'plan']);

function plain(dryRun: boolean): ChainCommand {
  return dryRun ? 'plan' : 'run';
}

function refuseOthers(command: ChainCommand, written: ChainCommand, given: Given): void {
  const allowed = taken[command === 'plan' ? 'plan' : written];
  const refused = given.names.find((name) => !allowed.includes(name));
  if (refused !== undefined) throw wrong(`\`turnout chain ${written}\` has no option --${refused}`);
}

function tooMany(written: ChainCommand | undefined, words: readonly string[]): TurnoutError {
  const [first = '', second = ''] = words;
  const lower = words.find((word) => /^[A-Za-z_]\w*=/.test(word));
  if (lower !== undefined) {
    const [name = ''] = lower.split('=', 1);
    const hint = `The name of a variable has capital letters: ${name.toUpperCase()}=…`;
    return wrong(`${JSON.stringify(lower)} is no variable`, hint);
  }
  const meant = written === undefined ? didYouMean(first, chainCommands, (near) => `"${near}"`) : '';
  if (meant !== '') return wrong(`unknown command ${JSON.stringify(first)}.${meant}`);
  return wrong(
    `one ${written === 'show' || written === 'resume' ? 'run' : 'chain'} is expected, got ${words.length}: ${JSON.stringify(first)} ${JSON.stringify(second)}`,
    'Put a chain in one line into quotes: "planner:3 -> builder:10".',
  );
}

function outputOf(command: ChainCommand, given: Given): ChainOutput {
  const runs = command === 'run' || command === 'resume';
  const formats = runs ? chainOutputs : chainOutputs.filter((format) => format !== 'stream-json');
  return outputFormat(given, formats) ?? 'text';
}

function wrong(what: string, hint?: string): TurnoutError {
  return new TurnoutError('bad_request', what, { hint: hint ?? 'See `turnout help chain`.' });
}
