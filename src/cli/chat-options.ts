import type { CommandPage, FlagTable } from './command-page.js';
import { wrongUsage } from './read-flags.js';
import { onePrompt, parseTurnFlags, type RunFlags } from './run-options.js';
import { turnFlags } from './turn-flags.js';

const { live, output, json, timeout, print, unattended, ...ofRun } = turnFlags;
const { 'permission-timeout': _limit, 'output-format': _format, ...shared } = ofRun;

/** The flags of a turn that a person ends, and that prints nothing. */
const flags = {
  native: { type: 'switch', about: "the CLI's own UI (the only chat so far)" },
  ...shared,
  'permission-mode': {
    ...shared['permission-mode'],
    about: "bypass, ask, edits, plan (default: the CLI's own)",
  },
  'dangerously-skip-permissions': { type: 'switch' },
  'allow-unsupported': { type: 'switch', about: "leave out what the CLI's UI can't do, with a warning" },
  verbose: { type: 'switch', about: 'the exact command, on stderr' },
} as const satisfies FlagTable;

export const page = {
  usage: ['chat --native [prompt] [options] [-- <arguments for the CLI itself>]'],
  about:
    'The CLI\'s own terminal UI, with a first prompt if one is given. Keys, signals and the size of the window are the UI\'s, and so is the exit code. Permissions are as the CLI has them by default: you are there to be asked. A prompt that begins with "-": --prompt=…',
  flags,
  examples: [
    ['chat --native', "the default CLI's own UI"],
    ['chat --native -b gemini "what does this do?"'],
    ['chat --native --continue', 'where you left off'],
  ],
  exitCodes:
    'those of the CLI · before it has started: 2 wrong usage, or no terminal · 3 backend not available · 4 not supported by this backend',
} as const satisfies CommandPage;

/** The parsed command line of `turnout chat`: the flags of a turn that a conversation has a use for, and its own. */
export interface ChatFlags extends RunFlags {
  readonly native: boolean;
}

export function parseChatOptions(argv: readonly string[]): ChatFlags | 'help' {
  const at = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const own = argv.slice(0, at);
  const turn = [...own.filter((word) => word !== '--native'), ...argv.slice(at)];
  const parsed = parseTurnFlags(turn, 'chat');
  if (parsed === 'help') return 'help';
  refuseFlagsOfRun(parsed.flags);
  const prompt = onePrompt(parsed.words, parsed.flags, 'chat');
  return { ...parsed.flags, prompt, native: own.includes('--native') };
}

function refuseFlagsOfRun(flags: RunFlags): void {
  const [first] = [
    flags.live ? ['--live'] : [],
    flags.output === 'text' ? [] : ['--output'],
    flags.timeoutMs === undefined ? [] : ['--timeout'],
    flags.permissionTimeoutMs === undefined ? [] : ['--permission-timeout'],
    flags.print ? ['--print'] : [],
    flags.unattended ? ['--unattended'] : [],
  ].flat();
  if (first !== undefined)
    throw wrongUsage('chat', `${first} is an option of \`turnout run\`: a person ends this one`);
}
