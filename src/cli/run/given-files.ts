import { join, resolve } from 'node:path';
import { readMcpText, serversIn } from '../../backends/launch/mcp-config.js';
import {
  removeScratchFiles,
  scratchDirectory,
  writeScratchFiles,
} from '../../backends/launch/scratch-files.js';
import type { BackendAdapterConfig } from '../../backends/types.js';
import { TurnoutError } from '../../core/errors.js';
import type { RunFlags } from './run-options.js';
import { isJsonText } from './turn-flags.js';

export interface GivenFiles {
  readonly mcpConfig: string | undefined;
  readonly settings: string | undefined;
  /** Removes what was written for the run. */
  remove(): Promise<void>;
}

/**
 * Finds the files that the flags mean. Claude takes JSON text and several MCP configurations as well: these are written into
 * one file that exists as long as the run.
 */
export async function givenFiles(
  flags: Pick<RunFlags, 'mcpConfig' | 'mcpSources' | 'settings'>,
  { home, user }: Pick<BackendAdapterConfig, 'home' | 'user'>,
): Promise<GivenFiles> {
  const merged = flags.mcpSources === undefined ? undefined : await mergeMcp(flags.mcpSources);
  const settings = flags.settings === undefined ? undefined : settingsText(flags.settings);
  const given = {
    mcpConfig: flags.mcpConfig === undefined ? undefined : resolve(flags.mcpConfig),
    settings: flags.settings === undefined ? undefined : resolve(flags.settings),
  };
  if (merged === undefined && settings === undefined) return { ...given, remove: async () => undefined };
  const directory = scratchDirectory({ TURNOUT_HOME: home }, user);
  const written = {
    mcpConfig: merged === undefined ? undefined : join(directory, 'mcp.json'),
    settings: settings === undefined ? undefined : join(directory, 'settings.json'),
  };
  const files = [
    { path: written.mcpConfig, content: merged },
    { path: written.settings, content: settings },
  ].flatMap(({ path, content }) => (path === undefined || content === undefined ? [] : [{ path, content }]));
  await writeScratchFiles(directory, files, user);
  return {
    mcpConfig: written.mcpConfig ?? given.mcpConfig,
    settings: written.settings ?? given.settings,
    remove: () => removeScratchFiles(directory),
  };
}

/** A server of a later configuration takes the place of one with the same name. */
async function mergeMcp(sources: readonly string[]): Promise<string> {
  const servers = new Map<string, unknown>();
  for (const source of sources) {
    const text = isJsonText(source) ? source : undefined;
    const shown = text === undefined ? resolve(source) : 'of --mcp-config';
    const content = text ?? (await readMcpText(shown));
    for (const [name, server] of Object.entries(serversIn(shown, content))) servers.set(name, server);
  }
  return JSON.stringify({ mcpServers: Object.fromEntries(servers) });
}

/** JSON text as it was typed; undefined for the name of a file. */
function settingsText(given: string): string | undefined {
  if (!isJsonText(given)) return undefined;
  try {
    JSON.parse(given);
    return given;
  } catch (cause) {
    throw new TurnoutError('bad_request', `--settings is not valid JSON: ${(cause as Error).message}`, {
      hint: 'Give a file, or one JSON object in quotes.',
      cause,
    });
  }
}
