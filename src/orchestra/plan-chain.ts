import { describeSupport } from '../runner/check-options.js';
import { describeCommand } from '../runner/describe-command.js';
import { plannedCommand } from '../runner/planned-command.js';
import { settingsOwner } from '../runner/runner-names.js';
import { unattendedPrompt } from './instructions.js';
import type { ConfigFor } from './resolve-agent.js';
import type { AgentStep, ChainPlan, PlannedStep, ResolvedChain, ResolvedStep } from './types.js';
import { fillVariables } from './variables.js';

/** Says of each step how it would be run. Nothing is started, and nothing is written. */
export async function planChain(chain: ResolvedChain, configFor: ConfigFor): Promise<ChainPlan> {
  const steps = await Promise.all(chain.groups.flat().map((step) => planStep(step, chain, configFor)));
  return { chain: chain.name, steps, warnings: chain.warnings };
}

async function planStep(
  step: ResolvedStep,
  chain: ResolvedChain,
  configFor: ConfigFor,
): Promise<PlannedStep> {
  const { agent, iterations, loop, run } = step;
  if (run.type === 'program') {
    const words = [...run.args, ...(step.prompt === undefined ? [] : [step.prompt])];
    const args = words.map((word) => fillVariables(word, chain.variables));
    const command = describeCommand({ command: run.path, args, cwd: chain.cwd, env: {} });
    return { agent, backend: agent, iterations, loop, command, native: [], emulated: [], refused: [] };
  }
  return { agent, backend: run.backend, iterations, loop, ...(await planAgent(run, step, chain, configFor)) };
}

async function planAgent(
  { backend, options, live, refused = [] }: AgentStep,
  step: ResolvedStep,
  chain: ResolvedChain,
  configFor: ConfigFor,
): Promise<Pick<PlannedStep, 'command' | 'native' | 'emulated' | 'refused'>> {
  const config = configFor(settingsOwner(backend));
  const mode = live ? 'live' : 'one-shot';
  const nonce = chain.nonce ? '<nonce>' : undefined;
  const systemPrompt = unattendedPrompt(options.systemPrompt ?? '', nonce);
  const filled = (text: string) => fillVariables(text, chain.variables);
  const rawArgs = options.rawArgs?.map(filled);
  const prompt = filled(step.prompt ?? '');
  const whole = { ...options, rawArgs, systemPrompt, cwd: chain.cwd, prompt };
  const command = await plannedCommand(backend, whole, config, mode);
  return {
    command: describeCommand(command, undefined, config.env ?? process.env),
    ...(await describeSupport(backend, whole, mode)),
    refused,
  };
}
