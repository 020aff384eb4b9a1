import { TurnoutError } from '../../core/errors.js';
import type { PermissionMode } from '../../core/permission-mode.js';
import type { RunnerName } from '../../runner/types.js';
import type { Flag } from '../command/command-page.js';
import type { TypedFlag } from '../command/read-flags.js';

interface ClaudeFlag extends Flag {
  /** What to do with another backend. */
  readonly instead?: string;
}

const one = { type: 'text' } as const;
const perhaps = { type: 'optional' } as const;
const bare = { type: 'switch' } as const;
/** Like Claude's own parser: every word up to the next option. */
const words = { type: 'list', takesMore: () => true } as const;

const loud = 'Set LOG_LEVEL=debug, or use --verbose.';

/**
 * O5: the options of Claude Code (2.1.325) that only it has. With the backend claude they are passed on as they were typed, with
 * any other they are refused by name. Those that Turnout has itself are in `turnFlags`.
 */
export const claudeFlags = {
  'add-dir': words,
  agent: { ...one, instead: 'Run the agent itself: turnout agent run <name>.' },
  agents: { ...one, instead: 'Put each agent into a file in .turnout/agents or .claude/agents.' },
  'allow-dangerously-skip-permissions': { ...bare, instead: 'Use --permission-mode bypass.' },
  autocompact: one,
  'ax-screen-reader': bare,
  bare,
  betas: words,
  brief: bare,
  chrome: bare,
  debug: { ...perhaps, short: 'd', instead: loud },
  'debug-file': { ...one, instead: 'Set LOG_LEVEL=debug and redirect stderr.' },
  'disable-slash-commands': bare,
  'exclude-dynamic-system-prompt-sections': bare,
  'fallback-model': one,
  file: words,
  'fork-session': bare,
  'forward-subagent-text': bare,
  'from-pr': perhaps,
  ide: bare,
  'include-hook-events': bare,
  'json-schema': one,
  'max-budget-usd': one,
  'max-thinking-tokens': { ...one, instead: 'Use --thinking.' },
  name: { ...one, short: 'n' },
  'no-chrome': bare,
  'no-session-persistence': bare,
  'permission-prompt-tool': {
    ...one,
    instead: 'Use --permission-mode ask, which asks in this terminal.',
  },
  'permission-prompts': { ...one, instead: 'Use --permission-mode dontAsk to deny what would be asked.' },
  'plugin-dir': { type: 'list' },
  'plugin-url': { type: 'list' },
  'prompt-suggestions': perhaps,
  'replay-user-messages': bare,
  restricted: bare,
  'safe-mode': bare,
  'session-id': {
    ...one,
    instead: 'The CLI chooses the id of a new session: --output json tells it, --resume goes on with it.',
  },
  'setting-sources': one,
  'strict-mcp-config': bare,
  'system-prompt-snapshot': one,
  tools: {
    type: 'list',
    takesMore: () => true,
    instead: 'Use --allowed-tools: only these tools are there then.',
  },
  worktree: { ...perhaps, short: 'w' },
} as const satisfies Readonly<Record<string, ClaudeFlag>>;

/** True for the name of one of them. */
export function isClaudeFlag({ name }: TypedFlag): boolean {
  return Object.hasOwn(claudeFlags, name);
}

/**
 * The arguments for the CLI that Claude's own flags and the words behind `--` make. With another backend than Claude the first of
 * the flags is refused, or each is left out with a warning.
 */
export function claudeArguments(
  runner: RunnerName,
  {
    claudeFlags: typed,
    rawArgs,
  }: { readonly claudeFlags: readonly TypedFlag[]; readonly rawArgs: readonly string[] },
  allowUnsupported: boolean,
): { readonly rawArgs: readonly string[]; readonly warnings: readonly string[] } {
  if (runner === 'claude')
    return { rawArgs: [...typed.flatMap((flag) => flag.words), ...rawArgs], warnings: [] };
  const refused = typed.map(({ name, words: [written = ''] }) => {
    const { instead }: ClaudeFlag = claudeFlags[name as keyof typeof claudeFlags];
    const flag = written.replace(/=.*$/s, '');
    return { what: `${flag} is an option of Claude Code that ${runner} does not have`, instead };
  });
  const [first] = refused;
  if (first === undefined || allowUnsupported)
    return { rawArgs, warnings: refused.map(({ what }) => `${what}: it is left out.`) };
  throw new TurnoutError('unsupported', `${first.what}.`, {
    hint: first.instead ?? 'Use --backend claude. To run without it: --allow-unsupported.',
  });
}

const elsewhere = 'It makes something else of the turn: start Claude itself for it.';
const background = 'Let the shell do it, or send the work to `turnout gateway`.';

/** Options of Claude Code with which it does not run the turn and print its answer. */
const refused: Readonly<Record<string, string>> = {
  '--background': background,
  '--bg': background,
  '--cloud': elsewhere,
  '--desktop': elsewhere,
  '--environment': elsewhere,
  '--remote-control': elsewhere,
  '--remote-control-session-name-prefix': elsewhere,
  '--teleport': elsewhere,
  '--tmux': elsewhere,
};

/** The error for an option of Claude Code that can't be a part of a turn; undefined for any other word. */
export function refuseClaudeFlag(flag: string): TurnoutError | undefined {
  if (!Object.hasOwn(refused, flag)) return undefined;
  return new TurnoutError('unsupported', `${flag} of Claude Code can't be an option of a turn.`, {
    hint: refused[flag],
  });
}

/** Claude's permission modes and ours. `dontAsk` is `ask` with a no to every question. */
export const claudeModes: Readonly<Record<string, PermissionMode>> = {
  acceptedits: 'edits',
  bypasspermissions: 'bypass',
  default: 'ask',
  manual: 'ask',
  dontask: 'ask',
};

/** A model decides there what may run, and only Claude Code has that. */
export const untranslatedModes: readonly string[] = ['auto'];
