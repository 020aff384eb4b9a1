import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { TurnoutError } from '../core/errors.js';
import type { Environment } from './home-directory.js';

/** Merges the `.env` file of a directory with the environment; the environment wins. */
export function readEnvironment(directory: string, environment: Environment): Environment {
  const file = join(directory, '.env');
  try {
    return { ...parseEnv(readFileSync(file, 'utf8')), ...environment };
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR') return environment;
    throw new TurnoutError('bad_request', `The settings file ${file} can't be read: ${message}`, { cause });
  }
}
