import { readJsonFile } from '../backends/launch/read-json-file.js';
import { isObject } from '../backends/output/json.js';
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
  const { mcpServers } = await readJsonFile(file, 'The MCP configuration', expected);
  if (!isObject(mcpServers)) throw unusable(file, 'it has no object "mcpServers"');
  for (const [name, server] of Object.entries(mcpServers)) {
    const named = `the server ${JSON.stringify(name)}`;
    if (!isObject(server)) throw unusable(file, `${named} is not an object`);
    if (!isName(server['command']) && !isName(server['url']))
      throw unusable(file, `${named} has neither a "command" nor a "url"`);
  }
}

const expected =
  'Expected: {"mcpServers": {"name": {"command": "…", "args": ["…"], "env": {}} or {"url": "https://…"}}}.';

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function unusable(file: string, why: string): TurnoutError {
  return new TurnoutError('bad_request', `The MCP configuration ${file} can't be used: ${why}.`, {
    hint: expected,
  });
}
