import { type AnyBackendName, createBackend } from '../backends/registry.js';
import type { BackendAdapterConfig } from '../backends/types.js';
import { isModelName, modelNameExpected } from '../config/formats.js';
import { TurnoutError } from '../core/errors.js';
import { checkOptions, describeSupport } from '../runner/check-options.js';
import { modelBelongsTo } from '../runner/model-owner.js';
import { codexSdk, findRunnerName, readRunnerName, settingsOwner } from '../runner/runner-names.js';
import type { RunnerName, RunnerOptions } from '../runner/types.js';
import { whyNotInstalled } from '../runner/why-not-installed.js';
import type { AgentDefinition } from './agents/definition.js';
import { keepRestrictions } from './agents/keep-restrictions.js';
import { unattendedPrompt } from './instructions.js';
import type { StepContext, StepEntry } from './resolve-step.js';
import type { AgentStep } from './types.js';

/** The settings for a backend; the path and the model of one never reach another. */
export type ConfigFor = (backend: AnyBackendName) => BackendAdapterConfig;

/** Where an agent is used, and whether its CLI is used again and again. */
export interface AgentUse {
  readonly step: StepEntry;
  readonly context: StepContext;
  readonly loops: boolean;
}

/** Chooses the backend of a step and checks what the agent asks of it. */
export async function resolveAgent(agent: AgentDefinition, use: AgentUse): Promise<AgentStep> {
  const { context, step } = use;
  const { place, warn } = context;
  const backend = await chooseBackend(agent, use);
  const kept = keptIn(agent, use);
  const options: RunnerOptions = {
    systemPrompt: agent.systemPrompt,
    model: modelOf(agent, backend, use),
    maxTurns: agent.maxTurns,
    ...(kept.allowedTools === undefined && agent.disallowedTools === undefined
      ? {}
      : { tools: { allowed: kept.allowedTools, disallowed: agent.disallowedTools } }),
    settings: agent.settings,
    mcpConfig: agent.mcpConfig,
    permissionMode: kept.permissionMode ?? 'bypass',
    ...(step.args === undefined || step.args.length === 0 || context.request.demo
      ? {}
      : { rawArgs: step.args }),
  };
  const mode = await chooseMode(backend, options, use).catch((error: unknown) => {
    if (!(error instanceof TurnoutError)) throw error;
    throw new TurnoutError(error.code, `${place} (agent ${agent.name}): ${error.message}`, {
      hint: error.hint,
    });
  });
  if (mode.refused !== undefined && !context.request.allowUnsupported)
    warn(
      `${place} (agent ${agent.name}): a run is refused (exit code 4). --allow-unsupported leaves out what is refused.`,
    );
  for (const warning of mode.warnings) warn(`${place} (agent ${agent.name}): ${warning}`);
  return {
    type: 'agent',
    backend,
    options: { ...mode.options, systemPrompt: agent.systemPrompt },
    live: mode.live,
    ...(mode.refused === undefined ? {} : { refused: mode.refused }),
  };
}

/** The mode and the tools under what the person has set. Nobody answers in a chain, so that a mode that asks is no way to run one. */
function keptIn(agent: AgentDefinition, { step, context }: AgentUse) {
  const { request, place, warn } = context;
  const { restrictions: set = {} } = request;
  const kept = keepRestrictions(agent, set, 'environment');
  for (const warning of kept.warnings) warn(`${place}: ${warning}`);
  const restricts = (set.permissionMode ?? 'bypass') !== 'bypass' || set.allowedTools !== undefined;
  if (restricts && step.args !== undefined && step.args.length > 0)
    warn(`${place}.args go to the CLI itself: they may lift PERMISSION_MODE and ALLOWED_TOOLS.`);
  if (kept.permissionMode !== 'ask' || agent.permissionMode === 'ask') return kept;
  const what = `${place} (agent ${agent.name}): PERMISSION_MODE=ask can't be kept, because nobody is asked in a chain.`;
  const hint = `Give the agent permissionMode "plan", or set another mode for this run: PERMISSION_MODE=plan, edits or bypass.`;
  if (!request.planOnly) throw new TurnoutError('unsupported', what, { hint });
  warn(`${what} A run is refused (exit code 4). ${hint}`);
  return kept;
}

