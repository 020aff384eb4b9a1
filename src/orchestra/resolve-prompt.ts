import { resolve } from 'node:path';
import { TurnoutError } from '../core/errors.js';
import type { AgentDefinition } from './agents/definition.js';
import { readPromptFile } from './agents/from-entry.js';
import type { StepContext, StepEntry } from './resolve-step.js';

export interface GivenPrompt {
  readonly text: string;
  /** Where it comes from, for an error. */
  readonly place: string;
}

/** The prompt of a step, strongest first: the command line, the step, the chain, the agent; at each the text before the file. */
export async function resolvePrompt(
  step: StepEntry,
  agent: AgentDefinition | undefined,
  { request, chain, chainPlace, place, defaultPrompt }: StepContext,
): Promise<GivenPrompt | undefined> {
  const { cwd } = request;
  const entry = agent === undefined ? defaultPrompt(step.agent) : {};
  // Every file is read, also one that something stronger hides: a wrong path is a mistake that is found now.
  const given = [
    textOf(request.prompt, '--prompt'),
    await fileOf(request.promptFile, '--prompt-file', cwd),
    textOf(step.prompt, `${place}.prompt`),
    await fileOf(step.promptFile, `${place}.promptFile`, cwd),
    textOf(chain.prompt, `${chainPlace}.prompt`),
    await fileOf(chain.promptFile, `${chainPlace}.promptFile`, cwd),
    textOf(agent?.defaultPrompt, `${agent?.source}: the default prompt of ${agent?.name}`),
    // An entry without a system prompt is a program, which is no agent here, but has its prompt.
    textOf(entry.defaultPrompt, `agents.${step.agent}.defaultPrompt`),
    await fileOf(entry.defaultPromptFile, `agents.${step.agent}.defaultPromptFile`, cwd),
  ];
  return given.find((prompt) => prompt !== undefined);
}

function textOf(text: string | undefined, place: string): GivenPrompt | undefined {
  return text === undefined ? undefined : { text, place };
}

async function fileOf(
  path: string | undefined,
  place: string,
  cwd: string,
): Promise<GivenPrompt | undefined> {
  if (path === undefined) return undefined;
  const read = await readPromptFile(resolve(cwd, path), path);
  if ('text' in read) return { text: read.text, place: `${place} (${path})` };
  throw new TurnoutError('bad_request', `${place}: ${read.problem}.`, {
    hint: 'The path is relative to the working directory.',
  });
}
