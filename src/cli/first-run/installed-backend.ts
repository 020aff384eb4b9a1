import type { FoundCredentials } from '../../backends/launch/credentials.js';
import { type AnyBackendName, backendEntry, backendNames, createBackend } from '../../backends/registry.js';
import { type Environment, userHome } from '../../config/home-directory.js';
import { TurnoutError } from '../../core/errors.js';
import { findExecutable } from '../../process/find-executable.js';

/** Those that can be installed: the demo agent, where it is known, is a part of Turnout. */
export function vendorClis(): readonly AnyBackendName[] {
  return backendNames().filter((name) => name !== 'demo');
}

/** The vendors' CLIs that are on the PATH, in the order in which they are picked. */
export async function installedBackends(environment: Environment): Promise<readonly AnyBackendName[]> {
  const looks = vendorClis().map(async (name) => ((await isInstalled(name, environment)) ? [name] : []));
  return (await Promise.all(looks)).flat();
}

export async function isInstalled(name: AnyBackendName, { PATH }: Environment): Promise<boolean> {
  const found = await findExecutable(backendEntry(name).command, PATH === undefined ? {} : { PATH });
  return !('problem' in found);
}

/** The first that is signed in, else the first. Nothing is started to find it. */
export async function pickBackend(
  installed: readonly [AnyBackendName, ...AnyBackendName[]],
  environment: Environment,
): Promise<AnyBackendName> {
  for (const name of installed.length === 1 ? [] : installed)
    if ((await accountOf(name, environment)) === 'yes') return name;
  return installed[0];
}

/**
 * What can't be looked at is not known. It is looked at from the user's home: a repository with settings of its own must not seem to
 * be an account of the user's.
 */
async function accountOf(name: AnyBackendName, env: Environment): Promise<FoundCredentials['signedIn']> {
  try {
    const backend = createBackend(name, { workingDir: userHome(env), env });
    return (await backend.credentials?.())?.signedIn ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

/** The error of a turn that no CLI is there for. */
export class NoneInstalled extends TurnoutError {
  /** `isListed`: what installs each CLI was told already. */
  constructor(isListed = false) {
    const width = Math.max(...vendorClis().map((name) => name.length));
    const install = vendorClis().map((name) => `  ${name.padEnd(width)}  ${backendEntry(name).install}`);
    super('not_installed', 'No agent CLI was found on your PATH.', {
      hint: [
        ...(isListed ? ['Install one of them,'] : ['Install one of them:', ...install]),
        'or try the bundled demo agent, which needs no account:',
        '  turnout chat --backend demo',
        '  turnout run --backend demo "hello"',
        `One that is elsewhere: AGENT_BACKEND=${backendNames()[0]} and BACKEND_CLI_PATH=<its path>.`,
      ].join('\n'),
    });
  }
}

/** The error of a turn that would be Claude's, on a machine with other CLIs: none of them is used unless somebody says so. */
export class NotChosen extends TurnoutError {
  constructor(installed: readonly AnyBackendName[]) {
    super('not_installed', 'Claude is not installed, and no other backend was chosen.', {
      hint: [
        `Installed here: ${installed.join(', ')}. Choose one with --backend, or save your default with \`turnout init\`.`,
        `To install Claude: ${backendEntry('claude').install}`,
      ].join('\n'),
    });
  }
}
