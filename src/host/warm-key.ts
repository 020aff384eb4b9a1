import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { childEnvironment } from '../backends/launch/child-environment.js';
import type { BackendAdapter } from '../backends/types.js';
import { configState } from './config-files.js';
import type { HostedOptions } from './messages.js';

/** A file that a CLI is started with. Its content counts, not its path, which may be that of a temporary file. */
export interface GivenFile {
  readonly name: 'mcpConfig' | 'settings';
  readonly content: string;
}

export interface WarmKey {
  /** What the caller has asked for. */
  readonly wish: string;
  /** The wish, and the state of the CLI and its configuration. Callers with the same key may have the same process. */
  readonly key: string;
  readonly files: readonly GivenFile[];
}

/**
 * Everything that a CLI is started with or a session is opened with: backend, program, directory, environment, model,
 * tools, mode, system prompt, files. All options are part of it but the few that are left out here by name, so that an option
 * that is added later can't be forgotten. Rejects if the CLI is not installed, or a file can't be read.
 */
export async function warmKey(options: HostedOptions, adapter: BackendAdapter): Promise<WarmKey> {
  const { sessionId: _s, continueLast: _c, clocks: _k, config, mcpConfig, settings, ...others } = options;
  const { queryTimeoutMs: _q, env = {}, ...given } = config;
  const files = Object.entries({ mcpConfig, settings }).flatMap(([name, path]) =>
    path === undefined ? [] : [{ name: name as GivenFile['name'], content: readFileSync(path, 'utf8') }],
  );
  const wish = hashOf([sorted(others), sorted(given), sorted(childEnvironment(env)), files]);
  const cli = await adapter.locate?.();
  const cwd = options.cwd ?? config.workingDir;
  const state = configState(options.backend, cli?.command ?? config.cliPath, cwd, env);
  // Another directory may have got its name meanwhile, and a process stays in the one that it was started in.
  const { dev, ino } = statSync(cwd);
  return { wish, key: hashOf([wish, cli?.version, state, dev, ino]), files };
}

function hashOf(facts: unknown): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

function sorted(object: object): readonly (readonly [string, unknown])[] {
  return Object.entries(object)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}
