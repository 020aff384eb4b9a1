import type { TurnOptions } from '../../backends/types.js';
import { TurnoutError } from '../../core/errors.js';
import { type PermissionMode, permissionModes } from '../../core/permission-mode.js';
import { splitTools } from '../../core/split-tools.js';
import { parseThinking, type Thinking, thinkingExpected } from '../../core/thinking.js';
import { readRunnerName } from '../../runner/runner-names.js';
import type { FlagTable } from '../command/command-page.js';
import { milliseconds, notBlank, oneOf, positive, wrong } from '../command/flag-values.js';
import { outputFormat } from '../command/json-flags.js';
import { type GivenFlags, readFlags, type TypedFlag, wrongUsage } from '../command/read-flags.js';
import {
  claudeFlags,
  claudeModes,
  isClaudeFlag,
  refuseClaudeFlag,
  untranslatedModes,
} from './claude-flags.js';
import { isJsonText, outputFormats, turnFlags } from './turn-flags.js';

/** `claude-json`: one object that has Claude's names as well as ours. */
export type OutputFormat = (typeof outputFormats)[number] | 'claude-json';

/** The parsed flags of a turn. Paths are as they were typed. */
export interface RunFlags extends TurnOptions {
  readonly prompt: string | undefined;
  /** The prompt if neither the command line nor stdin has one. */
  readonly defaultPrompt?: string | undefined;
  readonly backend: string | undefined;
  /** Where Claude is not installed and nobody has chosen a backend, a person at a terminal gets the CLI that is. Agents don't. */
  readonly mayPick?: boolean;
  readonly live: boolean;
  /** The turn is handed to the resident host, if it can be. */
  readonly warm: boolean;
  readonly systemPromptFile: string | undefined;
  /** Added behind the system prompt. */
  readonly appendSystemPrompt: string | undefined;
  readonly appendSystemPromptFile: string | undefined;
  /** All of `--mcp-config`, files and JSON text, unless it is one file: that is `mcpConfig`. */
  readonly mcpSources: readonly string[] | undefined;
  /** A file, or JSON text. */
  readonly settings: string | undefined;
  /** True for `dontAsk`: every question is answered with no. */
  readonly denyQuestions: boolean;
  readonly permissionTimeoutMs: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly output: OutputFormat;
  readonly verbose: boolean;
  /** Options that the backend can't honour are left out with a warning. */
  readonly allowUnsupported: boolean;
  /** `-p`: one turn, also in a terminal. Only an installed agent does anything else without it. */
  readonly print: boolean;
  /** The agent is told that nobody answers its questions, and how to say that it has finished. */
  readonly unattended: boolean;
  readonly rawArgs: readonly string[];
  /** Flags that only Claude Code has, as they were typed. */
  readonly claudeFlags: readonly TypedFlag[];
  /** The command that goes on with the session, if it is another one than `turnout run --continue`. */
  readonly again?: string | undefined;
}

type Given = Omit<GivenFlags<keyof typeof turnFlags>, 'names'>;

export function parseRunOptions(argv: readonly string[]): RunFlags | 'help' {
  const parsed = parseTurnFlags(argv, 'run');
  return parsed === 'help'
    ? 'help'
    : { ...parsed.flags, prompt: onePrompt(parsed.words, parsed.flags, 'run'), mayPick: true };
}

export interface TurnFlags<Own extends string> {
  /** Without the prompt, unless `--prompt` gives it. */
  readonly flags: RunFlags;
  /** The words that belong to no flag. */
  readonly words: readonly string[];
  /** Also the flags of the command's own. */
  readonly given: GivenFlags<keyof typeof turnFlags | Own>;
}

/** Reads the flags of a command that runs turns, and `own` ones; `command` is its name for hints. */
export function parseTurnFlags<const T extends FlagTable = Record<never, never>>(
  argv: readonly string[],
  command: string,
  own?: T,
): TurnFlags<keyof T & string> | 'help' {
  const given: GivenFlags<keyof typeof turnFlags | (keyof T & string)> = readFlags(
    argv,
    { ...claudeFlags, ...turnFlags, ...own },
    { command, refuse: refuseClaudeFlag },
  );
  if (given.has('help')) return 'help';
  try {
    return { flags: flagsFrom(given), words: given.positionals, given };
  } catch (error) {
    if (!(error instanceof TurnoutError) || error.hint !== undefined) throw error;
    throw new TurnoutError(error.code, error.message, { hint: `See \`turnout help ${command}\`.` });
  }
}

/** The prompt among the words of a command line, which has one at most. */
export function onePrompt(
  words: readonly string[],
  { prompt, allowedTools, disallowedTools }: Pick<RunFlags, 'prompt' | 'allowedTools' | 'disallowedTools'>,
  command: string,
): string | undefined {
  if (words.length > 1) {
    throw wrongUsage(
      command,
      `one prompt is expected, got ${words.length}: ${words.map((word) => JSON.stringify(word)).join(' ')}`,
      (allowedTools ?? disallowedTools) === undefined
        ? 'Put the prompt in quotes.'
        : 'Put the prompt in quotes. Several tools are one word: --allowed-tools "Read Edit".',
    );
  }
  if (words.length === 1 && prompt !== undefined)
    throw wrongUsage(command, '--prompt and a prompt argument were both given');
  return prompt ?? words[0];
}

