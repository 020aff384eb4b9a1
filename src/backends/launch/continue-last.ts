import { resolve } from 'node:path';
import { TurnoutError } from '../../core/errors.js';
import type { BackendAdapter, BackendAdapterConfig, RunRequest, TurnOptions } from '../types.js';

/**
 * The options with the id of the session that `continueLast` stands for. It is looked up before anything starts: where
 * there is none, all four CLIs would silently begin a new session. Rejects with a TurnoutError.
 */
export async function withLastSession<O extends TurnOptions>(
  adapter: BackendAdapter,
  config: Pick<BackendAdapterConfig, 'workingDir'>,
  options: O,
  env?: RunRequest['env'],
): Promise<O> {
  if (!options.continueLast) return options;
  if (options.sessionId !== undefined)
    throw new TurnoutError('bad_request', 'Either sessionId or continueLast can be given, not both.');
  if (adapter.lastSession === undefined)
    throw new TurnoutError('unsupported', `${adapter.name()} does not support continueLast (--continue).`, {
      hint: 'Name the session (--resume).',
    });
  const cwd = resolve(options.cwd ?? config.workingDir);
  const sessionId = await lookUp(adapter.name(), () => adapter.lastSession?.(cwd, env));
  if (sessionId === undefined)
    throw new TurnoutError('session_not_found', `${adapter.name()} has no session in ${cwd} to continue.`, {
      hint: 'Begin one there without --continue.',
    });
  return { ...options, sessionId, continueLast: undefined };
}

async function lookUp(
  backend: string,
  look: () => Promise<string | undefined> | undefined,
): Promise<string | undefined> {
  try {
    return await look();
  } catch (cause) {
    if (cause instanceof TurnoutError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TurnoutError('unknown', `The records of ${backend}'s sessions can't be read: ${why}`, {
      cause,
    });
  }
}
