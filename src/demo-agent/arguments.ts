/** Claude's command line, as far as the demo agent understands it. */
export interface Options {
  readonly print: boolean;
  readonly help: boolean;
  readonly version: boolean;
  readonly prompt: string;
  readonly outputFormat: OutputFormat;
  /** True if messages come as lines of JSON on stdin, any number of them. */
  readonly messageInput: boolean;
  readonly verbose: boolean;
  readonly partialMessages: boolean;
  readonly permissionMode: string;
  /** True if permissions may be skipped, now or later on. */
  readonly mayBypass: boolean;
  /** True if permissions are asked for over stdin and stdout. */
  readonly asksClient: boolean;
  readonly replaysMessages: boolean;
  /** True if a session keeps the system prompt of its first turn. */
  readonly systemPromptSnapshot: boolean;
  readonly appendSystemPrompt?: string;
  readonly appendSystemPromptFile?: string;
  readonly maxTurns: number;
  readonly model?: string;
  readonly resume?: string;
  readonly sessionId?: string;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly tools?: readonly string[];
  readonly mcpConfig: readonly string[];
}

export const outputFormats = ['text', 'json', 'stream-json'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** An error that ends the program, with its message on stderr. */
export class UsageError extends Error {}

/**
 * The kinds of options of Claude's parser: a flag takes no value, a `one` takes the next word, a `list` all
 * words up to the next option.
 */
type Kind = 'flag' | 'one' | 'list';

const kinds: Readonly<Record<string, Kind>> = {
  '--print': 'flag',
  '--help': 'flag',
  '--version': 'flag',
  '--verbose': 'flag',
  '--include-partial-messages': 'flag',
  '--dangerously-skip-permissions': 'flag',
  '--strict-mcp-config': 'flag',
  '--replay-user-messages': 'flag',
  '--output-format': 'one',
  '--input-format': 'one',
  '--system-prompt-snapshot': 'one',
  '--permission-mode': 'one',
  '--permission-prompt-tool': 'one',
  '--append-system-prompt': 'one',
  '--append-system-prompt-file': 'one',
  '--max-turns': 'one',
  '--model': 'one',
  '--effort': 'one',
  '--max-thinking-tokens': 'one',
  '--resume': 'one',
  '--session-id': 'one',
  '--settings': 'one',
  '--allowedTools': 'list',
  '--disallowedTools': 'list',
  '--tools': 'list',
  '--mcp-config': 'list',
  '--add-dir': 'list',
};

const aliases: Readonly<Record<string, string>> = {
  '-p': '--print',
  '-h': '--help',
  '-v': '--version',
  '-r': '--resume',
  '--allowed-tools': '--allowedTools',
  '--disallowed-tools': '--disallowedTools',
};

export function parseArguments(argv: readonly string[]): Options {
  const { given, words } = sortWords(argv);
  const last = (name: string) => given.get(name)?.at(-1);
  return {
    print: given.has('--print'),
    help: given.has('--help'),
    version: given.has('--version'),
    prompt: words[0] ?? '',
    outputFormat: outputFormat(last('--output-format') ?? 'text'),
    messageInput: last('--input-format') === 'stream-json',
    verbose: given.has('--verbose'),
    partialMessages: given.has('--include-partial-messages'),
    permissionMode: given.has('--dangerously-skip-permissions')
      ? 'bypassPermissions'
      : (last('--permission-mode') ?? 'default'),
    mayBypass:
      given.has('--dangerously-skip-permissions') || last('--permission-mode') === 'bypassPermissions',
    asksClient: last('--permission-prompt-tool') === 'stdio',
    replaysMessages: given.has('--replay-user-messages'),
    systemPromptSnapshot: last('--system-prompt-snapshot') !== 'off',
    maxTurns: turnLimit(last('--max-turns') ?? '0'),
    allowedTools: given.get('--allowedTools') ?? [],
    disallowedTools: given.get('--disallowedTools') ?? [],
    mcpConfig: given.get('--mcp-config') ?? [],
    ...present('tools', given.get('--tools')),
    ...present('appendSystemPrompt', last('--append-system-prompt')),
    ...present('appendSystemPromptFile', last('--append-system-prompt-file')),
    ...present('model', last('--model')),
    ...present('resume', last('--resume')),
    ...present('sessionId', last('--session-id')),
  };
}

function sortWords(argv: readonly string[]): { given: Map<string, string[]>; words: string[] } {
  const given = new Map<string, string[]>();
  const words: string[] = [];
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      words.push(...rest);
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      words.push(word);
      continue;
    }
    const [, start = word, joined] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    const name = aliases[start] ?? start;
    const kind = kinds[name];
    if (kind === undefined) throw new UsageError(`error: unknown option '${start}'`);
    const values = given.get(name) ?? [];
    given.set(name, values);
    if (kind === 'flag') continue;
    const value = joined ?? rest.shift();
    if (value === undefined) throw new UsageError(`error: option '${name} <value>' argument missing`);
    values.push(value);
    while (kind === 'list' && joined === undefined && rest[0] !== undefined && !rest[0].startsWith('-')) {
      values.push(rest.shift() ?? '');
    }
  }
  return { given, words };
}

function outputFormat(value: string): OutputFormat {
  const known = outputFormats.find((format) => format === value);
  if (known !== undefined) return known;
  const choices = outputFormats.join(', ');
  throw new UsageError(
    `error: option '--output-format <format>' argument '${value}' is invalid. Allowed choices are ${choices}.`,
  );
}

function turnLimit(value: string): number {
  if (/^\d+$/.test(value)) return Number(value);
  throw new UsageError(
    `error: option '--max-turns <turns>' argument '${value}' is invalid. It must be a number.`,
  );
}

function present<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}
