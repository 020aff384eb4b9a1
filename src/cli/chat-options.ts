import { wrongUsage } from './read-flags.js';
import { onePrompt, parseTurnFlags, type RunFlags } from './run-options.js';

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