function flagsFrom(given: Given): RunFlags {
  refuseBoth(given, 'system-prompt', 'system-prompt-file');
  refuseBoth(given, 'append-system-prompt', 'append-system-prompt-file');
  refuseBoth(given, 'resume', 'continue');
  const mcp = given.all('mcp-config')?.map((source) => notBlank('--mcp-config', source) ?? '');
  const oneFile = mcp?.length === 1 && !isJsonText(mcp[0] ?? '');
  checkInputFormat(given.text('input-format'));
  return {
    prompt: given.text('prompt'),
    backend: backendNamed(given.text('backend')),
    live: given.has('live'),
    warm: given.has('warm'),
    model: notBlank('--model', given.text('model')),
    thinking: thinking(given.text('thinking')),
    cwd: notBlank('--cwd', given.text('cwd')),
    systemPrompt: given.text('system-prompt'),
    systemPromptFile: given.text('system-prompt-file'),
    appendSystemPrompt: given.text('append-system-prompt'),
    appendSystemPromptFile: given.text('append-system-prompt-file'),
    sessionId: sessionId(given.text('resume')),
    continueLast: given.has('continue'),
    maxTurns: positive('--max-turns', given.text('max-turns'), true),
    allowedTools: tools('--allowed-tools', given.all('allowed-tools')),
    disallowedTools: tools('--disallowed-tools', given.all('disallowed-tools')),
    mcpConfig: oneFile ? mcp[0] : undefined,
    mcpSources: oneFile ? undefined : mcp,
    settings: notBlank('--settings', given.text('settings')),
    permissionMode: permissionMode(given),
    denyQuestions: given.text('permission-mode')?.trim().toLowerCase() === 'dontask',
    permissionTimeoutMs: milliseconds(
      positive('--permission-timeout', given.text('permission-timeout'), false),
    ),
    timeoutMs: milliseconds(positive('--timeout', given.text('timeout'), false)),
    output: output(given),
    verbose: given.has('verbose'),
    print: given.has('print'),
    unattended: given.has('unattended'),
    allowUnsupported: given.has('allow-unsupported'),
    rawArgs: given.rawArgs,
    claudeFlags: given.typed.filter(isClaudeFlag),
  };
}

function refuseBoth(given: Given, one: keyof typeof turnFlags, other: keyof typeof turnFlags): void {
  if (given.has(one) && given.has(other)) throw wrong(`--${one} and --${other} were both given`);
}

function permissionMode(given: Given): PermissionMode | undefined {
  const raw = given.text('permission-mode');
  const skip = given.has('dangerously-skip-permissions');
  if (raw === undefined) return skip ? 'bypass' : undefined;
  const written = raw.trim().toLowerCase();
  if (untranslatedModes.includes(written)) {
    throw new TurnoutError('unsupported', `--permission-mode ${written} is a mode of Claude Code alone.`, {
      hint: `Use one of ${permissionModes.join(', ')}.`,
    });
  }
  const mode = Object.hasOwn(claudeModes, written)
    ? claudeModes[written]
    : oneOf(
        '--permission-mode',
        raw,
        permissionModes,
        "Claude's names are understood too: acceptEdits, plan, bypassPermissions, default, dontAsk.",
      );
  if (skip && mode !== 'bypass')
    throw wrong(`--dangerously-skip-permissions and --permission-mode ${raw.trim()} contradict each other`);
  return mode;
}

/** Claude's spelling of the flag asks for Claude's names in the object; a stream is one of our events in both. */
function output(given: Given): OutputFormat {
  const ours = outputFormat(given, outputFormats);
  const claudes = oneOf('--output-format', given.text('output-format'), outputFormats);
  if (ours !== undefined && claudes !== undefined && ours !== claudes)
    throw wrong(`--output ${ours} and --output-format ${claudes} were both given`);
  return claudes === 'json' ? 'claude-json' : (claudes ?? ours ?? 'text');
}

function checkInputFormat(raw: string | undefined): void {
  if (oneOf('--input-format', raw, ['text', 'stream-json'] as const) !== 'stream-json') return;
  throw new TurnoutError(
    'unsupported',
    '--input-format stream-json is not translated: one run is one turn.',
    {
      hint: 'Give the prompt as text. For many turns in one process use the library (Sessions) or `turnout gateway`.',
    },
  );
}

function tools(flag: string, values: readonly string[] | undefined): readonly string[] | undefined {
  if (values === undefined) return undefined;
  const found = values.flatMap((value) => {
    const split = splitTools(value);
    if (split === undefined) throw wrong(`${flag}: a bracket is not closed in ${JSON.stringify(value)}`);
    return split;
  });
  if (found.length === 0) throw wrong(`${flag} expects the names of tools`);
  return found;
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
