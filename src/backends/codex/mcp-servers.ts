import type { McpServer } from '../launch/mcp-config.js';
import type { JsonObject } from '../output/json.js';

/**
 * Servers as Codex's `mcp_servers` wants them: it has another name for the headers, and
 * finds out itself how to speak to a server.
 */
export function codexMcpServers(servers: readonly McpServer[]): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    servers.map(({ name, runs }) => {
      if (runs.type === 'local') return [name, { command: runs.command, args: runs.args, env: runs.env }];
      return [name, { url: runs.url, http_headers: runs.headers }];
    }),
  );
}
