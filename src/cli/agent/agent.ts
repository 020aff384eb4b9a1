import { backendNames } from '../../backends/registry.js';
import { agentPlaces } from '../../orchestra/agents/find-agents.js';
import type { CommandPage } from '../command/command-page.js';
import { printHelp } from '../command/print.js';
import { readFlags, wrongUsage } from '../command/read-flags.js';
import { unknownSubcommand } from '../command/unknown-command.js';
import { explainFailures } from '../run/run.js';
import { turnExitCodes } from '../run/run-page.js';
import { turnFlags } from '../run/turn-flags.js';
import { agentInstallFlags, agentListFlags } from './agent-flags.js';

export const page = {
  usage: [
    'agent list [--json] [--cwd <directory>]',
    'agent run <name> [prompt] [options] [-- <arguments for the CLI itself>]',
    'agent install <name> --to <directory> [--force] [--cwd <directory>]',
  ],
  about: `Agents are files: a system prompt with a backend, a model, tools. They are looked for in the working directory, in this order: ${agentPlaces.join(', ')}. Claude's agents are read as they are.`,
  subcommands: {
    list: { about: 'the agents that are here; nothing is run', takes: Object.keys(agentListFlags) },
    run: {
      about:
        "one turn with an agent. Without a prompt: stdin, else the agent's own prompt. Flags win over what the agent says",
      operand: 'agents',
      takes: Object.keys(turnFlags),
    },
    install: {
      about:
        "writes a program that is the agent: it takes these options, in a terminal without -p it opens the CLI's own interface, and otherwise it runs one turn, unattended. A file that is something else is only replaced with --force",
      operand: 'agents',
      takes: Object.keys(agentInstallFlags),
    },
  },
  flags: {
    to: agentInstallFlags.to,
    force: agentInstallFlags.force,
    ...turnFlags,
    backend: {
      ...turnFlags.backend,
      about: `${backendNames().join(', ')} (default: the agent's, else AGENT_BACKEND, else claude)`,
    },
  },
  examples: [
    ['agent list'],
    ['agent run reviewer -b codex', 'a Claude agent, with Codex'],
    ['git diff | turnout agent run reviewer -p "only the tests"'],
    ['agent install reviewer --to ~/.local/bin', 'then: reviewer -p "…"'],
  ],
  exitCodes: turnExitCodes,
} as const satisfies CommandPage;

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
    if (name === '--help' || name === '-h') return printHelp(page);
    if (name.startsWith('-')) readFlags(argv, page.flags, { command: 'agent' });
    if (name === '' || name.startsWith('-'))
      throw wrongUsage('agent', 'Which one? `turnout agent` has list, run and install.');
    if (!Object.hasOwn(subcommands, name)) throw unknownSubcommand('agent', name, subcommands);
    const run = await subcommands[name]?.();
    const ended = await run?.(rest, useOutput);
    return ended === undefined || ended === 'help' ? printHelp(page) : ended;
  });
}
