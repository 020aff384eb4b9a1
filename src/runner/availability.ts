import { childEnvironment } from '../backends/launch/child-environment.js';
import { askedVersion } from '../backends/launch/cli-version.js';
import type { FoundCredentials } from '../backends/launch/credentials.js';
import { createBackend } from '../backends/registry.js';
import type { BackendAdapterConfig, EventBackend, LocatedCli } from '../backends/types.js';
import { describeThrown } from '../core/describe-thrown.js';
import { TurnoutError } from '../core/errors.js';
import { codexSdk } from './runner-names.js';
import type { Availability, RunnerName } from './types.js';

interface Looked {
  readonly name: RunnerName;
  readonly config: BackendAdapterConfig;
  readonly backend: EventBackend;
}

/**
 * Tells whether a runner can be used here, without a network call: its program, the version, and a key or an account. All of
 * it comes from the runner's own environment. The program is started (`--version`) only if the files around it don't tell
 * the version.
 */
export async function findAvailability(runner: Looked): Promise<Availability> {
  try {
    const found = await findProgram(runner);
    if ('problem' in found) return { available: false, signedIn: 'unknown', problem: found.problem };
    const version = found.cli === undefined ? undefined : await versionOf(runner, found.cli);
    const { signedIn, credentials } = await findAccount(runner);
    return {
      available: signedIn !== 'no',
      ...(found.cli === undefined ? {} : { path: found.cli.command }),
      ...(version === undefined ? {} : { version }),
      signedIn,
      ...(credentials === undefined ? {} : { credentials }),
      ...(signedIn === 'no' ? { problem: signInProblem(runner) } : {}),
    };
  } catch (error) {
    const problem = error instanceof TurnoutError ? error.explanation : describeThrown(error);
    return { available: false, signedIn: 'unknown', problem };
  }
}

type FoundProgram = { readonly cli: LocatedCli | undefined } | { readonly problem: string };

async function findProgram({ name, backend }: Looked): Promise<FoundProgram> {
  // An adapter that starts no program of its own says itself whether it can work.
  if (backend.locate !== undefined) return { cli: await backend.locate() };
  if (await backend.validate()) return { cli: undefined };
  return {
    problem:
      name === codexSdk
        ? 'The Codex SDK was not found. Install it with `npm install @openai/codex-sdk`.'
        : `${name} says that it can't be used here.`,
  };
}

async function versionOf(
  { config }: Looked,
  { command, env, version }: LocatedCli,
): Promise<string | undefined> {
  if (version !== undefined) return version;
  const inherited = config.env ?? process.env;
  const { user } = config;
  return askedVersion({ command, env: childEnvironment(inherited, env), user, timeoutMs: askMs });
}

/** OpenCode's first start takes longest. */
const askMs = 20_000;

async function findAccount({ name, config, backend }: Looked): Promise<FoundCredentials> {
  // The SDK starts Codex, with Codex's own account.
  const owner = name === codexSdk ? createBackend('codex', config) : backend;
  return (await owner.credentials?.()) ?? { signedIn: 'unknown' };
}

function signInProblem({ name, config, backend }: Looked): string {
  const owner = name === codexSdk ? createBackend('codex', config) : backend;
  return owner.signIn ?? `${name} has neither a key nor an account.`;
}
