import { TurnoutError } from '../core/errors.js';
import { findExecutable } from '../process/find-executable.js';
import type { AgentDefinition } from './agents/definition.js';
import type { AgentEntry, ChainEntry } from './chain-schema.js';
import { parseCondition } from './conditions.js';
import { resolveAgent } from './resolve-agent.js';
import type { ChainRequest } from './resolve-chain.js';
import { resolvePrompt } from './resolve-prompt.js';
import { markerVariable } from './run-program.js';
import type { AgentStep, Condition, ProgramStep, ResolvedStep } from './types.js';
import { checkReferences, usesOutput } from './variables.js';

export type StepEntry = NonNullable<ChainEntry['steps'][number]['parallel']>[number];

export interface StepContext {
  readonly request: ChainRequest;
  readonly chain: ChainEntry;
  /** `chains.build`, or nothing for a chain in one line. */
  readonly chainPlace: string;
  /** `chains.build.steps[2]`. */
  readonly place: string;
  readonly index: number;
  /** The names of the steps that have run by then. */
  readonly earlier: readonly string[];
  /** Throws if the agent's own entry is wrong. */
  readonly findAgent: (name: string) => Promise<AgentDefinition | undefined>;
  /** The default prompt that the chain file has for an agent, be it a program. */
  readonly defaultPrompt: (name: string) => Pick<AgentEntry, 'defaultPrompt' | 'defaultPromptFile'>;
  readonly warn: (warning: string) => void;
}

/** The most runs of a step that has `"loop": true` and no `iterations`. */
const defaultIterations = 10;

/** Looks a step up. What is wrong with it goes to `problems`, all of it; then there is no step. */
export async function resolveStep(
  step: StepEntry,
  context: StepContext,
  problems: TurnoutError[],
): Promise<ResolvedStep | undefined> {
  const { request, place, earlier, index, warn } = context;
  const before = problems.length;
  const attempt = async <T>(act: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof TurnoutError)) throw error;
      problems.push(error);
      return undefined;
    }
  };
  const known = { variables: request.variables, earlier };
  const loop = step.loop ?? step.iterations !== undefined;
  if (!loop && (step.iterations ?? 1) > 1) warn(`${place}.iterations is not used, because of "loop": false.`);
  const iterations = loop ? (step.iterations ?? defaultIterations) : 1;
  const when = await attempt(() => (step.when === undefined ? undefined : conditionOf(step.when, context)));
  await attempt(() => checkVerify(step, place));
  for (const arg of step.args ?? []) await attempt(() => checkReferences(arg, known, `${place}.args`));
  await attempt(() => refuseNul([...(step.args ?? []), step.verify ?? ''], place));
  const found = await attempt(async () => ({ agent: await context.findAgent(step.agent) }));
  if (found === undefined) return undefined;
  const agent =
    found.agent ?? (request.demo ? { name: step.agent, source: 'demo', systemPrompt: '' } : undefined);
  for (const warning of agent?.warnings ?? []) warn(warning);
  const prompt = await attempt(() => resolvePrompt(step, agent, context));
  if (prompt !== undefined) await attempt(() => checkReferences(prompt.text, known, prompt.place));
  const run = await attempt<AgentStep | ProgramStep>(() =>
    agent === undefined
      ? findProgram(step, context)
      : resolveAgent(agent, { step, context, loops: loop && iterations > 1 }),
  );
  if (problems.length > before || run === undefined) return undefined;
  if (run.type === 'agent' && (prompt === undefined || prompt.text.trim() === '')) {
    problems.push(withoutPrompt(step, place));
    return undefined;
  }
  return {
    index,
    name: step.name ?? step.agent,
    agent: step.agent,
    run,
    prompt: prompt?.text,
    iterations,
    loop,
    fresh: step.fresh ?? true,
    ...(step.verify === undefined ? {} : { verify: step.verify }),
    ...(step.retry === undefined ? {} : { retry: step.retry }),
    ...(step.budget === undefined ? {} : { budget: step.budget }),
    ...(step.silenceMinutes === undefined ? {} : { silenceMinutes: step.silenceMinutes }),
    ...(step.noProgress === undefined ? {} : { noProgress: step.noProgress }),
    ...(when === undefined ? {} : { when }),
  };
}

function withoutPrompt({ agent }: StepEntry, place: string): TurnoutError {
  return new TurnoutError('bad_request', `${place} has no prompt for the agent ${agent}.`, {
    hint: 'Give it one with --prompt, "prompt" or "promptFile" in the step or the chain, or "defaultPrompt" in the agent.',
  });
}

function refuseNul(words: readonly string[], place: string): void {
  if (words.some((word) => word.includes('\0')))
    throw new TurnoutError('bad_request', `${place}: "args" and "verify" can't contain a NUL.`);
}

function checkVerify({ verify }: StepEntry, place: string): void {
  if (verify === undefined || !usesOutput(verify)) return;
  throw new TurnoutError('bad_request', `${place}.verify uses the output of a step.`, {
    hint: 'What a model says is never put into a shell. Let the command look at the files instead.',
  });
}

function conditionOf(text: string, { place, request, earlier }: StepContext): Condition {
  const condition = parseCondition(text, `${place}.when`);
  checkReferences(condition.left, { variables: request.variables, earlier }, `${place}.when`);
  return condition;
}

/** O11: an agent without a system prompt is an executable on PATH. It is only looked for here. */
async function findProgram(
  step: StepEntry,
  { request, chain, place, warn }: StepContext,
): Promise<ProgramStep> {
  const { agent: name, args = [] } = step;
  const { PATH } = request.configFor(request.defaultBackend).env ?? process.env;
  const found = name.includes('/')
    ? undefined
    : await findExecutable(name, PATH === undefined ? {} : { PATH });
  if (found === undefined || 'problem' in found) {
    throw new TurnoutError('bad_request', `${place}.agent: there is no agent ${JSON.stringify(name)}.`, {
      hint: 'It has no system prompt in the chain file, there is no such file in .turnout/agents or .claude/agents, and no executable of that name is on PATH. `turnout agent list` shows the agents.',
    });
  }
  const [option] = (['backend', 'fresh'] as const).filter((key) => step[key] !== undefined);
  if (option !== undefined) {
    throw new TurnoutError('bad_request', `${place}.${option}: ${name} is an executable, which has none.`);
  }
  if ((request.nonce ?? chain.nonce) && (step.loop ?? step.iterations !== undefined)) {
    warn(
      `${place}: ${name} is an executable. It is done when it prints the line in its variable ${markerVariable}.`,
    );
  }
  return { type: 'program', path: found.path, args };
}
