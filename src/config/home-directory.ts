import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { TurnoutError } from '../core/errors.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The directory of the gateway's data. It is resolved apart from the other settings, so that a program that
 * only reads the data needs no other setting to be valid.
 */
export function homeDirectory(env: Environment): string {
  return resolve(given(env['TURNOUT_HOME']) ?? join(given(env['HOME']) ?? homedir(), '.turnout'));
}

/**
 * The same for a command, which reads settings there: a relative path in the environment would mean a directory
 * of whatever repository the command is started in.
 */
export function trustedHome(env: Environment): string {
  const named = given(env['TURNOUT_HOME']);
  if (named !== undefined && !isAbsolute(named)) throw notAbsolute('TURNOUT_HOME', named);
  const home = given(env['HOME']);
  if (named === undefined && home !== undefined && !isAbsolute(home)) throw notAbsolute('HOME', home);
  return homeDirectory(env);
}

export function notAbsolute(name: string, value: string): TurnoutError {
  return new TurnoutError(
    'bad_request',
    `${name}=${JSON.stringify(value)} in the environment: expected an absolute path.`,
    { hint: 'A relative one would begin in the current directory, which may be anybody’s repository.' },
  );
}

/** An empty value in an environment or a .env file means "not set". */
export function given(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value;
}
