import { parseArgs } from 'node:util';
import { nearest } from '../core/distance.js';
import { TurnoutError } from '../core/errors.js';
import { takeVariables, type Variables } from '../orchestra/variables.js';

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

export function parseChainOptions(argv: readonly string[]): ChainFlags | 'help' {
  const { values, positionals } = parse(argv);
  if (values.help) return 'help';
  const { variables, rest } = takeVariables(positionals);
  const [first] = rest;
  const written = chainCommands.find((name) => name === first);
  const words = written === undefined ? rest : rest.slice(1);
  const command = written === 'run' && values['dry-run'] ? 'plan' : (written ?? plain(values['dry-run']));
  refuseOthers(command, written ?? 'run', values);
  const [word, ...more] = words;
  if (more.length > 0) throw tooMany(written, words);
  if (word !== undefined && values.chain !== undefined) {
    throw wrong(`--chain and ${JSON.stringify(word)} were both given`);
  }
  if (word !== undefined && !takesTarget.has(command)) {
    throw wrong(`\`turnout chain ${command}\` takes no argument, got ${JSON.stringify(word)}`);
  }
  if (variables.size > 0 && !ofChains.has(command)) {
    throw wrong(`\`turnout chain ${command}\` takes no variables, got ${[...variables.keys()].join(', ')}`);
  }
  if (values.demo && values.backend !== undefined) throw wrong('--demo and --backend were both given');
  return {
    command,
    named: written !== undefined,
    target: word ?? values.chain,
    variables,
    cwd: notBlank('--cwd', values.cwd),
    file: notBlank('--file', values.file),
    prompt: values.prompt,
    promptFile: notBlank('--prompt-file', values['prompt-file']),
    backend: notBlank('--backend', values.backend),
    model: notBlank('--model', values.model),
    output: outputOf(command, values.output, values.json ?? false),
    verbose: values.verbose ?? false,
    allowUnsupported: values['allow-unsupported'] ?? false,
    worktree: values.worktree ?? false,
    nonce: values.nonce ?? false,
    demo: values.demo ?? false,
  };
}

const options = {
  cwd: { type: 'string' },
  verbose: { type: 'boolean', short: 'v' },
  'dry-run': { type: 'boolean' },
  chain: { type: 'string' },
  prompt: { type: 'string', short: 'p' },
  'prompt-file': { type: 'string' },
  file: { type: 'string' },
  backend: { type: 'string' },
  model: { type: 'string' },
  output: { type: 'string' },
  json: { type: 'boolean' },
  'allow-unsupported': { type: 'boolean' },
  worktree: { type: 'boolean' },
  nonce: { type: 'boolean' },
  demo: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type OptionName = keyof typeof options;

/** `plan` takes every option of `run`, so that one word makes one of the other. */
const ofRun = Object.keys(options) as readonly OptionName[];
const taken: Readonly<Record<ChainCommand, readonly OptionName[]>> = {
  run: ofRun,
  plan: ofRun,
  list: ['cwd', 'file', 'output', 'json', 'verbose'],
  show: ['output', 'json', 'demo', 'verbose'],
  resume: ['output', 'json', 'demo', 'verbose'],
  runs: ['output', 'json', 'demo', 'verbose'],
};
const takesTarget: ReadonlySet<ChainCommand> = new Set(['run', 'plan', 'show', 'resume']);
const ofChains: ReadonlySet<ChainCommand> = new Set(['run', 'plan']);

function plain(dryRun: boolean | undefined): ChainCommand {
  return dryRun ? 'plan' : 'run';
}

function parse(argv: readonly string[]) {
  try {
    // A chain that begins with an arrow is a wrong chain, not an option.
    const args = argv.map((arg) => (arg.startsWith('->') ? ` ${arg}` : arg));
    return parseArgs({ args, allowPositionals: true, options });
  } catch (cause) {
    const message = (cause as Error).message.split('. To specify')[0] ?? 'wrong options';
    const [, name] = /^Unknown option '--?([^']+)'/.exec(message) ?? [];
    const near = name === undefined ? undefined : nearest(name, Object.keys(options));
    const meant = near === undefined ? '' : `. Did you mean --${near}?`;
    throw wrong(`${message}${meant}`, undefined, cause);
  }
}

function refuseOthers(
  command: ChainCommand,
  written: ChainCommand,
  values: Readonly<Record<string, unknown>>,
): void {
  const allowed = taken[command === 'plan' ? 'plan' : written];
  const refused = Object.keys(values).find((name) => !allowed.some((known) => known === name));
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
  const near = written === undefined ? nearest(first, chainCommands) : undefined;
  if (near !== undefined) return wrong(`unknown command ${JSON.stringify(first)}. Did you mean "${near}"?`);
  return wrong(
    `one ${written === 'show' || written === 'resume' ? 'run' : 'chain'} is expected, got ${words.length}: ${JSON.stringify(first)} ${JSON.stringify(second)}`,
    'Put a chain in one line into quotes: "planner:3 -> builder:10".',
  );
}

function outputOf(command: ChainCommand, raw: string | undefined, json: boolean): ChainOutput {
  const runs = command === 'run' || command === 'resume';
  const formats = runs ? chainOutputs : chainOutputs.filter((format) => format !== 'stream-json');
  const format = formats.find((known) => known === raw?.trim().toLowerCase());
  if (raw !== undefined && format === undefined) {
    throw wrong(`--output expects one of ${formats.join(', ')}, got ${JSON.stringify(raw)}`);
  }
  if (json && format !== undefined && format !== 'json')
    throw wrong(`--json and --output ${format} were both given`);
  return json ? 'json' : (format ?? 'text');
}

function notBlank(flag: string, raw: string | undefined): string | undefined {
  if (raw !== undefined && raw.trim() === '') throw wrong(`${flag} expects a value`);
  return raw;
}

function wrong(what: string, hint?: string, cause?: unknown): TurnoutError {
  return new TurnoutError('bad_request', what, { hint: hint ?? 'See `turnout help chain`.', cause });
}
