import { readMcpServers } from '../backends/launch/mcp-config.js';
import { readJsonFile, readSmallFile } from '../backends/launch/read-json-file.js';
import { TurnoutError } from '../core/errors.js';

/** Rejects with a TurnoutError that has the path and the reason if the file does not hold settings in Claude's format. */
export async function checkSettings(file: string): Promise<void> {
  await readJsonFile(
    file,
    'The settings file',
    'Expected: settings in Claude’s format, such as {"permissions": {"deny": ["WebFetch"]}}.',
  );
}

/** The same for MCP servers. */
export async function checkMcpConfig(file: string): Promise<void> {
  await readJsonFile(file, 'The MCP configuration', expected);
  for (const [name, server] of await readMcpServers(file, readSmallFile)) {
    if (isName(server['command']) || isName(server['url'])) continue;
    throw new TurnoutError(
      'bad_request',
      `The MCP configuration ${file} can't be used: the server ${JSON.stringify(name)} has neither a "command" nor a "url".`,
      { hint: expected },
    );
  }
}

const expected =
  'Expected: {"mcpServers": {"name": {"command": "…", "args": ["…"], "env": {}} or {"url": "https://…"}}}.';

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
