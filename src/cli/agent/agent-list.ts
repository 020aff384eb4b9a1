import { oneLine } from '../../core/text.js';
import { findAgents } from '../../orchestra/agents/find-agents.js';
import { wantsJson } from '../command/json-flags.js';
import { finishOutput } from '../command/print.js';
import { readFlags, wrongUsage } from '../command/read-flags.js';
import { table } from '../output/table.js';
import { Terminal } from '../output/terminal.js';
import { agentListFlags } from './agent-flags.js';
import { agentPlace } from './agent-place.js';

/** `turnout agent list`. Files are read, and nothing that they name is run. */
export async function listAgents(argv: readonly string[]): Promise<number | 'help'> {
  const given = readFlags(argv, agentListFlags, { command: 'agent' });
  if (given.has('help')) return 'help';
  if (given.positionals.length > 0)
    throw wrongUsage('agent', `no argument is expected, got ${JSON.stringify(given.positionals[0])}`);
  const place = await agentPlace(given.text('cwd'));
  const { agents, broken, warnings } = await findAgents(place);
  const terminal = new Terminal(process.stdout, process.stderr);
  const sorted = [...agents.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  if (wantsJson(given)) {
    const shown = sorted.map(({ systemPrompt: _, ...agent }) => agent);
    const report = { agents: shown, broken: [...broken.values()], warnings };
    await terminal.write(`${JSON.stringify(report, null, 2)}\n`);
    return finishOutput(terminal);
  }
  const told = [...warnings, ...sorted.flatMap((agent) => agent.warnings ?? [])];
  for (const warning of told) terminal.say(warning);
  for (const { name, problem } of broken.values())
    terminal.say(`The agent ${name} can't be used:\n${problem}`);
  const rows = sorted.map(({ name, backend = '-', model = '-', source, description = '' }) =>
    [name, backend, model, source, oneLine(description, 60)].map((cell) => oneLine(cell)),
  );
  await terminal.write(
    rows.length === 0
      ? 'No agents.\n'
      : table(
          [['NAME', 'BACKEND', 'MODEL', 'FILE', 'DESCRIPTION'], ...rows],
          ['left', 'left', 'left', 'left', 'left'],
        ),
  );
  return finishOutput(terminal);
}
