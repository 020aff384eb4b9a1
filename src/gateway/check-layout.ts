import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isInside } from '../core/is-inside.js';
import { asUser, type ProcessUser } from '../process/process-user.js';
import type { GatewayConfig } from './config.js';
import { MarkdownConfigLoader } from './persona/markdown-config-loader.js';

type Layout = Pick<
  GatewayConfig,
  'home' | 'configDir' | 'workingDir' | 'backendCliPath' | 'envFile' | 'allowStateInWorkingDir' | 'agentUser'
>;

/**
 * Names what the gateway obeys and an agent could write: a settings file, a hook or a program in a directory where agents
 * work is theirs at the next start, unless the modes of files and directories keep it from them. Directories are compared by
 * their real paths.
 */
export async function checkLayout(config: Layout): Promise<readonly string[]> {
  const works = [{ name: 'WORKING_DIR', path: config.workingDir }, ...(await channelDirectories(config))];
  return (await Promise.all(works.map(({ name, path }) => layoutProblems(config, path, name)))).flat();
}

/** The same for one directory. */
export async function layoutProblems(
  config: Layout,
  directory: string,
  name: string,
): Promise<readonly string[]> {
  if (config.allowStateInWorkingDir) return [];
  const obeyed = [
    ['TURNOUT_HOME', config.home],
    ['CONFIG_DIR', config.configDir],
    ...(isAbsolute(config.backendCliPath) ? [['BACKEND_CLI_PATH', config.backendCliPath]] : []),
    ...(config.envFile === undefined ? [] : [['--env-file', config.envFile]]),
  ] as const;
  const work = realPath(directory);
  const user = config.agentUser?.name;
  const problems: string[] = [];
  const exposed: string[] = [];
  for (const [what, path] of obeyed) {
    // What lies in a place that was named already has the same cause.
    if (exposed.some((outer) => isInside(realPath(path), outer))) continue;
    if (!isInside(realPath(path), work) && !isInside(resolve(path), work)) continue;
    const open = await openPlace(path, config.agentUser);
    if (open === undefined) continue;
    exposed.push(realPath(path));
    const where = `${what} (${path}) lies in ${name} (${directory})`;
    const apart =
      name === 'WORKING_DIR' ? 'Set WORKING_DIR to another directory' : 'Give the channel another cwd';
    problems.push(
      user === undefined
        ? `${where}, where agents may write: they could choose what the next start runs. ${apart}, or AGENT_USER to a user who can't change ${what}, or ALLOW_STATE_IN_WORKING_DIR=1.`
        : open.type === 'enter'
          ? `${where}, and AGENT_USER=${user} can look into it: chmod 700 ${open.path}`
          : `${where}, and AGENT_USER=${user} could change or replace it: ${open.path} is open to this user. ${apart}, or ALLOW_STATE_IN_WORKING_DIR=1.`,
    );
  }
  return problems;
}

/**
 * Prints the place by which whoever runs it can change one of the paths or put another in its place. An owner can take every
 * right. In a directory with the sticky bit only what one owns can be renamed.
 */
const attempt = `
open() { test -w "$1" || test -O "$1"; }
for path; do
  if open "$path"; then echo "write $path"; exit; fi
  if test -d "$path" && test -x "$path"; then echo "enter $path"; exit; fi
  while test "$path" != /; do
    directory=\${path%/*}
    directory=\${directory:-/}
    if open "$directory"; then
      if test -O "$directory" || test -O "$path" || test -h "$path" || ! test -k "$directory"; then
        echo "write $directory"
        exit
      fi
    fi
    path=$directory
  done
done
echo closed`;

/** The place by which agents can change what is at a path, as the kernel sees their user; undefined if there is none. */
async function openPlace(
  path: string,
  user: ProcessUser | undefined,
): Promise<{ readonly type: 'write' | 'enter'; readonly path: string } | undefined> {
  const shell = ['-c', attempt, 'sh', resolve(path), realPath(path)];
  const { command, args } =
    user === undefined ? { command: '/bin/sh', args: shell } : asUser(user, '/bin/sh', shell);
  const said = await new Promise<string>((done) => {
    execFile(command, [...args], { cwd: '/', env: {} }, (_, stdout) => done(stdout.trim()));
  });
  if (said === 'closed') return undefined;
  // If nothing can be found out, nothing is taken for granted.
  const type = said.startsWith('enter ') ? 'enter' : 'write';
  return { type, path: said.slice(`${type} `.length) || path };
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
