import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { TurnoutError } from '../../core/errors.js';
import { exitCodes } from '../../core/exit-codes.js';
import type { AgentDefinition } from '../../orchestra/agents/definition.js';
import { openInterface } from '../chat/open-interface.js';
import { helpText } from '../command/help-text.js';
import { writeShown } from '../output/say.js';
import { runTurn } from '../run/run.js';
import { type OutputFormat, onePrompt, parseTurnFlags, type RunFlags } from '../run/run-options.js';
import { turnExitCodes } from '../run/run-page.js';
import { turnFlags } from '../run/turn-flags.js';
import { agentFlags } from './agent-run.js';
import { parseInstalledAgent } from './installed-agent.js';

/**
 * Runs an installed agent, which has called `turnout agent start <its own path> <its arguments>`. As with Claude, `-p` or a pipe
 * means one turn; in a terminal the CLI's own interface opens.
 */
export async function startAgent(
  [path = '', ...argv]: readonly string[],
  useOutput: (output: OutputFormat) => void,
): Promise<number> {
  const agent = parseInstalledAgent(path, read(path));
  const parsed = parseTurnFlags(argv, 'agent');
  if (parsed === 'help') {
    writeShown(process.stdout, helpOf(agent));
    return exitCodes.done;
  }
  useOutput(parsed.flags.output);
  const prompt = onePrompt(parsed.words, parsed.flags, 'agent');
  const flags = await agentFlags(agent, { ...parsed.flags, prompt });
  const inTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  if (opensInterface(flags, inTerminal)) return openInterface(flags);
  // Orchestrators wait for the words that end such a run.
  return runTurn({ ...flags, unattended: true, again: `${basename(path)} --continue` });
}

/** As with Claude: a person at a terminal who asks for no printed answer gets the interface. */
export function opensInterface(
  { print, unattended, output }: Pick<RunFlags, 'print' | 'unattended' | 'output'>,
  inTerminal: boolean,
): boolean {
  return inTerminal && !print && !unattended && output === 'text';
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new TurnoutError('bad_request', `The agent ${path} can't be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function helpOf({
  name,
  description,
  source,
  backend = 'AGENT_BACKEND, else claude',
}: AgentDefinition): string {
  return helpText({
    program: name,
    usage: ['[prompt] [options] [-- <arguments for the CLI itself>]'],
    about: `${description === undefined ? '' : `${description}\n\n`}An agent that Turnout has installed from ${source}. In a terminal without -p it opens the CLI's own interface; otherwise it runs one turn, unattended.`,
    flags: {
      ...turnFlags,
      backend: { ...turnFlags.backend, about: `the CLI to use (default: ${backend})` },
      print: { ...turnFlags.print, about: 'one turn, also in a terminal' },
    },
    examples: [
      [`${name} -p "…"`, 'one turn'],
      [name, 'in a terminal: the interface'],
    ],
    exitCodes: turnExitCodes,
  });
}
