import { redactAdded } from '../../config/redact.js';
import { TurnoutError } from '../../core/errors.js';
import { childEnvironment } from '../launch/child-environment.js';
import { plannedScratch } from '../launch/planned.js';
import type { LiveProtocol, LiveSessionOptions } from '../live/types.js';
import type { LocatedCli, SpawnedCommand } from '../types.js';

export interface PlannedContext {
  readonly cli: LocatedCli;
  /** The inherited environment, without our own secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** The variables that the caller adds. */
  readonly added?: Readonly<Record<string, string>> | undefined;
}

/** Returns the command that the protocol would start its process with. Nothing is started or written. */
export async function planProcess(
  protocol: LiveProtocol,
  options: LiveSessionOptions,
  { cli, env, added }: PlannedContext,
): Promise<SpawnedCommand> {
  if (protocol.describe === undefined)
    throw new TurnoutError(
      'unsupported',
      'The command of this backend’s live sessions is not known before it runs.',
    );
  const { command, version } = cli;
  const whole = childEnvironment(env, cli.env, added);
  const {
    args,
    cwd,
    env: given,
  } = await protocol.describe(options, {
    env: whole,
    scratch: plannedScratch,
    version,
  });
  return { command, args, cwd, env: redactAdded(given, env) };
}
