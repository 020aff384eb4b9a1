import { readMcpServers } from '../../launch/mcp-config.js';
import type { JsonObject } from '../../output/json.js';
import { object, text } from '../../output/read-fields.js';

/** The servers of a file in Claude's format, as `session/new` takes them. */
export async function acpMcpServers(
  file: string,
  read: (path: string) => Promise<string>,
): Promise<readonly JsonObject[]> {
  const servers = await readMcpServers(file, read);
  return servers.map(([name, server]) => {
    const url = text(server['url']);
    if (url === '') {
      const args = Array.isArray(server['args']) ? server['args'].map(String) : [];
      return { name, command: text(server['command']), args, env: pairs(server['env']) };
    }
    const type = server['type'] === 'sse' ? 'sse' : 'http';
    return { type, name, url, headers: pairs(server['headers']) };
  });
}

function pairs(record: unknown): readonly JsonObject[] {
  return Object.entries(object(record)).map(([name, value]) => ({ name, value: String(value) }));
}
