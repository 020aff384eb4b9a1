import type { FileHandle } from 'node:fs/promises';
import { LineSplitter } from '../../process/split-lines.js';
import { openRecord } from './open-record.js';

/** A turn's part of a record is far smaller; the record of a long conversation is not. */
const mostBytes = 32 * 1024 * 1024;

export interface Tail {
  readonly lines: readonly string[];
  /** True if the lines are all of the file. */
  readonly fromStart: boolean;
}

/** Reads the last lines of a file. Undefined if there is no such file; rejects if it can't be read. */
export async function readTail(path: string, most = mostBytes): Promise<Tail | undefined> {
  let file: FileHandle;
  try {
    file = await openRecord(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw new Error(`${path} is no file`);
    const { size } = facts;
    const from = Math.max(0, size - most);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const splitter = new LineSplitter();
    const lines = [...splitter.push(buffer.subarray(0, bytesRead)), ...splitter.flush()].map(
      ({ text }) => text,
    );
    // The first line was cut, unless the file was read from its beginning.
    return { lines: from === 0 ? lines : lines.slice(1), fromStart: from === 0 };
  } finally {
    await file.close();
  }
}

export function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
