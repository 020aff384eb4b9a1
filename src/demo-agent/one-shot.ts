import { prepareAgent, type Surroundings } from './agent.js';
import type { Options } from './arguments.js';
import { openConversation } from './open-conversation.js';
import { permitByFlags } from './permissions.js';
import { readPrompt } from './read-prompt.js';
import { takeTurn } from './take-turn.js';
import { UsageMeter } from './usage-meter.js';

/** `-p`: reads one prompt, runs one turn, returns one exit code. */
export async function runOneShot(options: Options, around: Surroundings): Promise<number> {
  const agent = await prepareAgent(options, around);
  const prompt = await readPrompt(options.prompt, around.stdin, around.signal);
  const { ending } = await takeTurn(agent, {
    prompt,
    conversation: await openConversation(agent),
    systemPrompt: agent.systemPrompt,
    snapshot: options.systemPromptSnapshot,
    model: agent.model,
    permissionMode: options.permissionMode,
    permit: permitByFlags(options),
    meter: new UsageMeter(around.price),
    signal: around.signal,
    userMessages: [],
  });
  await agent.output.end();
  // As with Claude, an interrupted turn is no failure of the program, unless it was in a tool.
  return ending.type === 'answered' || (ending.type === 'interrupted' && !ending.inTool) ? 0 : 1;
}
