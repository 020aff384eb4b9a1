import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BackendName } from '../backends/registry.js';
import type { PermissionMode } from '../core/permission-mode.js';
import type { AgentEntry } from './chain-schema.js';

/** STUB until the agents' part is merged. */
export interface AgentDefinition {
  readonly name: string;
  readonly source: string;
  readonly description?: string | undefined;
  readonly systemPrompt: string;
  readonly backend?: string | undefined;
  readonly fallback?: string | undefined;
  readonly model?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  readonly mcpConfig?: string | undefined;
  readonly settings?: string | undefined;
  readonly defaultPrompt?: string | undefined;
}
export async function findAgents(
  _cwd: string,
): Promise<{ agents: ReadonlyMap<string, AgentDefinition>; warnings: readonly string[] }> {
  return { agents: new Map(), warnings: [] };
}
export function fromEntry(
  name: string,
  entry: AgentEntry,
  cwd: string,
  file: string,
): AgentDefinition | undefined {
  const { systemPrompt: path, systemPromptText, defaultPromptFile, ...rest } = entry;
  const systemPrompt = systemPromptText ?? (path && readFileSync(resolve(cwd, path), 'utf8'));
  if (systemPrompt === undefined) return undefined;
  const defaultPrompt =
    entry.defaultPrompt ?? (defaultPromptFile && readFileSync(resolve(cwd, defaultPromptFile), 'utf8'));
  return { ...rest, name, source: file, systemPrompt, defaultPrompt };
}
export function modelBelongsTo(model: string): BackendName | undefined {
  return /^(opus|sonnet|haiku|claude)/.test(model) ? 'claude' : undefined;
}
