import { randomBytes } from 'node:crypto';
import { chmod, link, open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isToken, tokenExpected } from '../../../config/formats.js';
import { TurnoutError } from '../../../core/errors.js';
import { makeDirectory } from '../../../core/make-directory.js';

export interface HttpToken {
  readonly token: string;
  /** The file that holds the token; undefined if it comes from the settings. */
  readonly file?: string;
  /** True if the token was made by this call. */
  readonly created: boolean;
  readonly warnings: readonly string[];
}

/** A shorter one can be guessed. */
export const shortestToken = 16;

/** The token of the settings, or the one in the data directory, which is made at the first start. */
export async function loadHttpToken(home: string, configured?: string): Promise<HttpToken> {
  const set = configured?.trim();
  if (set !== undefined && set !== '') {
    return { token: checkToken(set, 'HTTP_TOKEN'), created: false, warnings: warnIfShort(set, 'HTTP_TOKEN') };
  }
  const file = join(home, 'http-token');
  const created = !(await exists(file)) && (await createOnce(home, file));
  const warnings = await restrictMode(file);
  const token = checkToken((await orExplain(file, 'read', () => readFile(file, 'utf8'))).trim(), file);
  return { token, file, created, warnings: [...warnings, ...warnIfShort(token, file)] };
}

/** False if another process was faster. The file appears as a whole: two that start at once agree on one token. */
function createOnce(home: string, file: string): Promise<boolean> {
  return orExplain(file, 'made', async () => {
    makeDirectory(home);
    const draft = `${file}.${randomBytes(6).toString('hex')}`;
    try {
      const handle = await open(draft, 'wx', 0o600);
      try {
        await handle.writeFile(`${randomBytes(32).toString('base64url')}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      // Unlike a rename, a link never replaces what another process has put there.
      await link(draft, file);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
  });
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}

async function restrictMode(file: string): Promise<readonly string[]> {
  const { mode } = await orExplain(file, 'read', () => stat(file));
  if ((mode & 0o077) === 0) return [];
  const was = (mode & 0o777).toString(8).padStart(4, '0');
  return chmod(file, 0o600).then(
    () => [
      `${file} could be read by others (mode ${was}): its mode is 0600 now. Delete it to get a new token.`,
    ],
    (error: Error) => [
      `${file} can be read by others (mode ${was}), and that can't be changed: ${error.message}`,
    ],
  );
}

/** The problem of the token in the data directory; undefined if it is right, or none can be read. */
export async function checkTokenFile(home: string): Promise<string | undefined> {
  const file = join(home, 'http-token');
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept === undefined) return undefined;
  try {
    checkToken(kept.trim(), file);
    return undefined;
  } catch (error) {
    if (error instanceof TurnoutError) return error.explanation;
    throw error;
  }
}

function checkToken(token: string, origin: string): string {
  if (isToken(token)) return token;
  const what = token === '' ? 'is empty' : 'is no token';
  throw new TurnoutError('bad_request', `${origin} ${what}: ${tokenExpected}.`, {
    hint:
      origin === 'HTTP_TOKEN'
        ? 'Correct it, or leave it unset: a token is then made and kept in the data directory.'
        : `Put a token into it, or delete it: a new one is made at the next start.`,
  });
}

function warnIfShort(token: string, origin: string): readonly string[] {
  return token.length >= shortestToken
    ? []
    : [`The token in ${origin} has ${token.length} characters: fewer than ${shortestToken} can be guessed.`];
}

async function orExplain<T>(file: string, verb: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    throw new TurnoutError(
      'bad_request',
      `The token file ${file} can't be ${verb}: ${(cause as Error).message}`,
      {
        hint: 'Check who owns it and its directory, or set HTTP_TOKEN.',
        cause,
      },
    );
  }
}
