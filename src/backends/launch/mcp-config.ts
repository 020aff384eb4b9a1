import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type NoticeEvent, notice } from '../../core/chat-event.js';
import { TurnoutError } from '../../core/errors.js';
import { findExecutable } from '../../process/find-executable.js';
import { isObject, type JsonObject } from '../output/json.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface McpServer {
  readonly name: string;
  /** A server that the CLI starts has a command, one that it calls a URL. */
  readonly runs: LocalServer | RemoteServer;
}

export interface LocalServer {
  readonly type: 'local';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface RemoteServer {
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Reads the servers of a file in Claude's format, for the CLIs that take them in another form. Like Claude it puts the
 * variables of `env` in place of `${NAME}` and `${NAME:-default}`. Rejects with a TurnoutError that names the file.
 */
export async function readMcpServers(file: string, env: Environment = {}): Promise<readonly McpServer[]> {
  const servers = serversIn(file, await readText(file));
  return Object.entries(servers).map(([name, server]) => {
    const wrong = (why: string) => unusable(file, `the server ${JSON.stringify(name)} ${why}`);
    if (!isObject(server)) throw wrong('is not an object');
    return { name, runs: readServer(server, (text) => expand(text, env), wrong) };
  });
}

/** A warning for each server whose program is not there: most CLIs go on without such a server, and don't tell. */
export async function missingServers(
  file: string | undefined,
  env: Environment,
  cwd: string,
): Promise<readonly NoticeEvent[]> {
  if (file === undefined) return [];
  const { PATH: path } = env;
  // A file that can't be used is refused elsewhere.
  const servers = await readMcpServers(file, env).catch(() => []);
  const found = servers.map(async ({ name, runs }) => {
    if (runs.type !== 'local') return [];
    const own = runs.env['PATH'] ?? path;
    const program = await findExecutable(runs.command, own === undefined ? {} : { PATH: own }, cwd);
    if (!('problem' in program)) return [];
    const what = program.problem === 'missing' ? 'was not found' : "can't be run";
    return [notice('warning', `The MCP server ${name} could not start: ${runs.command} ${what}`)];
  });
  return (await Promise.all(found)).flat();
}

/**
 * The values of the servers' variables and headers, which no log shows: as they are written, and with the variables of
 * `around` put in. A file that can't be read has none.
 */
export function mcpSecrets(file: string, around: Environment = {}): readonly string[] {
  try {
    const { mcpServers } = JSON.parse(readFileSync(file, 'utf8'));
    const written = Object.values<JsonObject>(mcpServers).flatMap(({ env, headers }) =>
      [...Object.values(env ?? {}), ...Object.values(headers ?? {})].filter(isText),
    );
    return [...new Set(written.flatMap((text) => [text, expand(text, around)]))];
  } catch {
    return [];
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw unusable(file, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function serversIn(file: string, content: string): JsonObject {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch (cause) {
    throw unusable(file, `it is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  const servers = isObject(parsed) ? parsed['mcpServers'] : undefined;
  if (!isObject(servers)) throw unusable(file, 'it has no object "mcpServers"');
  return servers;
}

function readServer(
  server: JsonObject,
  expanded: (text: string) => string,
  wrong: (why: string) => TurnoutError,
): LocalServer | RemoteServer {
  const texts = (field: 'env' | 'headers') => {
    const value = server[field] ?? {};
    if (!isObject(value) || !Object.values(value).every(isText))
      throw wrong(`has "${field}" that is no object of strings`);
    return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, expanded(String(text))]));
  };
  const { command, url, args = [], type } = server;
  if (isText(url) && url !== '')
    return { type: type === 'sse' ? 'sse' : 'http', url: expanded(url), headers: texts('headers') };
  if (!isText(command) || command === '') throw wrong('has neither a "command" nor a "url"');
  if (!Array.isArray(args) || !args.every(isText)) throw wrong('has "args" that are no array of strings');
  return { type: 'local', command: expanded(command), args: args.map(expanded), env: texts('env') };
}

/** A variable that is not set and has no default stays as it is written. */
function expand(text: string, env: Environment): string {
  return text.replace(
    /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
    (written, name: string, otherwise: string | undefined) => env[name] ?? otherwise ?? written,
  );
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
