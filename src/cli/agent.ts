import { backendNames } from '../backends/registry.js';
import { exitCodes } from '../core/exit-codes.js';
import { agentPlaces } from '../orchestra/agents/find-agents.js';
import { flagsText } from './flags-text.js';
import { wrongUsage } from './read-flags.js';
import { explainFailures } from './run.js';
import { unknownCommand } from './unknown-command.js';

export const usageText = `Usage: turnout agent list [--json] [--cwd <directory>]
       turnout agent run <name> [prompt] [options] [-- <arguments for the CLI itself>]
       turnout agent install <name> --to <directory> [--force] [--cwd <directory>]

Agents are files: a system prompt with a backend, a model, tools. They are looked for in the working
directory, in this order: ${agentPlaces.slice(0, 3).join(', ')},
${agentPlaces.slice(3).join(', ')}. Claude's agents are read as they are.

  list     the agents that are here; nothing is run
  run      one turn with an agent. Without a prompt: stdin, else the agent's own prompt. Flags win
           over what the agent says
  install  writes a program that is the agent: it takes these options, in a terminal without -p it
           opens the CLI's own interface, and otherwise it runs one turn, unattended. A file that
           is something else is only replaced with --force

  --backend <name>            ${backendNames().join(', ')}
                              (default: the agent's, else AGENT_BACKEND, else the installed one)
${flagsText}
Exit codes: 0 done · 1 the agent failed · 2 wrong usage · 3 backend not available ·
4 not supported by this backend · 124 timed out · 130 interrupted
`;

type Subcommand = (
  argv: readonly string[],
  useOutput: Parameters<Parameters<typeof explainFailures>[0]>[0],
) => Promise<number | 'help'>;

const subcommands: Readonly<Record<string, () => Promise<Subcommand>>> = {
  list: async () => (await import('./agent-list.js')).listAgents,
  run: async () => (await import('./agent-run.js')).runAgent,
  install: async () => (await import('./agent-install.js')).installAgent,
};

/** `turnout agent`: agents as files and as programs. */
export async function main(argv: readonly string[]): Promise<number> {
  return explainFailures(async (useOutput) => {
    const [name = '', ...rest] = argv;
    // An installed agent starts Turnout with this word, which is no command of a person's.
    if (name === 'start') return (await import('./agent-start.js')).startAgent(rest, useOutput);
    if (name === '--help' || name === '-h') return help();
    if (name === '') throw wrongUsage('agent', 'Which one? `turnout agent` has list, run and install.');
    if (!Object.hasOwn(subcommands, name)) {
      const said = unknownCommand(name, Object.keys(subcommands));
      throw wrongUsage('agent', said.replace(' See `turnout --help`.', ''));
    }
    const run = await subcommands[name]?.();
    const ended = await run?.(rest, useOutput);
    return ended === undefined || ended === 'help' ? help() : ended;
  });
}

function help(): number {
  process.stdout.write(usageText);
  return exitCodes.done;
}
