import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Only root may mount. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0 && tryToMount();

/** Puts a real disk of a few megabytes at `directory`, until the test is over. */
export function mountSmallDisk(directory: string, megabytes: number): void {
  onTestFinished(mountDisk(directory, megabytes));
}

/** Puts a real disk there, in memory. Returns a function that takes it away. */
export function mountDisk(directory: string, megabytes: number): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', directory]);
  return () => run('umount', ['-l', directory]);
}

/** Fills the disk up to its last byte. Returns a function that makes room again. */
export function fillDisk(directory: string): () => void {
  const path = join(directory, 'fill');
  const file = openSync(path, 'a');
  try {
    for (let size = 1024 ** 2; size >= 1; size = Math.floor(size / 4)) {
      try {
        for (;;) if (writeSync(file, Buffer.alloc(size, 'x')) < size) break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(file);
  }
  return () => rmSync(path, { force: true });
}

function tryToMount(): boolean {
  const script = 'd=$(mktemp -d) && mount -t tmpfs tmpfs "$d" && umount "$d"; s=$?; rmdir "$d"; exit $s';
  return spawnSync('sh', ['-c', script]).status === 0;
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
}
