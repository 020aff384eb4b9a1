import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The directory of the gateway's data. It is resolved apart from the other settings, so that a program that
 * only reads the data needs no other setting to be valid.
 */
export function homeDirectory(env: Environment): string {
  return resolve(given(env['TURNOUT_HOME']) ?? join(given(env['HOME']) ?? homedir(), '.turnout'));
}

/** An empty value in an environment or a .env file means "not set". */
function given(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value;
}
