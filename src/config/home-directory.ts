import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { TurnoutError } from '../core/errors.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The directory of the gateway's data. It is resolved apart from the other settings, so that a program that
 * only reads the data needs no other setting to be valid.
 */
export function homeDirectory(env: Environment): string {
  return resolve(given(env['TURNOUT_HOME']) ?? join(userHome(env), '.turnout'));
}

/**
 * The same for a command, which reads settings there: a relative path in the environment would mean a directory
 * of whatever repository the command is started in.
 */
export function trustedHome(env: Environment): string {
  const named = given(env['TURNOUT_HOME']);
  if (named !== undefined && !isAbsolute(named)) throw notAbsolute('TURNOUT_HOME', named);
  return homeDirectory(env);
}

/**
 * The user's home directory. An empty or a relative HOME counts as not set: what is below it would begin in the current
 * directory, which may be anybody's repository.
 */
export function userHome(env: Environment, ofSystem = [homedir, () => userInfo().homedir]): string {
  for (const find of [() => env['HOME'], ...ofSystem]) {
    try {
      const home = find();
      if (home !== undefined && isAbsolute(home)) return home;
    } catch {
      // The system knows no such user: a container with a user number of its own.
    }
  }
  throw new TurnoutError(
    'bad_request',
    'This user has no home directory: HOME is no absolute path, and the system names none.',
    { hint: 'Set TURNOUT_HOME, or HOME, to an absolute path.' },
  );
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
