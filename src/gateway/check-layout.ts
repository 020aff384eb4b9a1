import { existsSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isInside } from '../core/is-inside.js';
import type { GatewayConfig } from './config.js';
import { MarkdownConfigLoader } from './persona/markdown-config-loader.js';

type Layout = Pick<
  GatewayConfig,
  'home' | 'configDir' | 'workingDir' | 'backendCliPath' | 'envFile' | 'allowStateInWorkingDir'
>;

/**
 * Names what the gateway obeys and an agent could write: a settings file, a hook or a program in a directory where agents
 * work is theirs at the next start. Directories are compared by their real paths.
 */
export async function checkLayout(config: Layout): Promise<readonly string[]> {
  const works = [{ name: 'WORKING_DIR', path: config.workingDir }, ...(await channelDirectories(config))];
  return works.flatMap(({ name, path }) => layoutProblems(config, path, name));
}

/** The same for one directory. */
export function layoutProblems(config: Layout, directory: string, name: string): readonly string[] {
  if (config.allowStateInWorkingDir) return [];
  const obeyed = [
    ['TURNOUT_HOME', config.home],
    ['CONFIG_DIR', config.configDir],
    ...(isAbsolute(config.backendCliPath) ? [['BACKEND_CLI_PATH', config.backendCliPath]] : []),
    ...(config.envFile === undefined ? [] : [['--env-file', config.envFile]]),
  ] as const;
  const work = realPath(directory);
  return obeyed
    .filter(([, path = '']) => isInside(realPath(path), work) || isInside(resolve(path), work))
    .map(
      ([what, path]) =>
        `${what} (${path}) lies in ${name} (${directory}), where agents may write: they could choose what the next start runs. Give them a directory apart, or set ALLOW_STATE_IN_WORKING_DIR=1.`,
    );
}

async function channelDirectories(config: Layout): Promise<{ name: string; path: string }[]> {
  const channels = await readdir(join(config.configDir, 'channels')).catch(() => []);
  const loader = new MarkdownConfigLoader(config.configDir);
  const found = await Promise.all(
    channels.map(async (channel) => {
      const { cwd } = (await loader.load(channelIn(channel))).settings;
      return cwd === undefined ? [] : [{ name: `the cwd of channels/${channel}`, path: cwd }];
    }),
  );
  return found.flat().map(({ name, path }) => ({ name, path: resolve(config.workingDir, path) }));
}

/** The channel of a directory. That of a very long id can't be told: its `cwd` is looked at before each turn. */
function channelIn(directory: string): string {
  try {
    return decodeURIComponent(directory);
  } catch {
    return directory;
  }
}

/** The real path, as far as the path exists. */
function realPath(path: string): string {
  const whole = resolve(path);
  if (existsSync(whole)) return realpathSync(whole);
  const parent = dirname(whole);
  return parent === whole ? whole : join(realPath(parent), basename(whole));
}
