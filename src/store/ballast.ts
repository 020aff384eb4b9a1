import { randomFillSync } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { open, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

export interface BallastOptions {
  readonly directory: string;
  readonly bytes?: number | undefined;
}

/** Less than this free at the start is a full disk: to open the database takes some of it. */
const tightBytes = 1024 ** 2;
const blockBytes = 1024 ** 2;

/**
 * A file of some megabytes that is given up when the disk is full, so that the database still takes what matters: results,
 * failures, notices. As long as it is `released`, new work has to wait; it ends when the file has been made again.
 *
 * - `missing`: there was no room for all of it so far. → `held` (restore), `released` (release, if some of it is there)
 * - `held`: → `released` (release)
 * - `released`: → `held` (restore)
 */
export class Ballast {
  readonly #directory: string;
  readonly #file: string;
  /** The file in the making. */
  readonly #draft: string;
  readonly #bytes: number;
  #state: 'missing' | 'held' | 'released' = 'missing';
  #filling: Promise<boolean> | undefined;

  /** If the disk is full already, the ballast of a former process is released at once. */
  static async open(options: BallastOptions): Promise<Ballast> {
    const ballast = new Ballast(options);
    if ((await ballast.#free()) < tightBytes) ballast.release();
    // A process that was killed may have left it.
    rmSync(ballast.#draft, { force: true });
    if (ballast.released) return ballast;
    if ((await ballast.#size()) >= ballast.#bytes) ballast.#state = 'held';
    return ballast;
  }

  private constructor({ directory, bytes = 8 * 1024 ** 2 }: BallastOptions) {
    this.#directory = directory;
    this.#file = join(directory, 'ballast');
    this.#draft = `${this.#file}.new`;
    this.#bytes = bytes;
  }

  get released(): boolean {
    return this.#state === 'released';
  }

  /** Gives the space back, at once. False if there is none to give: a disk that never had so much room goes on as it is. */
  release(): boolean {
    const files = [this.#file, this.#draft].filter((file) => existsSync(file));
    if (files.length === 0) return false;
    for (const file of files) rmSync(file, { force: true });
    this.#state = 'released';
    return true;
  }

  /** Makes the file unless it is there. False if there is no room for it and as much again. */
  async restore(): Promise<boolean> {
    if (this.#state === 'held') return true;
    this.#filling ??= this.#restore().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  /** Keeps what little room there is for the next start. */
  async close(): Promise<void> {
    await this.#filling;
    if (this.released) await this.#fill(true).catch(() => undefined);
  }

  async #restore(): Promise<boolean> {
    try {
      if ((await this.#free()) < 2 * this.#bytes) return false;
      await this.#fill(false);
      this.#state = 'held';
      return true;
    } catch {
      // A quota is not seen by `statfs`.
      return false;
    }
  }

  async #fill(asFarAsItGoes: boolean): Promise<void> {
    const draft = this.#draft;
    try {
      const file = await open(draft, 'w', 0o600);
      try {
        // A file system that compresses would make nothing of zeros.
        const block = randomFillSync(Buffer.allocUnsafe(Math.min(blockBytes, this.#bytes)));
        for (let left = this.#bytes; left > 0; left -= block.length) {
          await file.write(block, 0, Math.min(left, block.length));
        }
      } catch (error) {
        if (!asFarAsItGoes) throw error;
      } finally {
        await file.close();
      }
      await rename(draft, this.#file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async #free(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#directory);
    return bavail * bsize;
  }

  #size(): Promise<number> {
    return stat(this.#file).then(
      ({ size }) => size,
      () => 0,
    );
  }
}
