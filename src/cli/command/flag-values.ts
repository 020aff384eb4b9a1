import { TurnoutError } from '../../core/errors.js';

// The values of flags: each reader's error names the flag and what was expected.

export function positive(flag: string, raw: string | undefined, whole: boolean): number | undefined {
  if (raw === undefined) return undefined;
  const value = Number(raw);
  if (raw.trim() !== '' && value > 0 && Number.isFinite(value) && (!whole || Number.isInteger(value)))
    return value;
  throw wrong(`${flag} expects a ${whole ? 'whole ' : ''}number above 0, got ${JSON.stringify(raw)}`);
}

export function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.max(1, Math.round(seconds * 1000));
}

export function oneOf<T extends string>(
  flag: string,
  raw: string | undefined,
  choices: readonly T[],
  hint?: string,
): T | undefined {
  if (raw === undefined) return undefined;
  const choice = choices.find((known) => known === raw.trim().toLowerCase());
  if (choice !== undefined) return choice;
  throw wrong(`${flag} expects one of ${choices.join(', ')}, got ${JSON.stringify(raw)}`, hint);
}

export function notBlank(flag: string, raw: string | undefined): string | undefined {
  if (raw !== undefined && raw.trim() === '') throw wrong(`${flag} expects a value`);
  return raw;
}

/** Without a hint of its own the error gets the one of its command. */
export function wrong(what: string, hint?: string): TurnoutError {
  return new TurnoutError('bad_request', what, { hint });
}
