import { nearest } from '../../core/distance.js';
import { TurnoutError } from '../../core/errors.js';
import type { AgentDefinition } from './definition.js';
import { agentPlaces, type FoundAgents } from './find-agents.js';

/** The agent of that name. Throws if it can't be used, or if there is none, with the places that were looked at. */
export function agentNamed({ agents, broken }: FoundAgents, name: string): AgentDefinition {
  const agent = agents.get(name);
  if (agent !== undefined) return agent;
  const wrong = broken.get(name);
  if (wrong !== undefined)
    throw new TurnoutError('bad_request', `The agent ${name} can't be used:\n${wrong.problem}`);
  const names = [...agents.keys()].sort();
  const meant = nearest(name, names);
  const list = names.length === 0 ? 'There are no agents here.' : `Agents: ${names.join(', ')}.`;
  throw new TurnoutError(
    'bad_request',
    `There is no agent ${JSON.stringify(name)}.${meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`}`,
    { hint: `${list} They are looked for in ${agentPlaces.join(', ')}, in this order.` },
  );
}
