import { TurnoutError } from './errors.js';
import { refuseUnknown } from './refuse-unknown.js';

/** What a field has to be, in words, and whether a value is that. */
export type FieldRule = readonly [expected: string, isRight: (value: unknown) => boolean];

/** A rule for each field. The type says the same, to callers that have types. */
export type FieldRules<T> = Readonly<Record<keyof T, FieldRule>>;

/**
 * Throws a TurnoutError that names the first field which is unknown, or is not what it has to be; `undefined` is a field that was
 * left out. `before` stands in front of a field's name: `config.`.
 */
export function checkFields<T>(given: T & object, rules: FieldRules<T>, before = ''): void {
  refuseUnknown(given, Object.keys(rules), before);
  for (const [field, [expected, isRight]] of Object.entries<FieldRule>(rules)) {
    const value: unknown = given[field as keyof T];
    if (value !== undefined && !isRight(value)) throw wrongValue(before + field, expected, value);
  }
}

/** Throws unless the values of an object of variables are texts. Their names are told, and never the texts: some are secrets. */
export function checkVariables(given: Readonly<Record<string, unknown>> | undefined, field: string): void {
  for (const [name, value] of Object.entries(given ?? {})) {
    if (/[=\0]/.test(name) || (typeof value === 'string' && value.includes('\0')))
      throw new TurnoutError(
        'bad_request',
        `${field} has ${JSON.stringify(name)}, which can't be a variable: no name has a "=", no text a NUL.`,
      );
    if (value !== undefined && typeof value !== 'string')
      throw wrongValue(`${field}.${name}`, 'a text', value);
  }
}

/** The error for a field of the caller's that is not what it has to be. */
export function wrongValue(field: string, expected: string, value: unknown): TurnoutError {
  const problem = value === undefined ? 'is missing' : `can't be ${shown(value)}`;
  return new TurnoutError('bad_request', `${field} ${problem}: expected ${expected}.`);
}

/** A value in an error: objects and arrays are not spelled out, for they may be long, circular, or have secrets in them. */
function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array like this';
  if (typeof value === 'object' && value !== null) return 'an object like this';
  // JSON calls what is no number null.
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : String(value);
}

/** No type guard: the caller's own type says more. */
export function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
