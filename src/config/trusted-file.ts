import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { TurnoutError } from '../core/errors.js';
import { otherOwner, userName } from './file-owner.js';

/**
 * Reads a file that chooses programs and tokens: nobody but this user and root may be able to change it, nor to put
 * another one in its place. Undefined if it is not there.
 */
export function readTrustedFile(path: string): string | undefined {
  let file: number;
  try {
    // A pipe in the file's place would keep the reader waiting.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const owner = code === 'EACCES' || code === 'EPERM' ? otherOwner(path) : undefined;
    if (owner !== undefined)
      throw new TurnoutError('bad_request', `${path} can't be read: it belongs to ${owner}.`, {
        hint: `Set TURNOUT_HOME to a directory of your own, or do this as ${owner}.`,
        cause,
      });
    throw new TurnoutError('bad_request', `The settings file ${path} can't be read: ${message}`, { cause });
  }
  try {
    const facts = fstatSync(file);
    // `.env` is a directory where somebody keeps a Python environment.
    if (facts.isDirectory()) return undefined;
    if (!facts.isFile()) throw untrusted(path, 'is no plain file', 'Put a plain file there.');
    if (process.platform !== 'win32') {
      checkFacts(path, facts, false);
      for (const directory of directoriesOf(path)) checkFacts(directory, statSync(directory), true);
    }
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Refuses files that somebody may take for `config.yaml` or `.env`: a restriction in there would have no effect. */
export function refuseLookAlikes(home: string): void {
  let names: readonly string[];
  try {
    names = readdirSync(home);
  } catch {
    // There is no such directory yet, and so no file.
    return;
  }
  const found = names.find((name) => lookAlike.test(name) && !['config.yaml', '.env'].includes(name));
  if (found === undefined) return;
  throw new TurnoutError(
    'bad_request',
    `${join(home, found)} is no settings file, and nothing in it counts.`,
    {
      hint: 'The settings files are config.yaml and .env, in lower case: rename it, or remove it.',
    },
  );
}

const lookAlike = /^(?:config\.(?:ya?ml|json|toml)|\.env)$/i;

/** The directories above the file, and above the file that it is a link to. */
function directoriesOf(path: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const start of [realpathSync(dirname(path)), dirname(realpathSync(path))]) {
    for (let at = start; !found.has(at); at = dirname(at)) found.add(at);
  }
  return found;
}

function checkFacts(
  path: string,
  facts: { readonly uid: number; readonly mode: number },
  isDirectory: boolean,
): void {
  const self = process.geteuid?.() ?? facts.uid;
  if (facts.uid !== self && facts.uid !== 0) {
    throw untrusted(
      path,
      `belongs to the user ${userName(facts.uid)}`,
      `chown it to the user ${userName(self)}, or remove it.`,
    );
  }
  // In a directory with the sticky bit (/tmp) nobody can replace what is another user's.
  const sticky = isDirectory && (facts.mode & 0o1000) !== 0;
  if ((facts.mode & 0o022) !== 0 && !sticky)
    throw untrusted(path, 'can be changed by other users', `chmod go-w ${path}`);
}

function untrusted(path: string, why: string, hint: string): TurnoutError {
  return new TurnoutError('bad_request', `${path} ${why}, so no settings are taken from there.`, { hint });
}
