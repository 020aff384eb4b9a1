import { parseArgs } from 'node:util';
import type { TurnOptions } from '../backends/types.js';
import { TurnoutError } from '../core/errors.js';
import { permissionModes } from '../core/permission-mode.js';
import { parseThinking, type Thinking, thinkingExpected } from '../core/thinking.js';
import { readRunnerName } from '../runner/runner-names.js';

export const outputFormats = ['text', 'json', 'stream-json'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** The parsed command line of `turnout run`. `mcpConfig` and `cwd` are as they were typed. */
export interface RunFlags extends TurnOptions {
  readonly prompt: string | undefined;
  readonly backend: string | undefined;
  readonly live: boolean;
  readonly systemPromptFile: string | undefined;
  readonly permissionTimeoutMs: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly output: OutputFormat;
  readonly verbose: boolean;
  /** Options that the backend can't honour are left out with a warning. */
  readonly allowUnsupported: boolean;
  readonly rawArgs: readonly string[];
}

export function parseRunOptions(argv: readonly string[]): RunFlags | 'help' {
  const { own, rawArgs } = splitRaw(argv);
  const { values, positionals } = parse(own);
  if (values.help) return 'help';
  if (positionals.length > 1) {
    throw wrong(
      `one prompt is expected, got ${positionals.length}: ${positionals.map((word) => JSON.stringify(word)).join(' ')}`,
      'Put the prompt in quotes.',
    );
  }
  if (positionals.length === 1 && values.prompt !== undefined)
    throw wrong('--prompt and a prompt argument were both given');
  if (values['system-prompt'] !== undefined && values['system-prompt-file'] !== undefined) {
    throw wrong('--system-prompt and --system-prompt-file were both given');
  }
  if (values.resume !== undefined && values.continue) throw wrong('--resume and --continue were both given');
  return {
    prompt: values.prompt ?? positionals[0],
    backend: backendNamed(values.backend),
    live: values.live ?? false,
    model: notBlank('--model', values.model),
    thinking: thinking(values.thinking),
    cwd: notBlank('--cwd', values.cwd),
    systemPrompt: values['system-prompt'],
    systemPromptFile: values['system-prompt-file'],
    sessionId: sessionId(values.resume),
    continueLast: values.continue ?? false,
    maxTurns: positive('--max-turns', values['max-turns'], true),
    allowedTools: list('--allowed-tools', values['allowed-tools']),
    disallowedTools: list('--disallowed-tools', values['disallowed-tools']),
    mcpConfig: values['mcp-config'],
    permissionMode: oneOf('--permission-mode', values['permission-mode'], permissionModes),
    permissionTimeoutMs: milliseconds(positive('--permission-timeout', values['permission-timeout'], false)),
    timeoutMs: milliseconds(positive('--timeout', values.timeout, false)),
    output: oneOf('--output', values.output, outputFormats) ?? 'text',
    verbose: values.verbose ?? false,
    allowUnsupported: values['allow-unsupported'] ?? false,
    rawArgs,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        backend: { type: 'string' },
        live: { type: 'boolean' },
        model: { type: 'string' },
        thinking: { type: 'string' },
        cwd: { type: 'string' },
        'system-prompt': { type: 'string' },
        'system-prompt-file': { type: 'string' },
        resume: { type: 'string' },
        continue: { type: 'boolean' },
        'max-turns': { type: 'string' },
        'allowed-tools': { type: 'string', multiple: true },
        'disallowed-tools': { type: 'string', multiple: true },
        'mcp-config': { type: 'string' },
        'permission-mode': { type: 'string' },
        'permission-timeout': { type: 'string' },
        timeout: { type: 'string' },
        output: { type: 'string' },
        prompt: { type: 'string' },
        verbose: { type: 'boolean' },
        'allow-unsupported': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw wrong((error as Error).message.split('. To specify')[0] ?? 'wrong options', undefined, error);
  }
}

/** Splits at the first `--`: everything behind it is for the CLI itself. */
function splitRaw(argv: readonly string[]): { own: readonly string[]; rawArgs: readonly string[] } {
  const at = argv.indexOf('--');
  return at < 0 ? { own: argv, rawArgs: [] } : { own: argv.slice(0, at), rawArgs: argv.slice(at + 1) };
}

function list(flag: string, values: readonly string[] | undefined): readonly string[] | undefined {
  if (values === undefined) return undefined;
  const tools = values
    .flatMap((value) => value.split(','))
    .map((tool) => tool.trim())
    .filter((tool) => tool !== '');
  if (tools.length === 0) throw wrong(`${flag} expects the names of tools`);
  return tools;
}

function backendNamed(raw: string | undefined): string | undefined {
  return raw === undefined ? undefined : readRunnerName(raw, '--backend');
}

function sessionId(raw: string | undefined): string | undefined {
  if (raw?.startsWith('-')) throw wrong(`--resume expects a session id, got ${JSON.stringify(raw)}`);
  return notBlank('--resume', raw);
}

function thinking(raw: string | undefined): Thinking | undefined {
  if (raw === undefined) return undefined;
  const value = parseThinking(raw);
  if (value === undefined) throw wrong(`--thinking: ${thinkingExpected}, got ${JSON.stringify(raw)}`);
  return value;
}

function positive(flag: string, raw: string | undefined, whole: boolean): number | undefined {
  if (raw === undefined) return undefined;
  const value = Number(raw);
  if (raw.trim() !== '' && value > 0 && Number.isFinite(value) && (!whole || Number.isInteger(value)))
    return value;
  throw wrong(`${flag} expects a ${whole ? 'whole ' : ''}number above 0, got ${JSON.stringify(raw)}`);
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.max(1, Math.round(seconds * 1000));
}

function oneOf<T extends string>(
  flag: string,
  raw: string | undefined,
  choices: readonly T[],
): T | undefined {
  if (raw === undefined) return undefined;
  const choice = choices.find((known) => known === raw.trim().toLowerCase());
  if (choice !== undefined) return choice;
  throw wrong(`${flag} expects one of ${choices.join(', ')}, got ${JSON.stringify(raw)}`);
}

function notBlank(flag: string, raw: string | undefined): string | undefined {
  if (raw !== undefined && raw.trim() === '') throw wrong(`${flag} expects a value`);
  return raw;
}

function wrong(what: string, hint?: string, cause?: unknown): TurnoutError {
  return new TurnoutError('bad_request', what, { hint: hint ?? 'See `turnout help run`.', cause });
}
