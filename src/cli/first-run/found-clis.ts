import { versionIn } from '../../backends/launch/cli-version.js';
import { type Vetting, vettingOf } from '../../backends/launch/vetted.js';
import { type AnyBackendName, backendEntry } from '../../backends/registry.js';
import { type Environment, userHome } from '../../config/home-directory.js';
import { wholeLine } from '../../core/text.js';
import { createRunner } from '../../runner/create-runner.js';
import type { Availability } from '../../runner/types.js';
import { signInCommand } from '../doctor/sign-in.js';
import { vendorClis } from './installed-backend.js';

/** An agent CLI as a person who chooses one wants to know it. */
export interface FoundCli {
  readonly backend: AnyBackendName;
  readonly installed: boolean;
  readonly path?: string;
  readonly version?: string;
  /** Where the version stands among those that passed every scenario of the lab. */
  readonly vetting?: Vetting;
  readonly signedIn: Availability['signedIn'];
  /** The kind of key or account; never the key itself. */
  readonly credentials?: string;
  /** What to type to sign in, unless that is done. */
  readonly signIn?: string;
  /** The command that installs the version that was vetted. */
  readonly install: string;
  /** Why a program that is there can't be used. */
  readonly problem?: string;
}

/**
 * Finds the vendors' CLIs. They are looked at from the user's home: a repository with settings of its own must not seem to be an
 * account of the user's. A CLI is started only if the files around it don't tell its version.
 */
export async function findClis(
  inherited: Environment,
  chosen: { readonly backend?: string | undefined; readonly cliPath?: string | undefined } = {},
): Promise<readonly FoundCli[]> {
  return Promise.all(
    vendorClis().map(async (backend) => {
      const { command, install } = backendEntry(backend);
      const cliPath = backend === chosen.backend ? (chosen.cliPath ?? command) : command;
      const runner = createRunner(backend, { cliPath, workingDir: userHome(inherited), env: inherited });
      return described(backend, install, await runner.availability());
    }),
  );
}

function described(backend: AnyBackendName, install: string, found: Availability): FoundCli {
  const { path, version, signedIn, credentials, problem } = found;
  const vetting = vettingOf(backend, version === undefined ? undefined : versionIn(version));
  const signIn = signedIn === 'yes' ? undefined : signInCommand(backend);
  const installed = path !== undefined;
  return {
    backend,
    installed,
    ...(path === undefined ? {} : { path }),
    ...(version === undefined ? {} : { version }),
    ...(vetting === undefined ? {} : { vetting }),
    signedIn: installed ? signedIn : 'unknown',
    ...(credentials === undefined ? {} : { credentials }),
    ...(signIn === undefined ? {} : { signIn }),
    install,
    ...(installed || problem === undefined ? {} : { problem }),
  };
}

/** The CLI to propose: the present choice, else the one that commands use without a choice (`findInstalledBackend`). */
export function proposed(clis: readonly FoundCli[], present: string | undefined): FoundCli | undefined {
  const installed = clis.filter((cli) => cli.installed);
  return (
    installed.find(({ backend }) => backend === present) ??
    installed.find(({ signedIn }) => signedIn === 'yes') ??
    installed[0]
  );
}

/** A row for each CLI; those that can be chosen have a number. */
export function listClis(clis: readonly FoundCli[]): string {
  let number = 0;
  const rows = clis.map((cli) => {
    if (cli.installed) number += 1;
    const mark = cli.installed ? String(number) : '-';
    return `  ${mark}  ${cli.backend.padEnd(9)} ${state(cli)}\n`;
  });
  // A row has no room for it.
  const others = clis.filter(({ vetting }) => vetting !== undefined && vetting !== 'vetted');
  const note = `     not the vetted version: ${others.map(({ backend }) => backend).join(', ')} (see turnout doctor)\n`;
  return `${rows.join('')}${others.length === 0 ? '' : note}`;
}

function state(cli: FoundCli): string {
  if (!cli.installed) return `not installed: ${cli.install}`;
  return `${wholeLine(cli.version ?? '?').padEnd(9)} ${account(cli)}`;
}

function account({ signedIn, credentials, signIn }: FoundCli): string {
  if (signedIn === 'yes') return `signed in${credentials === undefined ? '' : `: ${wholeLine(credentials)}`}`;
  if (signedIn === 'no') return `not signed in${signIn === undefined ? '' : `: ${signIn}`}`;
  return `no account found${credentials === undefined ? '' : ` (${wholeLine(credentials)})`}; it may need none`;
}
