import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { TurnoutError } from '../core/errors.js';
import { damaged, type JournalEntry, parseEntry, unreadable } from './journal.js';

const chunkBytes = 256 * 1024;

/**
 * Reads the entries of a run without holding anything else up. A journal of more than `maxBytes` is refused. A last line
 * without an end was never complete, and does not count.
 */
export async function readEntries(
  path: string,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<readonly JournalEntry[]> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK a FIFO in its place would block the open for ever.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const facts = await file.stat();
    if (!facts.isFile()) throw new Error('it is not a regular file');
    if (facts.size > maxBytes) throw tooLong(path, facts.size);
    const entries: JournalEntry[] = [];
    for await (const line of linesOf(file)) entries.push(parseEntry(line, path, entries.length + 1));
    if (entries[0]?.type !== 'run') throw damaged(path, 1);
    return entries;
  } catch (cause) {
    throw cause instanceof TurnoutError ? cause : unreadable(path, cause);
  } finally {
    await file?.close();
  }
}

async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  for (let position = 0; ; ) {
    const chunk = Buffer.alloc(chunkBytes);
    const { bytesRead } = await file.read(chunk, 0, chunkBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0 && end < bytesRead; end = chunk.indexOf(0x0a, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, end)]).toString('utf8');
      begun = [];
      from = end + 1;
    }
    if (from < bytesRead) begun.push(chunk.subarray(from, bytesRead));
  }
}

function tooLong(path: string, size: number): TurnoutError {
  const megabytes = Math.round(size / 1024 ** 2);
  return new TurnoutError(
    'bad_request',
    `The journal ${path} is too long to be shown here: ${megabytes} MiB.`,
    { hint: '`turnout chain show` shows it in a terminal.' },
  );
}
