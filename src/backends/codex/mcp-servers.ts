import { readMcpServers } from '../launch/mcp-config.js';
import type { JsonObject } from '../output/json.js';

/**
 * The servers of a file in Claude's format, as Codex's `mcp_servers` wants them: it has another name for the headers, and
 * finds out itself how to speak to a server.
 */
export async function codexMcpServers(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<string, JsonObject>>> {
  const servers = await readMcpServers(file, env);
  return Object.fromEntries(
    servers.map(({ name, runs }) => {
      if (runs.type === 'local') return [name, { command: runs.command, args: runs.args, env: runs.env }];
      return [name, { url: runs.url, http_headers: runs.headers }];
    }),
  );
}
