import {
  checkFields,
  checkVariables,
  type FieldRules,
  isRecord,
  wrongValue,
} from '../../core/check-fields.js';
import {
  aPath,
  isAmount,
  isWord,
  milliseconds,
  oneOf,
  someArguments,
  someVariables,
  wholeNumberFrom,
} from '../../core/field-rules.js';
import { hostExits } from '../../process/mark-child.js';
import type { BackendAdapterConfig, BackendConfig } from '../types.js';
import { aModel } from './check-turn.js';

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
  if (!isRecord(given)) throw wrongValue(argument, 'an object, such as {workingDir: "…"}', given);
  checkFields<BackendConfig>(given, fields, `${argument}.`);
  checkVariables(given.env, `${argument}.env`);
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

const fields: FieldRules<BackendAdapterConfig> = {
  // A program that is not there, and none at all, is what `validate` tells.
  cliPath: ['a path or the name of a program', isWord],
  workingDir: ['the path of a directory', aPath[1]],
  queryTimeoutMs: milliseconds,
  exitGraceMs: ['a number of milliseconds', isAmount],
  maxOutputBytes: ['a number of bytes', isAmount],
  allowedTools: ['an array of names (empty: every tool)', someArguments[1]],
  maxTurns: ['a whole number (0: no limit)', wholeNumberFrom(0)[1]],
  model: aModel,
  env: someVariables,
  home: ['the path of a directory', aPath[1]],
  user: ['a user of this machine: {name, uid, gid, home}', isRecord],
  onHostExit: oneOf(hostExits),
};
