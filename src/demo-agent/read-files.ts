import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Options, UsageError } from './arguments.js';

export async function readSystemPrompt({
  appendSystemPrompt,
  appendSystemPromptFile,
}: Options): Promise<string> {
  if (appendSystemPromptFile === undefined) return appendSystemPrompt ?? '';
  if (appendSystemPrompt !== undefined) {
    throw new UsageError(
      'Error: Cannot use both --append-system-prompt and --append-system-prompt-file. Please use only one.',
    );
  }
  try {
    return await readFile(appendSystemPromptFile, 'utf8');
  } catch {
    throw new UsageError(`Error: Append system prompt file not found: ${resolve(appendSystemPromptFile)}`);
  }
}

/** Reads the names of the configured MCP servers. The first line lists them; they are never started. */
export async function readMcpServers(configs: readonly string[], cwd: string): Promise<readonly string[]> {
  const names = await Promise.all(configs.map((config) => serversIn(config, cwd)));
  return names.flat();
}

/** A config is JSON or the name of a file; a text that is no JSON is taken for a name. */
async function serversIn(config: string, cwd: string): Promise<readonly string[]> {
  const inline = parse(config);
  const path = resolve(cwd, config);
  const content = inline === undefined ? await readFile(path, 'utf8').catch(() => undefined) : config;
  if (content === undefined) throw invalid(`MCP config file not found: ${path}`);
  const servers = (parse(content) as { mcpServers?: unknown } | undefined | null)?.mcpServers;
  if (typeof servers !== 'object' || servers === null)
    throw invalid('mcpServers: Does not adhere to the schema');
  return Object.keys(servers);
}

function invalid(reason: string): UsageError {
  return new UsageError(`Error: Invalid MCP configuration:\n${reason}`);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
