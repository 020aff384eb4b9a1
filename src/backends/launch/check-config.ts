import { TurnoutError } from '../../core/errors.js';
import type { BackendAdapterConfig } from '../types.js';

type Field = keyof BackendAdapterConfig;

const expected: readonly (readonly [Field, string, (value: unknown) => boolean])[] = [
  ['cliPath', 'a path or the name of a program', isText],
  ['workingDir', 'the path of a directory', isText],
  ['queryTimeoutMs', 'a number of milliseconds (0: no limit)', isNumber],
  ['allowedTools', 'an array of names (empty: every tool)', Array.isArray],
  ['maxTurns', 'a number', isNumber],
];

/** Throws a TurnoutError that names the field which is missing or wrong: a caller without types learns of it here. */
export function checkConfig(config: BackendAdapterConfig): void {
  if (typeof config !== 'object' || config === null) {
    const fields = expected.map(([field]) => field).join(', ');
    throw wrong('config', `an object with ${fields}`, config);
  }
  for (const [field, what, isRight] of expected) {
    if (!isRight(config[field])) throw wrong(`config.${field}`, what, config[field]);
  }
}

/** The error for a field of the caller's that is not what it has to be. */
export function wrong(field: string, what: string, value: unknown): TurnoutError {
  const problem = value === undefined ? 'is missing' : `can't be ${kindOf(value)}`;
  return new TurnoutError('bad_request', `${field} ${problem}: expected ${what}.`);
}

function kindOf(value: unknown): string {
  if (value === null || typeof value === 'number') return JSON.stringify(value);
  return Array.isArray(value) ? 'an array' : `of the type ${typeof value}`;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(value);
}