/** The command line wins, then the step, the agent and the chain. A fallback is used only where it was asked for by name (O12). */
async function chooseBackend(agent: AgentDefinition, { step, context }: AgentUse): Promise<RunnerName> {
  const { request, chain, chainPlace, place, warn } = context;
  const sources = [
    [request.backend, '--backend'],
    [step.backend, `${place}.backend`],
    [agent.backend, `${agent.source}: backend of ${agent.name}`],
    [chain.backend, `${chainPlace}.backend`],
    [request.defaultBackend, 'AGENT_BACKEND'],
  ] as const;
  const [written, source] = sources.find(([name]) => name !== undefined) ?? ['claude', ''];
  const name = readRunnerName(written ?? 'claude', source);
  const missing = (one: RunnerName) => whyNotInstalled(one, request.configFor(settingsOwner(one)));
  const problem = await missing(name);
  if (problem === undefined) return name;
  if (agent.fallback !== undefined) {
    const fallback = readRunnerName(agent.fallback, `${agent.source}: fallback of ${agent.name}`);
    if ((await missing(fallback)) === undefined) {
      warn(`${place}: ${name} is not installed, so ${agent.name} runs on its fallback, ${fallback}.`);
      return fallback;
    }
  }
  if (request.planOnly) {
    warn(`${place} (agent ${agent.name}): ${problem.explanation.replaceAll('\n', ' ')}`);
    return name;
  }
  throw new TurnoutError('not_installed', `${place} (agent ${agent.name}): ${problem.message}`, {
    hint: problem.hint,
  });
}

/** A model belongs to one vendor: it is refused beside another one's name, and left out where only the backend was changed. */
function modelOf(agent: AgentDefinition, backend: RunnerName, use: AgentUse): string | undefined {
  const { request, place, warn } = use.context;
  const model = request.model ?? agent.model;
  if (model === undefined) return undefined;
  const source = request.model === undefined ? `${agent.source}: model of ${agent.name}` : '--model';
  if (model.trim() === '' || !isModelName(model))
    throw new TurnoutError('bad_request', `${source}: ${modelNameExpected}.`);
  const cli = settingsOwner(backend);
  const owner = modelBelongsTo(model);
  if (owner === cli || (owner === undefined && (request.model !== undefined || isOwn(agent, cli))))
    return model;
  // Without a word of anybody the backend is the format's own default, and the model was meant for it.
  const isMeant = agent.backend !== undefined ? isOwn(agent, cli) : isDefault(use, cli);
  if (request.model !== undefined || isMeant) {
    throw new TurnoutError(
      'bad_request',
      `${source}: ${JSON.stringify(model)} is a model of ${owner}, not of ${cli}.`,
      {
        hint: `Name a model of ${cli}, or leave it out.`,
      },
    );
  }
  const whose = owner ?? agent.backend ?? 'another backend';
  warn(
    `${place}: the model ${JSON.stringify(model)} of the agent ${agent.name} belongs to ${whose} and is not passed to ${cli}. Choose one with --model.`,
  );
  return undefined;
}

/** True if nobody has chosen a backend. */
function isDefault({ step, context: { request, chain } }: AgentUse, cli: string): boolean {
  const chosen = request.backend ?? step.backend ?? chain.backend;
  return chosen === undefined && cli === request.defaultBackend && cli === 'claude';
}

/** True if the agent was written for this CLI, or for none in particular. */
function isOwn({ backend }: AgentDefinition, cli: string): boolean {
  return backend === undefined || settingsOwner(findRunnerName(backend) ?? cli) === cli;
}

/**
 * A loop keeps its CLI warm, if the CLI can do live what the agent asks for; a single run starts it. Where one of the two
 * can't do it and the other can, that one is used.
 */
async function chooseMode(
  backend: RunnerName,
  options: RunnerOptions,
  { context, loops }: AgentUse,
): Promise<{
  options: RunnerOptions;
  warnings: readonly string[];
  live: boolean;
  refused?: readonly string[];
}> {
  const { request } = context;
  const hasLive =
    backend !== codexSdk && createBackend(backend, request.configFor(backend)).live !== undefined;
  const mayBeLive = hasLive && options.rawArgs === undefined;
  const modes = !mayBeLive ? [false] : loops ? [true, false] : [false, true];
  const whole = { ...options, systemPrompt: unattendedPrompt(options.systemPrompt ?? ''), prompt: 'x' };
  let refusal: unknown;
  for (const live of modes) {
    try {
      return { ...without(await checkOptions(backend, whole, live ? 'live' : 'one-shot')), live };
    } catch (error) {
      refusal ??= error;
    }
  }
  const [live = false] = modes;
  if (!request.allowUnsupported && !request.planOnly) throw refusal;
  const mode = live ? 'live' : 'one-shot';
  const { refused } = await describeSupport(backend, whole, mode);
  const checked = await checkOptions(backend, { ...whole, allowUnsupported: true }, mode);
  // A plan shows them among the options: they are no warning there.
  const told = request.allowUnsupported ? checked : { ...checked, warnings: [] };
  return { ...without(told), live, refused };
}

/** The prompt stands in the step. */
function without({ options, warnings }: { options: RunnerOptions; warnings: readonly string[] }) {
  const { prompt: _, allowUnsupported: __, ...rest } = options;
  return { options: rest, warnings };
}
