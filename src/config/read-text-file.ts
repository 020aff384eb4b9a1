import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { isShortage } from '../core/errors.js';

export interface TextFile {
  /** The text has LF as the only end of a line and no BOM; bytes that are no UTF-8 became U+FFFD. */
  readonly text: string;
  /** The hash of the bytes that were read: of the whole file, unless it was cut. */
  readonly sha256: string;
  /** The size of the file. */
  readonly bytes: number;
  /** The number of bytes of the file that the text stands for. */
  readonly shown: number;
  readonly truncated: boolean;
}

export type TextFileReading =
  | { readonly type: 'file'; readonly file: TextFile }
  | { readonly type: 'missing' }
  | { readonly type: 'problem'; readonly problem: string };

/** Reads a file once, and never more of it than `maxBytes`, however large it is. Never waits for a writer. */
export async function readTextFile(path: string, maxBytes: number): Promise<TextFileReading> {
  let handle: FileHandle | undefined;
  try {
    // Without O_NONBLOCK a FIFO in its place would block the open for ever.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = await handle.stat();
    if (stat.isDirectory()) return problem('is a directory; expected a file');
    if (!stat.isFile()) return problem('is not a regular file');
    const bytes = await readUpTo(handle, maxBytes + 1);
    if (isWide(bytes)) return problem('is UTF-16; expected UTF-8');
    return { type: 'file', file: decode(bytes, maxBytes, stat.size) };
  } catch (error) {
    // The file may be all right: its reader must not go on without it.
    if (isShortage(error)) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { type: 'missing' };
    return problem(`could not be read (${code})`);
  } finally {
    await handle?.close();
  }
}

function problem(what: string): TextFileReading {
  return { type: 'problem', problem: what };
}

async function readUpTo(handle: FileHandle, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let length = 0; length < most; ) {
    const chunk = Buffer.allocUnsafe(Math.min(most - length, 64 * 1024));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    chunks.push(chunk.subarray(0, bytesRead));
    length += bytesRead;
    // A regular file gives less than asked for only at its end.
    if (bytesRead < chunk.length) break;
  }
  return Buffer.concat(chunks);
}

function decode(read: Buffer, maxBytes: number, size: number): TextFile {
  const truncated = read.length > maxBytes;
  const kept = read.subarray(0, maxBytes);
  const text = truncated ? decodeCut(kept) : kept.toString('utf8');
  return {
    text: text
      .replace(/^\uFEFF/, '')
      .replaceAll(/\r\n?/g, '\n')
      // No argument of a program can hold a NUL: one in a persona would fail every turn.
      .replaceAll('\0', '\uFFFD'),
    sha256: createHash('sha256').update(kept).digest('hex'),
    bytes: truncated ? Math.max(size, read.length) : kept.length,
    shown: kept.length,
    truncated,
  };
}

/** UTF-16 has its mark at the beginning, or half of a Latin letter there is a NUL. */
function isWide([first, second]: Buffer): boolean {
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return second !== undefined && (first === 0 || second === 0);
}

/** The text of bytes that were cut off. A decoder that is not ended keeps back the character that the cut went through. */
export function decodeCut(bytes: Buffer): string {
  return new StringDecoder('utf8').write(bytes);
}
