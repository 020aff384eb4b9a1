import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../../fixtures/faults/faulty-libc.c', import.meta.url));

/** True where the library can be made: on Linux with a C compiler. */
export const canFail = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;

/** Lets the disk and the clock of a running gateway fail, with a C library in front of the real one. */
export class FaultyLibc {
  readonly #directory = mkdtempSync(join(tmpdir(), 'turnout-faulty-libc-'));
  readonly #library = join(this.#directory, 'faulty-libc.so');
  readonly #control = join(this.#directory, 'control');
  #errno = 0;
  #clockMs = 0;

  constructor() {
    const made = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', this.#library, source, '-ldl']);
    if (made.status !== 0) throw new Error(`The faulty library can't be made: ${made.stderr}`);
    writeFileSync(this.#control, Buffer.alloc(16));
  }

  /** The variables that a gateway is started with. Its agents don't inherit them. */
  environment(directory: string): Readonly<Record<string, string>> {
    return { LD_PRELOAD: this.#library, FAULT_CONTROL: this.#control, FAULT_DIRECTORY: directory };
  }

  /** Every write and sync below the directory fails with this errno; 0: none does. */
  async failWrites(errno: number): Promise<void> {
    this.#errno = errno;
    await this.#write();
  }

  /** The gateway's clock is wrong by this much. */
  async setClock(ms: number): Promise<void> {
    this.#clockMs = ms;
    await this.#write();
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #write(): Promise<void> {
    const numbers = Buffer.alloc(16);
    numbers.writeBigInt64LE(BigInt(this.#errno), 0);
    numbers.writeBigInt64LE(BigInt(this.#clockMs), 8);
    const file = await open(this.#control, 'r+');
    await file.write(numbers, 0, 16, 0);
    await file.close();
  }
}
