import { TurnoutError } from '../../core/errors.js';
import { refuseUnknown } from '../../core/refuse-unknown.js';
import type { BackendAdapterConfig, BackendConfig } from '../types.js';

/** The limit of model turns, for a backend that has one, if nobody sets another. */
export const defaultMaxTurns = 25;

/**
 * Fills in the defaults of a configuration: the program is looked up on PATH, and the agent works in the current directory. Throws a
 * TurnoutError that names a field which is wrong or unknown: a caller without types learns of it here. `argument` is what the
 * caller's own function calls the configuration.
 */
export function completeConfig(
  program: string,
  given: BackendConfig = {},
  argument = 'config',
): BackendAdapterConfig {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw wrong(argument, 'an object, such as {workingDir: "…"}', given);
  refuseUnknown(given, Object.keys(fields), `${argument}.`);
  for (const [field, [what, isRight]] of Object.entries(fields)) {
    const value = given[field as keyof BackendConfig];
    if (value !== undefined && !isRight(value)) throw wrong(`${argument}.${field}`, what, value);
  }
  return {
    ...defaults(program),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

function defaults(cliPath: string): BackendAdapterConfig {
  return {
    cliPath,
    workingDir: process.cwd(),
    queryTimeoutMs: 600_000,
    allowedTools: [],
    maxTurns: defaultMaxTurns,
  };
}

type Rule = readonly [expected: string, isRight: (value: unknown) => boolean];

const fields: Readonly<Record<keyof BackendAdapterConfig, Rule>> = {
  cliPath: ['a path or the name of a program', isText],
  workingDir: ['the path of a directory', isText],
  queryTimeoutMs: ['a number of milliseconds (0: no limit)', isAmount],
  exitGraceMs: ['a number of milliseconds', isAmount],
  maxOutputBytes: ['a number of bytes', isAmount],
  allowedTools: ['an array of names (empty: every tool)', isNames],
  maxTurns: ['a number (0: no limit)', isAmount],
  model: ['the name of a model', isText],
  env: ['an object of names and texts', isRecord],
  home: ['the path of a directory', isText],
  user: ['a user of this machine: {name, uid, gid, home}', isRecord],
};

/** The error for a field of the caller's that is not what it has to be. */
export function wrong(field: string, what: string, value: unknown): TurnoutError {
  const problem = value === undefined ? 'is missing' : `can't be ${kindOf(value)}`;
  return new TurnoutError('bad_request', `${field} ${problem}: expected ${what}.`);
}

function kindOf(value: unknown): string {
  if (value === null || value === '' || typeof value === 'number') return JSON.stringify(value);
  return Array.isArray(value) ? 'an array like this' : `of the type ${typeof value}`;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
