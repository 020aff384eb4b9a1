import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { TurnoutError } from '../core/errors.js';
import type { AgentDefinition } from './agent-files.js';
import type { StepContext, StepEntry } from './resolve-step.js';

export interface GivenPrompt {
  readonly text: string;
  /** Where it comes from, for an error. */
  readonly place: string;
}

/** The prompt of a step, strongest first: the command line, the step, the chain, the agent; at each the text before the file. */
export function resolvePrompt(
  step: StepEntry,
  agent: AgentDefinition | undefined,
  { request, chain, chainPlace, place }: StepContext,
): GivenPrompt | undefined {
  const { cwd } = request;
  // Every file is read, also one that something stronger hides: a wrong path is a mistake that is found now.
  const given = [
    textOf(request.prompt, '--prompt'),
    fileOf(request.promptFile, '--prompt-file', cwd),
    textOf(step.prompt, `${place}.prompt`),
    fileOf(step.promptFile, `${place}.promptFile`, cwd),
    textOf(chain.prompt, `${chainPlace}.prompt`),
    fileOf(chain.promptFile, `${chainPlace}.promptFile`, cwd),
    textOf(agent?.defaultPrompt, `${agent?.source}: the default prompt of ${agent?.name}`),
  ];
  return given.find((prompt) => prompt !== undefined);
}

function textOf(text: string | undefined, place: string): GivenPrompt | undefined {
  return text === undefined ? undefined : { text, place };
}

function fileOf(path: string | undefined, place: string, cwd: string): GivenPrompt | undefined {
  if (path === undefined) return undefined;
  try {
    return { text: readFileSync(resolve(cwd, path), 'utf8'), place: `${place} (${path})` };
  } catch (cause) {
    throw new TurnoutError('bad_request', `${place}: ${path} can't be read: ${(cause as Error).message}`, {
      hint: 'The path is relative to the working directory.',
      cause,
    });
  }
}
