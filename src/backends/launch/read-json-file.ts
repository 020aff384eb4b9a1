import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { TurnoutError } from '../../core/errors.js';
import { isObject, type JsonObject } from '../output/json.js';

/** A file of settings that a person writes is far smaller. */
const maxBytes = 1024 * 1024;

/**
 * Reads a file that holds one JSON object. `what` names the file in the error, which has the path and the reason. A FIFO, a
 * device or a huge file in its place is refused, not waited for.
 */
export async function readJsonFile(path: string, what: string, hint?: string): Promise<JsonObject> {
  const unusable = (why: string, cause?: unknown) =>
    new TurnoutError('bad_request', `${what} ${path} can't be used: ${why}.`, { hint, cause });
  const text = await readSmallFile(path).catch((cause: unknown) => {
    throw unusable(reason(cause), cause);
  });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw unusable(`it is not JSON (${(cause as Error).message})`, cause);
  }
  if (!isObject(parsed)) throw unusable('it is not a JSON object');
  return parsed;
}

/** Rejects if it is no regular file, or over the limit. */
export async function readSmallFile(path: string): Promise<string> {
  // Without O_NONBLOCK a FIFO would hold one of the few threads that read files, for ever.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error('it is not a file');
    if (found.size > maxBytes) throw new Error(`it has more than ${maxBytes / 1024} KiB`);
    const bytes = Buffer.alloc(found.size);
    const { bytesRead } = await file.read(bytes, 0, found.size, 0);
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function reason(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'it is not there';
  return code === 'EACCES' ? 'it must not be read by this user' : message;
}
