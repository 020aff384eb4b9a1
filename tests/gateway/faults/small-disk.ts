import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** True where a file system can be mounted: as root on Linux. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0;

/** A file system of a few megabytes in memory, which is really full when it is filled. */
export class SmallDisk {
  readonly #directory: string;
  readonly #filler: string;

  constructor(directory: string, megabytes: number) {
    this.#directory = directory;
    this.#filler = join(directory, 'filler');
    mkdirSync(directory, { recursive: true });
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory]);
    if (mounted.status !== 0) throw new Error(`No file system could be mounted: ${mounted.stderr}`);
  }

  /** Fills it to the last byte. */
  async fill(): Promise<void> {
    const file = await open(this.#filler, 'a');
    try {
      for (let size = 1 << 20; size >= 1; ) {
        try {
          const { bytesWritten } = await file.write(Buffer.alloc(size));
          if (bytesWritten === 0) size = size >> 1;
        } catch {
          size = size >> 1;
        }
      }
    } finally {
      await file.close();
    }
  }

  empty(): void {
    rmSync(this.#filler, { force: true });
  }

  unmount(): void {
    // Lazily: a process that is still on its way out may hold a file.
    spawnSync('umount', ['--lazy', this.#directory]);
  }
}
