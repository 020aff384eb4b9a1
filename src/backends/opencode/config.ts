import { TurnoutError } from '../../core/errors.js';
import type { ThinkingDepth } from '../../core/thinking.js';
import { type McpServer, readMcpServers } from '../launch/mcp-config.js';
import { isObject, type JsonObject } from '../output/json.js';

/** The value of OPENCODE_CONFIG_CONTENT. The user may set the same variable: our settings are merged over theirs. */
export function mergedConfig(ours: JsonObject, theirs: string | undefined): string {
  if (theirs === undefined || theirs.trim() === '') return JSON.stringify(ours);
  let parsed: unknown;
  try {
    parsed = JSON.parse(theirs);
  } catch (cause) {
    throw new TurnoutError(
      'bad_request',
      `OPENCODE_CONFIG_CONTENT in the environment is not JSON: ${String(cause)}`,
      { cause },
    );
  }
  return JSON.stringify(merge(isObject(parsed) ? parsed : {}, ours));
}

/**
 * The variants of a model that can be asked for (`--variant`). Which ones a model has is its provider's matter, and one that
 * it does not have is ignored (1.18.33).
 */
export const openCodeThinking: readonly ThinkingDepth[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** The servers of a file in Claude's format, as OpenCode's `mcp` wants them. */
export async function mcpServers(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<JsonObject> {
  return asMcp(await readMcpServers(file, env));
}

export function asMcp(servers: readonly McpServer[]): JsonObject {
  return Object.fromEntries(
    servers.map(({ name, runs }) => {
      if (runs.type !== 'local')
        return [name, { type: 'remote', url: runs.url, headers: runs.headers, enabled: true }];
      const command = [runs.command, ...runs.args];
      return [name, { type: 'local', command, environment: runs.env, enabled: true }];
    }),
  );
}

function merge(under: JsonObject, over: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    if (isObject(below) && isObject(value)) merged[key] = merge(below, value);
    else if (Array.isArray(below) && Array.isArray(value)) merged[key] = [...below, ...value];
    else merged[key] = value;
  }
  return merged;
}
