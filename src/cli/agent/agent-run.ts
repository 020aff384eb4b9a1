import { agentNamed } from '../../orchestra/agents/agent-named.js';
import { type AgentDefinition, modelFor } from '../../orchestra/agents/definition.js';
import { findAgents } from '../../orchestra/agents/find-agents.js';
import {
  keepRestrictions,
  type SetRestrictions,
  setRestrictions,
} from '../../orchestra/agents/keep-restrictions.js';
import { whyNotInstalled } from '../../runner/why-not-installed.js';
import { wrongUsage } from '../command/read-flags.js';
import { say } from '../output/say.js';
import { runTurn, turnSettings } from '../run/run.js';
import { type OutputFormat, onePrompt, parseTurnFlags, type RunFlags } from '../run/run-options.js';

/** `turnout agent run <name> [prompt]`: one turn with an agent. */
export async function runAgent(
  argv: readonly string[],
  useOutput: (output: OutputFormat) => void,
): Promise<number | 'help'> {
  const parsed = parseTurnFlags(argv, 'agent');
  if (parsed === 'help') return 'help';
  const { flags, words } = parsed;
  useOutput(flags.output);
  const [name, ...rest] = words;
  if (name === undefined)
    throw wrongUsage('agent', 'The name of an agent is missing.', 'See `turnout agent list`.');
  const prompt = onePrompt(rest, flags, 'agent');
  const { config } = await turnSettings(withBackend(flags, flags.backend));
  const found = await findAgents(config.workingDir);
  const agent = agentNamed(found, name);
  const chosen = flags.backend === undefined ? '' : ` --backend ${flags.backend}`;
  const again = `turnout agent run ${name}${chosen} --continue`;
  return runTurn({ ...(await agentFlags(agent, { ...flags, prompt })), again });
}

/**
 * The flags of a turn with an agent: what the agent says, under the flags of the command line. The backend is that of
 * `--backend`, else the agent's own, else that of the environment.
 */
export async function agentFlags(agent: AgentDefinition, flags: RunFlags): Promise<RunFlags> {
  const backend = await backendFor(agent, flags);
  for (const left of agent.warnings ?? []) warn(left);
  const { model, warning } = modelFor(agent, backend.name);
  const mcpGiven = flags.mcpConfig !== undefined || flags.mcpSources !== undefined;
  if (warning !== undefined && flags.model === undefined) warn(warning);
  // A flag is the person's own word, and wins over the setting as well.
  const { permissionMode, allowedTools } = backend.set;
  const set = {
    ...(permissionMode === undefined || flags.permissionMode !== undefined ? {} : { permissionMode }),
    ...(allowedTools === undefined || flags.allowedTools !== undefined ? {} : { allowedTools }),
  };
  const kept = keepRestrictions(agent, set, 'flag');
  for (const told of kept.warnings) warn(told);
  return {
    ...flags,
    backend: backend.chosen,
    model: flags.model ?? model,
    systemPrompt:
      flags.systemPrompt ?? (flags.systemPromptFile === undefined ? agent.systemPrompt : undefined),
    maxTurns: flags.maxTurns ?? agent.maxTurns,
    allowedTools: flags.allowedTools ?? kept.allowedTools,
    disallowedTools: flags.disallowedTools ?? agent.disallowedTools,
    permissionMode: flags.permissionMode ?? kept.permissionMode,
    mcpConfig: mcpGiven ? flags.mcpConfig : agent.mcpConfig,
    settings: flags.settings ?? agent.settings,
    defaultPrompt: agent.defaultPrompt,
  };
}

/** `chosen` is undefined if only the environment has named it: the path and the model in there are then this backend's. */
async function backendFor(
  { name: agent, backend: own, fallback }: AgentDefinition,
  flags: RunFlags,
): Promise<{ readonly name: string; readonly chosen: string | undefined; readonly set: SetRestrictions }> {
  const chosen = flags.backend ?? own;
  const { runner: name, backend, config, origins } = await turnSettings(withBackend(flags, chosen));
  const set = setRestrictions(config, origins);
  // O12: another backend takes over only where the agent names it, and nobody has chosen otherwise.
  if (flags.backend !== undefined || fallback === undefined || fallback === name)
    return { name, chosen, set };
  if ((await whyNotInstalled(name, backend)) === undefined) return { name, chosen, set };
  warn(`${name} is not installed: the agent ${agent} runs with ${fallback}, its fallback.`);
  return { name: fallback, chosen: fallback, set };
}

/** The flags of a turn that are no part of an agent. */
function withBackend({ cwd, allowUnsupported }: RunFlags, backend: string | undefined) {
  return { cwd, allowUnsupported, backend, model: undefined };
}

function warn(what: string): void {
  say(what);
}
