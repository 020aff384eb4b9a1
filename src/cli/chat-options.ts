import { shortBackendName } from '../config/formats.js';
import { TurnoutError } from '../core/errors.js';
import { parseRunOptions, type RunFlags } from './run-options.js';

/** The parsed command line of `turnout chat`: the flags of a turn that a conversation has a use for, and its own. */
export interface ChatFlags extends RunFlags {
  readonly native: boolean;
  readonly settings: string | undefined;
  readonly allowUnsupported: boolean;
}

export function parseChatOptions(argv: readonly string[]): ChatFlags | 'help' {
  const at = argv.indexOf('--');
  const [own, raw] = at < 0 ? [argv, []] : [argv.slice(0, at), argv.slice(at)];
  refuseSdk(own);
  const { settings, rest } = takeSettings(own);
  const flags = parseRunOptions([...rest.filter((word) => !switches.includes(word)), ...raw]);
  if (flags === 'help') return 'help';
  refuseFlagsOfRun(flags);
  return {
    ...flags,
    native: rest.includes('--native'),
    allowUnsupported: rest.includes('--allow-unsupported'),
    settings,
  };
}

const switches: readonly string[] = ['--native', '--allow-unsupported'];

function takeSettings(own: readonly string[]): {
  readonly settings: string | undefined;
  readonly rest: readonly string[];
} {
  const at = own.findIndex((word) => word === '--settings' || word.startsWith('--settings='));
  const word = own[at];
  if (word === undefined) return { settings: undefined, rest: own };
  const joined = word.startsWith('--settings=');
  const settings = joined ? word.slice('--settings='.length) : own[at + 1];
  if (settings === undefined || settings.trim() === '' || (!joined && settings.startsWith('-')))
    throw wrong('--settings expects a file');
  const rest = [...own.slice(0, at), ...own.slice(at + (joined ? 1 : 2))];
  if (takeSettings(rest).settings !== undefined) throw wrong('--settings was given twice');
  return { settings, rest };
}

/** O2: the SDK is a runner without a UI, and no backend of the registry, where its name would be an unknown one. */
function refuseSdk(own: readonly string[]): void {
  const at = own.findIndex((word) => word === '--backend' || word.startsWith('--backend='));
  const written = own[at]?.startsWith('--backend=') ? own[at].slice('--backend='.length) : own[at + 1];
  if (at < 0 || shortBackendName(written ?? '') !== 'codex-sdk') return;
  throw new TurnoutError('unsupported', 'codex-sdk has no terminal UI of its own (chat --native).', {
    hint: 'Use --backend codex, whose CLI has one.',
  });
}

function refuseFlagsOfRun(flags: RunFlags): void {
  const given = [
    flags.live ? ['--live'] : [],
    flags.output === 'text' ? [] : ['--output'],
    flags.timeoutMs === undefined ? [] : ['--timeout'],
    flags.permissionTimeoutMs === undefined ? [] : ['--permission-timeout'],
  ].flat();
  if (given.length > 0) throw wrong(`${given[0]} is an option of \`turnout run\`: a person ends this one`);
}

function wrong(what: string): TurnoutError {
  return new TurnoutError('bad_request', what, { hint: 'See `turnout help chat`.' });
}
