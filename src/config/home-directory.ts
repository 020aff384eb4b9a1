import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the gateway's data is. Apart from the other settings: whoever only reads it needs no other one to be right. */
export function homeDirectory(env: Environment): string {
  return resolve(given(env['TURNOUT_HOME']) ?? join(given(env['HOME']) ?? homedir(), '.turnout'));
}

/** An empty value in an environment or a .env file means "not set". */
function given(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value;
}
