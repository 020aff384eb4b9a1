import { type FieldRule, isRecord } from './check-fields.js';

// The rules of fields that several interfaces have.

export const aText: FieldRule = ['a text', (value) => typeof value === 'string'];

export const aPath: FieldRule = ['a path', (value) => isWord(value) && value.trim() !== ''];

export const trueOrFalse: FieldRule = ['true or false', (value) => typeof value === 'boolean'];

export const aFunction: FieldRule = ['a function', (value) => typeof value === 'function'];

export const anObject: FieldRule = ['an object', isRecord];

export const someVariables: FieldRule = ['an object of names and texts', isRecord];

export const anAbortSignal: FieldRule = ['an AbortSignal', (value) => value instanceof AbortSignal];

export const someArguments: FieldRule = [
  'an array of texts without NUL characters',
  (value) => Array.isArray(value) && value.every(isWord),
];

export const milliseconds: FieldRule = ['a number of milliseconds (0: no limit)', isAmount];

export function wholeNumberFrom(least: number): FieldRule {
  const isRight = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= least;
  return [`a whole number from ${least} up`, isRight];
}

export function oneOf(choices: readonly string[]): FieldRule {
  return [`one of ${choices.join(', ')}`, (value) => choices.some((choice) => choice === value)];
}

/** Infinity is an amount, NaN is none. */
export function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

/** No argument, path or variable can hold a NUL. */
export function isWord(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}
