import { given } from '../../config/home-directory.js';
import { isObject, type JsonObject } from '../output/json.js';
import { readSmallFile } from './read-json-file.js';

/** What can be told of a CLI's key or account without a network call. */
export interface FoundCredentials {
  /** `unknown`: it can't be told from files and variables. */
  readonly signedIn: 'yes' | 'no' | 'unknown';
  /** The kind of key or account, and where it is; never the key itself. */
  readonly credentials?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export const notSignedIn: FoundCredentials = { signedIn: 'no' };
export const notKnown: FoundCredentials = { signedIn: 'unknown' };

export function signedInBy(credentials: string): FoundCredentials {
  return { signedIn: 'yes', credentials };
}

/** The first of the variables that has a value. */
export function firstSet(env: Environment, names: readonly string[]): string | undefined {
  return names.find((name) => given(env[name]) !== undefined);
}

/** True for `1`, `true` and the like, as the CLIs read their switches. */
export function isOn(value: string | undefined): boolean {
  return /^(1|true|yes|on)$/i.test(value?.trim() ?? '');
}

/** The object in a JSON file: undefined if there is no file, `unreadable` if it can't be read, or holds something else. */
export async function readObject(path: string): Promise<JsonObject | 'unreadable' | undefined> {
  try {
    const parsed: unknown = JSON.parse(await readSmallFile(path));
    return isObject(parsed) ? parsed : 'unreadable';
  } catch (error) {
    return isMissing(error) ? undefined : 'unreadable';
  }
}

/** The file's text: undefined if there is none, `unreadable` if it can't be read. */
export async function readText(path: string): Promise<{ text: string } | 'unreadable' | undefined> {
  try {
    return { text: await readSmallFile(path) };
  } catch (error) {
    return isMissing(error) ? undefined : 'unreadable';
  }
}

/** True if the value is a text that is not empty: a key, or a token. */
export function isKey(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}
