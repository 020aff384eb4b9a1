import { backendNames } from '../../backends/registry.js';
import { checkChannel } from '../client/check-channel.js';
import type { GatewayChoice } from '../client/find-gateway.js';
import { flagsOf, gatewayFlags, readChoice } from '../client/gateway-flags.js';
import type { CommandPage, FlagTable } from '../command/command-page.js';
import { wrongUsage } from '../command/read-flags.js';
import { onePrompt, parseTurnFlags, type RunFlags } from '../run/run-options.js';
import { turnFlags } from '../run/turn-flags.js';

const { live, warm, output, json, timeout, print, unattended, ...ofRun } = turnFlags;
const { 'permission-timeout': _limit, 'output-format': _format, ...shared } = ofRun;

const ownFlags = {
  gateway: {
    type: 'text',
    value: 'channel',
    about: 'talk in a channel of the running gateway instead',
    complete: 'channels',
  },
  home: { ...gatewayFlags.home, about: `with --gateway: ${gatewayFlags.home.about}` },
  demo: { ...gatewayFlags.demo, about: `with --gateway: ${gatewayFlags.demo.about}` },
  url: { ...gatewayFlags.url, about: 'with --gateway: the address of one elsewhere, with its token' },
  native: {
    type: 'switch',
    about: "the CLI's own terminal UI in place of this one: its keys, its permissions, its exit code",
  },
} as const satisfies FlagTable;

/** The flags of a turn that a person ends, and that prints nothing. */
const flags = {
  ...shared,
  backend: {
    ...shared.backend,
    about: `${backendNames().join(', ')}, or demo (default: AGENT_BACKEND, else claude)`,
    complete: [...backendNames(), 'demo'],
  },
  'permission-mode': {
    ...shared['permission-mode'],
    about: "bypass, ask, edits, plan (default: PERMISSION_MODE, else ask; with --native the CLI's own rules)",
  },
  'dangerously-skip-permissions': { type: 'switch' },
  'allow-unsupported': { type: 'switch', about: "leave out what the CLI can't do, with a warning" },
  ...ownFlags,
  verbose: { type: 'switch', about: 'with --native: the exact command, on stderr' },
} as const satisfies FlagTable;

export const page = {
  usage: ['chat [prompt] [options]', 'chat --native [prompt] [options] [-- <arguments for the CLI itself>]'],
  about:
    'A conversation with an agent in this terminal, with a first prompt if one is given. The agent asks before it does something; /help lists the commands. In a terminal `chat` may be left out: `turnout --continue`. A prompt that begins with "-": --prompt=…',
  flags,
  examples: [
    ['chat'],
    ['chat -b codex "why does the build fail?"'],
    ['chat --continue', 'where you left off'],
    ['chat --gateway home', 'a channel of the running gateway'],
    ['chat --native -b gemini', "Gemini CLI's own UI"],
  ],
  exitCodes:
    '0 left · 2 wrong usage, or no terminal · 3 backend not available · 4 not supported by this backend · with --native those of the CLI',
} as const satisfies CommandPage;

/** The parsed command line of `turnout chat`: the flags of a turn that a conversation has a use for, and its own. */
export interface ChatFlags extends RunFlags {
  readonly native: boolean;
  /** The channel of a running gateway to talk in. */
  readonly gateway: JoinedChannel | undefined;
}

export interface JoinedChannel {
  readonly channel: string;
  readonly choice: GatewayChoice;
  /** The flags that find the same gateway, for commands that are named. */
  readonly flags: string;
}

export function parseChatOptions(argv: readonly string[]): ChatFlags | 'help' {
  const parsed = parseTurnFlags(argv, 'chat', ownFlags);
  if (parsed === 'help') return 'help';
  refuseFlagsOfRun(parsed.flags);
  const native = parsed.given.has('native');
  const { given } = parsed;
  const gateway = given.has('gateway')
    ? {
        channel: checkChannel('chat --gateway', given.text('gateway')),
        choice: readChoice('chat', given),
        flags: flagsOf(given),
      }
    : undefined;
  const [alone] = (['home', 'demo', 'url'] as const).filter((name) => given.has(name));
  if (gateway === undefined && alone !== undefined)
    throw wrongUsage('chat', `--${alone} is for --gateway <channel>, which was not given`);
  if (gateway !== undefined) refuseWithGateway(parsed.flags, native);
  if (native && parsed.flags.backend === 'demo')
    throw wrongUsage('chat', 'the demo agent has no terminal UI of its own', 'Leave out --native.');
  const prompt = onePrompt(parsed.words, parsed.flags, 'chat');
  return { ...parsed.flags, prompt, native, gateway, mayPick: true };
}

/** In a channel the gateway's settings count, and its commands change them. */
function refuseWithGateway(flags: RunFlags, native: boolean): void {
  const { backend, model, thinking, cwd, sessionId, continueLast, permissionMode, systemPrompt, mcpConfig } =
    flags;
  const given = { backend, model, thinking, cwd, resume: sessionId, 'permission-mode': permissionMode };
  const more = { 'system-prompt': systemPrompt, 'mcp-config': mcpConfig, settings: flags.settings };
  const named = Object.entries({ ...given, ...more }).find(([, value]) => value !== undefined)?.[0];
  const [first] = [named, continueLast ? 'continue' : undefined, native ? 'native' : undefined].filter(
    (name) => name !== undefined,
  );
  if (first !== undefined)
    throw wrongUsage(
      'chat',
      `--${first} and --gateway were both given: in a channel the gateway's settings count`,
    );
}

function refuseFlagsOfRun(flags: RunFlags): void {
  const [first] = [
    flags.live ? ['--live'] : [],
    flags.warm ? ['--warm'] : [],
    flags.output === 'text' ? [] : ['--output'],
    flags.timeoutMs === undefined ? [] : ['--timeout'],
    flags.permissionTimeoutMs === undefined ? [] : ['--permission-timeout'],
    flags.print ? ['--print'] : [],
    flags.unattended ? ['--unattended'] : [],
  ].flat();
  if (first !== undefined)
    throw wrongUsage('chat', `${first} is an option of \`turnout run\`: a person ends this one`);
}
