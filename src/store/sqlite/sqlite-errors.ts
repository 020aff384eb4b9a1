import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError, type StoreFault } from '../errors.js';

/** The meaning of SQLite's result codes. The extended codes keep the primary one in their lowest byte. */
const faults: Readonly<Record<number, StoreFault>> = {
  5: 'locked', // SQLITE_BUSY
  6: 'locked', // SQLITE_LOCKED
  7: 'io', // SQLITE_NOMEM
  8: 'read_only', // SQLITE_READONLY
  9: 'io', // SQLITE_INTERRUPT
  10: 'io', // SQLITE_IOERR
  11: 'corrupt', // SQLITE_CORRUPT
  13: 'full', // SQLITE_FULL
  14: 'io', // SQLITE_CANTOPEN, also for want of a file descriptor
  15: 'io', // SQLITE_PROTOCOL
  26: 'corrupt', // SQLITE_NOTADB
};
const ioError = 10;
const noSpace = 28;
const overQuota = 122;
/** Errors of the file system while the file is created, before SQLite has it. */
const systemFaults: Readonly<Record<string, StoreFault>> = {
  EACCES: 'read_only',
  EPERM: 'read_only',
  EROFS: 'read_only',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EIO: 'io',
  EMFILE: 'io',
  ENFILE: 'io',
  ENOMEM: 'io',
};
/** @photostructure/sqlite 1.2.1 gives an error of `all()` no code, so SQLite's message stands in for it. */
const codesByMessage: Readonly<Record<string, number>> = {
  'database is locked': 5,
  'database table is locked': 6,
  'out of memory': 7,
  'attempt to write a readonly database': 8,
  interrupted: 9,
  'disk I/O error': ioError,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'locking protocol': 15,
  'file is not a database': 26,
};

export function toStoreError(error: unknown, file: string): StoreError {
  if (error instanceof StoreError) return error;
  const fault = faultOf(error, file);
  return new StoreError(fault, explanations[fault](file, error), { cause: error });
}

/** The error of new work as long as the ballast is given up. */
export function newWorkRefused(file: string): StoreError {
  return new StoreError('full', explanations.full(file, undefined), { refusesNewWork: true });
}

/** True for an error of the whole transaction (full, read-only, damaged, …), not only of one operation. */
export function concernsFile(error: unknown): boolean {
  const code = primaryCode(error);
  return code !== undefined && code in faults;
}

function faultOf(error: unknown, file: string): StoreFault {
  const code = primaryCode(error);
  if (code === undefined)
    return systemFaults[(error as NodeJS.ErrnoException | undefined)?.code ?? ''] ?? 'failed';
  if (code === ioError && isOutOfSpace(error, file)) return 'full';
  return faults[code] ?? 'failed';
}

function primaryCode(error: unknown): number | undefined {
  const code = fieldOf(error, 'errcode') ?? codesByMessage[error instanceof Error ? error.message : ''];
  return code === undefined ? undefined : code & 0xff;
}

/** On a full disk SQLite can't make its shared memory, and calls that an I/O error. `node:sqlite` tells no errno. */
function isOutOfSpace(error: unknown, file: string): boolean {
  const errno = fieldOf(error, 'systemErrno');
  if (errno !== undefined) return errno === noSpace || errno === overQuota;
  try {
    const { blocks, bavail } = statfsSync(dirname(file));
    return blocks > 0 && bavail === 0;
  } catch {
    return false;
  }
}

function fieldOf(error: unknown, name: string): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const value = (error as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'number' ? value : undefined;
}

const explanations: Readonly<Record<StoreFault, (file: string, error: unknown) => string>> = {
  full: (file) => `The disk of ${file} is full: nothing was written. Free some space; no restart is needed.`,
  locked: (file) =>
    `Another program holds the database ${file} locked: nothing was written. Close what has it open.`,
  io: (file, error) =>
    `The disk or the system failed on the database ${file} (${messageOf(error)}): nothing was written. It is tried again.`,
  read_only: (file) =>
    `The database ${file} can't be written. Give this user the right to write it and its directory.`,
  corrupt: (file) =>
    `${file} is damaged or no database of Turnout's. Put a copy of it back, or move it away to begin with an empty one.`,
  lost_lease: () => 'The lease of this turn is lost.',
  lost_file: (file) => `A file of the database ${file} was removed, replaced or truncated.`,
  closed: (file) => `The database ${file} is closed.`,
  failed: (file, error) => `The database ${file} failed: ${messageOf(error)}`,
};

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
