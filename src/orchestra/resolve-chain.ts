import { TurnoutError } from '../core/errors.js';
import { agentNamed } from './agents/agent-named.js';
import type { AgentDefinition } from './agents/definition.js';
import { type FoundAgents, findAgents } from './agents/find-agents.js';
import { fromEntry } from './agents/from-entry.js';
import type { SetRestrictions } from './agents/keep-restrictions.js';
import type { AgentEntry, ChainEntry } from './chain-schema.js';
import { chooseChain } from './choose-chain.js';
import { type ChainFile, findChainFile } from './read-chain-file.js';
import type { ConfigFor } from './resolve-agent.js';
import { resolveStep, type StepContext, type StepEntry } from './resolve-step.js';
import type { ResolvedChain, ResolvedStep } from './types.js';
import type { Variables } from './variables.js';

export interface ChainRequest {
  readonly cwd: string;
  readonly file?: string | undefined;
  /** A name of the file, or a chain in one line. Undefined: the only chain of the file. */
  readonly chain: string | undefined;
  /** False: one word alone is no program. Default: it is one where there is no chain file. */
  readonly mayBeProgram?: boolean | undefined;
  readonly variables: Variables;
  readonly prompt?: string | undefined;
  readonly promptFile?: string | undefined;
  readonly backend?: string | undefined;
  readonly model?: string | undefined;
  readonly nonce?: boolean | undefined;
  readonly allowUnsupported?: boolean | undefined;
  /** True: the demo agent stands for every agent, also for executables. */
  readonly demo?: boolean | undefined;
  /** True: nothing is to be run. A CLI that is not installed, or can't do something, is told in the plan. */
  readonly planOnly?: boolean | undefined;
  /** The backend of agents that name none. */
  readonly defaultBackend: string;
  readonly configFor: ConfigFor;
  /** What the person has set: no file of the repository lifts it. */
  readonly restrictions?: SetRestrictions | undefined;
}

/**
 * Looks up everything that a chain needs and checks it, before the first token is spent: agents, prompts and their files,
 * variables, backends, options. All that is wrong is told at once. Nothing that the file names is run.
 */
export async function resolveChain(request: ChainRequest): Promise<ResolvedChain> {
  const file = await findChainFile(request.cwd, request.file);
  const found = await findAgents(request.cwd);
  const agents = new LazyAgents(file, request.cwd, found);
  const { name, entry, place } = chooseChain(
    request.chain,
    file,
    (word) => agents.knows(word),
    request.mayBeProgram ?? true,
  );
  const warnings = new Set([...(file?.warnings ?? []), ...found.warnings]);
  const problems: TurnoutError[] = [];
  const groups: ResolvedStep[][] = [];
  const earlier: string[] = [];
  let index = 0;
  for (const [at, step] of entry.steps.entries()) {
    const stepPlace = place === '' ? `Step ${at + 1}` : `${place}.steps[${at + 1}]`;
    const group: ResolvedStep[] = [];
    for (const [member, memberPlace] of membersOf(step, stepPlace, problems)) {
      const context: StepContext = {
        ...{ request, chain: entry, chainPlace: place, place: memberPlace },
        ...{ index, earlier: [...earlier], findAgent: (agent: string) => agents.find(agent) },
        defaultPrompt: (agent: string) => agents.defaultPrompt(agent),
        warn: (warning) => warnings.add(warning),
      };
      index += 1;
      const resolved = await resolveStep(member, context, problems);
      if (resolved !== undefined) group.push(resolved);
      checkName(member, earlier, group, memberPlace, problems);
    }
    groups.push(group);
    for (const member of 'parallel' in step && step.parallel ? step.parallel : [step]) {
      if (member.agent !== undefined) earlier.push(member.name ?? member.agent);
    }
  }
  if (problems.length > 0) throw together(problems, name);
  return {
    name,
    ...(file === undefined || place === '' ? {} : { file: file.path }),
    cwd: request.cwd,
    groups,
    ...(entry.budget === undefined ? {} : { budget: entry.budget }),
    nonce: request.nonce ?? entry.nonce ?? false,
    variables: Object.fromEntries(request.variables),
    warnings: [...warnings],
  };
}

