import type { PermissionMode } from '../../core/permission-mode.js';
import { modelBelongsTo, modelFits } from '../../runner/model-owner.js';
import type { RunnerName } from '../../runner/types.js';

/** An agent with everything that belongs to it, wherever it was written down. Nothing of it is read again. */
export interface AgentDefinition {
  readonly name: string;
  /** The file that it comes from, as it is shown. */
  readonly source: string;
  readonly description?: string;
  /** The text itself; it may be empty. */
  readonly systemPrompt: string;
  readonly backend?: RunnerName;
  /** The backend to use where the first one is not installed. */
  readonly fallback?: RunnerName;
  readonly model?: string;
  readonly maxTurns?: number;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly permissionMode?: PermissionMode;
  /** An absolute path. */
  readonly mcpConfig?: string;
  /** An absolute path. */
  readonly settings?: string;
  readonly defaultPrompt?: string;
  /** What its file asks for, and Turnout leaves out: told wherever the agent runs. */
  readonly warnings?: readonly string[];
}

/** An agent's name is a word of the one-line form of a chain, and the name of a program. */
export const agentName = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
export const agentNameExpected =
  'a name has letters, digits, "-" and "_", begins with a letter or digit, and has 64 characters at most';

export function isAgentName(name: string): boolean {
  return agentName.test(name) && name.length <= 64;
}

/** What is wrong with a model that stands beside a backend in one file; undefined if nothing is. */
export function modelProblem(model: string | undefined, backend: RunnerName | undefined): string | undefined {
  if (model === undefined || backend === undefined || modelFits(model, backend)) return undefined;
  return `${JSON.stringify(model)} is a model of ${modelBelongsTo(model)}, and the backend is ${backend}`;
}

/** The model for a backend that a flag, a chain or the environment has chosen: another vendor's is left out, and told. */
export function modelFor(
  { name, model }: Pick<AgentDefinition, 'name' | 'model'>,
  backend: RunnerName,
): { readonly model?: string; readonly warning?: string } {
  if (model === undefined) return {};
  if (modelFits(model, backend)) return { model };
  const owner = modelBelongsTo(model);
  return {
    warning: `The model ${JSON.stringify(model)} of the agent ${name} is one of ${owner}: ${backend} runs with its own default model.`,
  };
}
