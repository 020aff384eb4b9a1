import { closeSync, fstatSync, fsyncSync, linkSync, openSync, readSync, rmSync } from 'node:fs';
import { endianness } from 'node:os';
import { KnownFile, type LostFile } from '../known-file.js';
import type { Database } from './database.js';

/**
 * Looks whether the files of an open database are those that SQLite works with. SQLite itself doesn't: it writes on into files
 * that were removed, and behind the end of a log that was truncated. The files stay open until the database is closed, because
 * closing any descriptor of theirs ends SQLite's locks. See https://www.sqlite.org/walformat.html.
 */
export class FileGuard {
  readonly #db: OpenFile;
  readonly #wal: OpenFile;
  readonly #shm: OpenFile;
  #size = 0;
  #counter = 0;

  /** The database is open, in WAL mode, and was read. */
  constructor(file: string) {
    this.#db = new OpenFile(file);
    this.#wal = new OpenFile(`${file}-wal`);
    this.#shm = new OpenFile(`${file}-shm`);
  }

  /** What became of the first file that is not as SQLite left it. It costs some system calls, and waits for nothing. */
  check(): LostFile | undefined {
    const lost = this.#db.known.check() ?? this.#wal.known.check() ?? this.#shm.known.check();
    if (lost !== undefined) return lost;
    const index = readIndex(this.#shm.read(136));
    // Another process is about to change it, or a later SQLite has another form of it.
    if (index === undefined) return undefined;
    return this.#checkLog(index) ?? this.#checkDatabase(index);
  }

  /** True if nothing is where the database was. What SQLite has open is whole then. */
  get isDatabaseRemoved(): boolean {
    return this.#db.known.check()?.fate === 'removed';
  }

  /** Only after SQLite has closed the database. */
  close(): void {
    for (const file of [this.#db, this.#wal, this.#shm]) file.close();
  }

  /** The log is needed as long as something in it has not been moved into the database. */
  #checkLog({ frames, moved, pageSize, salt }: WalIndex): LostFile | undefined {
    if (moved >= frames) return undefined;
    if (this.#wal.size < walHeaderSize + frames * (frameHeaderSize + pageSize))
      return this.#wal.lost('truncated');
    const found = this.#wal.read(walHeaderSize).subarray(16, 24);
    if (found.equals(salt)) return undefined;
    // Whatever is written behind the end of a truncated file leaves a hole in front of it.
    return this.#wal.lost(found.every((byte) => byte === 0) ? 'truncated' : 'replaced');
  }

  #checkDatabase({ frames, moved, pages }: WalIndex): LostFile | undefined {
    const { size } = this.#db;
    const header = this.#db.read(100);
    if (header.length < 100) return this.#db.lost('truncated');
    if (!header.toString('latin1').startsWith('SQLite format 3\0')) return this.#db.lost('replaced');
    const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    const counter = header.readUInt32BE(24);
    const ownPages = header.readUInt32BE(28);
    const isComplete = moved >= frames;
    // SQLite shortens the file only when everything has been moved into it.
    const least = isComplete ? (pages || ownPages) * pageSize : this.#size;
    if (size < least) return this.#db.lost('truncated');
    // A copy that was written over the file is older or has another size, for all that can be seen from here.
    if (counter < this.#counter || (isComplete && pages !== 0 && pages !== ownPages))
      return this.#db.lost('replaced');
    this.#size = size;
    this.#counter = counter;
    return undefined;
  }
}

/** Writes a database whose file was removed to where it was. Throws if something is there by now. */
export function writeAnew(db: Database): void {
  const { file } = db;
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    db.exec(`VACUUM INTO '${draft.replaceAll("'", "''")}'`);
    fsyncSync(descriptor);
    // A log of the removed file would be read as one of the new file.
    for (const beside of ['-wal', '-shm']) rmSync(`${file}${beside}`, { force: true });
    linkSync(draft, file);
  } finally {
    closeSync(descriptor);
    rmSync(draft, { force: true });
  }
}

const walHeaderSize = 32;
const frameHeaderSize = 24;

class OpenFile {
  readonly known: KnownFile;
  readonly #descriptor: number;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'r');
    this.known = new KnownFile(path);
  }

  get size(): number {
    return fstatSync(this.#descriptor).size;
  }

  read(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(this.#descriptor, bytes, 0, length, 0));
  }

  lost(fate: LostFile['fate']): LostFile {
    return { file: this.known.name, fate };
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

interface WalIndex {
  readonly pageSize: number;
  /** The number of frames in the log. */
  readonly frames: number;
  /** So many of them are in the database already. */
  readonly moved: number;
  /** The pages of the database after the last transaction; 0 if there was none since it was opened. */
  readonly pages: number;
  readonly salt: Buffer;
}

function readIndex(bytes: Buffer): WalIndex | undefined {
  if (bytes.length < 136 || !bytes.subarray(0, 48).equals(bytes.subarray(48, 96))) return undefined;
  const little = endianness() === 'LE';
  const number = (at: number) => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const isKnown = number(0) === 3_007_000 && bytes[12] === 1;
  if (!isKnown) return undefined;
  const shortSize = little ? bytes.readUInt16LE(14) : bytes.readUInt16BE(14);
  return {
    pageSize: shortSize === 1 ? 65_536 : shortSize,
    frames: number(16),
    moved: number(96),
    pages: number(20),
    salt: bytes.subarray(32, 40),
  };
}
