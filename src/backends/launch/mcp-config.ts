import { readFileSync } from 'node:fs';
import { TurnoutError } from '../../core/errors.js';
import { isObject, type JsonObject } from '../output/json.js';

export type McpServers = readonly (readonly [name: string, server: JsonObject])[];

/** Reads the servers of a file in Claude's format, for the CLIs that take them in another form. */
export async function readMcpServers(
  file: string,
  read: (path: string) => Promise<string>,
): Promise<McpServers> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(await read(file));
  } catch (cause) {
    throw unusable(file, cause instanceof Error ? cause.message : String(cause), cause);
  }
  const servers = isObject(parsed) ? parsed['mcpServers'] : undefined;
  if (!isObject(servers)) throw unusable(file, 'it has no object "mcpServers"');
  return Object.entries(servers).map(([name, server]) => {
    if (!isObject(server)) throw unusable(file, `the server "${name}" is not an object`);
    return [name, server] as const;
  });
}

/** The values of the servers' variables and headers, which no log shows. A file that can't be read has none. */
export function mcpSecrets(file: string): readonly string[] {
  try {
    const { mcpServers } = JSON.parse(readFileSync(file, 'utf8'));
    return Object.values<JsonObject>(mcpServers).flatMap(({ env, headers }) =>
      [...Object.values(env ?? {}), ...Object.values(headers ?? {})].filter(isText),
    );
  } catch {
    return [];
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function unusable(file: string, why: string, cause?: unknown): TurnoutError {
  return new TurnoutError('bad_request', `The MCP configuration ${file} can't be used: ${why}`, {
    hint: 'Expected: {"mcpServers": {"name": {"command": "…", "args": ["…"], "env": {}}}}',
    cause,
  });
}
