import { trustedHome } from '../../config/home-directory.js';
import { hasColours } from '../../core/colours.js';
import { TurnoutError } from '../../core/errors.js';
import { exitCodes } from '../../core/exit-codes.js';
import { Sessions } from '../../sessions/sessions.js';
import { chooseGateway } from '../client/find-gateway.js';
import { GatewayClient } from '../client/gateway-client.js';
import { demoBackend } from '../demo/demo-backend.js';
import { signInCommand } from '../doctor/sign-in.js';
import { NoneInstalled } from '../first-run/installed-backend.js';
import { wantsDemo } from '../first-run/offer-demo.js';
import { sessionChosen } from '../run/run.js';
import type { ChatFlags, JoinedChannel } from './chat-options.js';
import { GatewayConversation } from './gateway-conversation.js';
import { LocalConversation } from './local-conversation.js';
import { type PreparedAgent, prepareAgent, type Wanted } from './open-agent.js';
import { runChat } from './run-chat.js';
import { shortPath } from './short-path.js';
import type { ChatScreen } from './terminal/chat-screen.js';
import { ChatTerminal } from './terminal/chat-terminal.js';
import { PlainTerminal } from './terminal/plain-terminal.js';
import { type Line, span } from './text/styled-line.js';

/** A conversation in this terminal, with an agent of its own; with the demo where no CLI is installed, if the person wants it. */
export async function startChat(flags: ChatFlags): Promise<number> {
  requireTerminal();
  try {
    return await talk(flags);
  } catch (error) {
    if (!(error instanceof NoneInstalled)) throw error;
    return (await wantsDemo(error)) ? talk({ ...flags, backend: demoBackend }) : exitCodes.unavailable;
  }
}

async function talk(flags: ChatFlags): Promise<number> {
  const sessions = new Sessions();
  const prepare = (wanted: Wanted) => prepareAgent(flags, wanted, sessions);
  const { options, ...settings } = await sessionChosen(flags, 'chat');
  const { backend, model, sessionId, continueLast, thinking } = options;
  const wanted: Wanted = { backend, model, sessionId, continueLast, thinking };
  const first = await prepareAgent(flags, wanted, sessions, settings);
  const isAgents = process.env['TURNOUT_OWNER'] !== undefined;
  const conversation = new LocalConversation({ sessions, first, wanted, isAgents, prepare });
  return runChat({
    conversation,
    screen: screenOf(process.env),
    home: first.home,
    firstPrompt: flags.prompt,
    title: [...titleLines(first.backend, first.cwd), ...(await accountLines(first))],
  });
}

/** Files and variables tell it, while the CLI starts: the first answer would be its refusal. */
async function accountLines({ backend, adapter }: PreparedAgent): Promise<readonly Line[]> {
  const account = await adapter.credentials?.().catch(() => undefined);
  if (account?.signedIn !== 'no') return [];
  return [[span(`${backend} is not signed in: ${signInCommand(backend) ?? 'it has no account'}`, 'dim')]];
}

/** A conversation in a channel of the running gateway. */
export async function joinChannel(joined: JoinedChannel, firstPrompt: string | undefined): Promise<number> {
  requireTerminal();
  const { channel } = joined;
  const { locate, home } = chooseGateway(joined.choice, process.env);
  const client = new GatewayClient(locate);
  const view = await client.channel(channel);
  return runChat({
    conversation: new GatewayConversation(client, view, joined.flags),
    screen: screenOf(process.env),
    home: home ?? trustedHome(process.env),
    firstPrompt,
    title: titleLines(`channel ${channel}`, view.cwd),
  });
}

/** Keys and frames need a terminal on both sides. */
export function requireTerminal(): void {
  const { stdin, stdout } = process;
  const missing = Object.entries({ stdin, stdout }).flatMap(([name, { isTTY }]) => (isTTY ? [] : [name]));
  if (missing.length === 0) return;
  const which = `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'}`;
  throw new TurnoutError('bad_request', `A chat needs a terminal: ${which} not a terminal.`, {
    hint: 'Use `turnout run` for a turn in a script or a pipe.',
  });
}

export function screenOf(env: Readonly<Record<string, string | undefined>>): ChatScreen {
  if (env['TERM'] === 'dumb') return new PlainTerminal(process.stdin, process.stdout);
  return new ChatTerminal(process.stdin, process.stdout, hasColours(process.stdout, env));
}

export function titleLines(backend: string, place: string): readonly Line[] {
  return [
    [span('Turnout', 'bold'), span(` · ${backend} · ${shortPath(place)}`, 'dim')],
    [span('/help lists the commands, Ctrl-C stops a turn, Ctrl-D leaves', 'dim')],
  ];
}
