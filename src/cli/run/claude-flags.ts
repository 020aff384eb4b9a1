import { TurnoutError } from '../../core/errors.js';
import type { PermissionMode } from '../../core/permission-mode.js';

/**
 * O5: the options of Claude Code (2.1.325) that are not translated, each with what to do in its place if there is something.
 * Without a word here: behind `--` it goes to the CLI itself.
 */
const refused: Readonly<Record<string, string | undefined>> = {
  '--add-dir': undefined,
  '--agent': 'Run the agent itself: turnout agent run <name>.',
  '--agents': 'Put each agent into a file in .turnout/agents or .claude/agents.',
  '--allow-dangerously-skip-permissions': 'Use --permission-mode bypass.',
  '--autocompact': undefined,
  '--ax-screen-reader': undefined,
  '--background': 'Let the shell do it, or send the work to `turnout gateway`.',
  '--bare': undefined,
  '--betas': undefined,
  '--bg': 'Let the shell do it, or send the work to `turnout gateway`.',
  '--brief': undefined,
  '--chrome': undefined,
  '--cloud': undefined,
  '--debug': 'Set LOG_LEVEL=debug, or use --verbose.',
  '-d': 'Set LOG_LEVEL=debug, or use --verbose.',
  '--debug-file': 'Set LOG_LEVEL=debug and redirect stderr.',
  '--desktop': undefined,
  '--disable-slash-commands': undefined,
  '--environment': undefined,
  '--exclude-dynamic-system-prompt-sections': undefined,
  '--fallback-model': undefined,
  '--file': undefined,
  '--fork-session': undefined,
  '--forward-subagent-text': undefined,
  '--from-pr': undefined,
  '--ide': undefined,
  '--include-hook-events': undefined,
  '--json-schema': undefined,
  '--max-budget-usd': undefined,
  '--max-thinking-tokens': 'Use --thinking <tokens>.',
  '--name': undefined,
  '-n': undefined,
  '--no-chrome': undefined,
  '--no-session-persistence': undefined,
  '--permission-prompt-tool': 'Use --permission-mode ask, which asks in this terminal.',
  '--permission-prompts': 'Use --permission-mode dontAsk to deny what would be asked.',
  '--plugin-dir': undefined,
  '--plugin-url': undefined,
  '--prompt-suggestions': undefined,
  '--remote-control': undefined,
  '--remote-control-session-name-prefix': undefined,
  '--replay-user-messages': undefined,
  '--restricted': undefined,
  '--safe-mode': undefined,
  '--session-id':
    'The CLI chooses the id of a new session: --output json tells it, --resume goes on with it.',
  '--setting-sources': undefined,
  '--strict-mcp-config': undefined,
  '--system-prompt-snapshot': undefined,
  '--teleport': undefined,
  '--tmux': undefined,
  '--tools': 'Use --allowed-tools: only these tools are there then.',
  '--worktree': undefined,
  '-w': undefined,
};

/** The error for an option of Claude Code that has no meaning here; undefined for any other word. */
export function refuseClaudeFlag(flag: string): TurnoutError | undefined {
  if (!Object.hasOwn(refused, flag)) return undefined;
  return new TurnoutError(
    'unsupported',
    `${flag} is an option of Claude Code that Turnout does not translate.`,
    {
      hint:
        refused[flag] ?? `With the backend claude it can be passed on as it is, behind --: … -- ${flag} …`,
    },
  );
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
