import type { FoundCredentials } from '../../backends/launch/credentials.js';
import { type BackendName, backendEntry, backendNames, createBackend } from '../../backends/registry.js';
import { type Environment, userHome } from '../../config/home-directory.js';
import { TurnoutError } from '../../core/errors.js';
import { isBackendChosen } from '../../gateway/choose-backend.js';
import { findExecutable } from '../../process/find-executable.js';

/** Those that can be installed: the demo agent, where it is known, is a part of Turnout. */
export function vendorClis(): readonly BackendName[] {
  return backendNames().filter((name) => name !== 'demo');
}

/** The backend of a command for which nobody has chosen one. */
export interface InstalledBackend {
  /** Undefined if none of the CLIs is installed. */
  readonly backend: BackendName | undefined;
  /** Says which one is used, and why; undefined if there is none. */
  readonly note?: string;
}

/**
 * Looks on the PATH and for accounts, without starting anything: the first that is signed in, else Claude if it is there, else the
 * first of the others. `turnout init` proposes the same one.
 */
export async function findInstalledBackend(environment: Environment): Promise<InstalledBackend> {
  const installed = await installedBackends(environment);
  const backend =
    installed.length < 2 ? installed[0] : ((await firstSignedIn(installed, environment)) ?? installed[0]);
  if (backend === undefined) return { backend };
  const others = installed.filter((name) => name !== backend);
  const note =
    others.length === 0
      ? `using ${backend}, the only CLI that is installed; \`turnout init\` keeps a choice.`
      : `using ${backend}; ${list(others)} ${others.length === 1 ? 'is' : 'are'} installed too: choose with --backend, or once with \`turnout init\`.`;
  return { backend, note };
}

/** The vendors' CLIs that are on the PATH, in the order in which they are chosen. */
export async function installedBackends(environment: Environment): Promise<readonly BackendName[]> {
  const { PATH } = environment;
  const looks = vendorClis().map(async (name) => {
    const found = await findExecutable(backendEntry(name).command, PATH === undefined ? {} : { PATH });
    return 'problem' in found ? [] : [name];
  });
  return (await Promise.all(looks)).flat();
}

/** Looked at from the user's home: a repository with settings of its own must not seem to be an account of the user's. */
async function firstSignedIn(
  names: readonly BackendName[],
  env: Environment,
): Promise<BackendName | undefined> {
  for (const name of names) {
    if ((await accountOf(name, env)) === 'yes') return name;
  }
  return undefined;
}

/** What can't be looked at is not known. */
export async function accountOf(name: BackendName, env: Environment): Promise<FoundCredentials['signedIn']> {
  try {
    const backend = createBackend(name, { workingDir: userHome(env), env });
    return (await backend.credentials?.())?.signedIn ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

/** The settings of a command, with the backend that is installed if nobody has chosen one. */
export async function withInstalledBackend<R extends Sources>(read: R): Promise<R> {
  if (isBackendChosen(read.settings)) return read;
  const { backend, note } = await findInstalledBackend(read.inherited);
  if (backend === undefined || note === undefined) return read;
  const settings = { ...read.settings, AGENT_BACKEND: backend };
  return { ...read, settings, warnings: [note, ...(read.warnings ?? [])] };
}

interface Sources {
  readonly settings: Environment;
  readonly inherited: Environment;
  readonly warnings?: readonly string[];
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

function list(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