/** The agents of the chain file and of the agents' own files. An entry is read only when a step needs it. */
class LazyAgents {
  readonly #file: ChainFile | undefined;
  readonly #cwd: string;
  readonly #others: FoundAgents;

  constructor(file: ChainFile | undefined, cwd: string, others: FoundAgents) {
    this.#file = file;
    this.#cwd = cwd;
    this.#others = others;
  }

  knows(name: string): boolean {
    return this.#file?.agents.has(name) === true || isIn(this.#others, name);
  }

  /** Undefined for a name that only a program can have. */
  async find(name: string): Promise<AgentDefinition | undefined> {
    const entry = this.#file?.agents.get(name);
    if (entry !== undefined && this.#file !== undefined)
      return await fromEntry(name, entry, this.#cwd, this.#file.path);
    return isIn(this.#others, name) ? agentNamed(this.#others, name) : undefined;
  }

  /** The default prompt of an entry, which a program has, too. */
  defaultPrompt(name: string): Pick<AgentEntry, 'defaultPrompt' | 'defaultPromptFile'> {
    return this.#file?.agents.get(name) ?? {};
  }
}

/** An agent whose file is broken is an error where it is used, and never a program of its name. */
function isIn({ agents, broken }: FoundAgents, name: string): boolean {
  return agents.has(name) || broken.has(name);
}

type GivenStep = ChainEntry['steps'][number];

function membersOf(
  step: GivenStep,
  place: string,
  problems: TurnoutError[],
): readonly (readonly [StepEntry, string])[] {
  const { parallel, ...own } = step;
  if (parallel === undefined) {
    if (own.agent !== undefined) return [[{ ...own, agent: own.agent }, place]];
    problems.push(
      new TurnoutError('bad_request', `${place} names neither an agent nor steps in "parallel".`),
    );
    return [];
  }
  const [other] = Object.keys(own);
  if (other !== undefined) {
    problems.push(
      new TurnoutError('bad_request', `${place}.${other} stands beside "parallel".`, {
        hint: 'A group has only "parallel": put it into the steps of the group.',
      }),
    );
  }
  return parallel.map((member, at) => [member, `${place}.parallel[${at + 1}]`] as const);
}

/** A name that was chosen has to be the only one; an agent that runs twice is known by its last run. */
function checkName(
  { name, agent }: StepEntry,
  earlier: readonly string[],
  group: readonly ResolvedStep[],
  place: string,
  problems: TurnoutError[],
): void {
  const inGroup = group.filter((step) => step.name === (name ?? agent)).length > 1;
  if (inGroup || (name !== undefined && earlier.includes(name))) {
    problems.push(
      new TurnoutError('bad_request', `${place}.name: there is a step ${name ?? agent} already.`, {
        hint: 'Give it a "name" of its own.',
      }),
    );
  }
}

/** The mistakes come first, then what a backend can't do, then what is not installed. */
function together(problems: readonly TurnoutError[], chain: string): TurnoutError {
  const code =
    (['bad_request', 'unsupported'] as const).find((known) => problems.some((one) => one.code === known)) ??
    'not_installed';
  const [first, ...others] = problems.filter((one, at) => {
    return problems.findIndex((other) => other.message === one.message) === at;
  });
  if (first !== undefined && others.length === 0)
    return new TurnoutError(code, first.message, { hint: first.hint });
  const lines = [...(first === undefined ? [] : [first]), ...others].map(({ message, hint }) => {
    const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
    return `  - ${hint === undefined ? sentence : `${sentence} ${hint}`}`.replaceAll('\n', '\n    ');
  });
  return new TurnoutError(code, `The chain ${JSON.stringify(chain)} can't be run:\n${lines.join('\n')}`);
}
