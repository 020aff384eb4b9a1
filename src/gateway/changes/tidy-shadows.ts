import { lstat, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../../store/store.js';
import { maxShadowBytes } from './limits.js';
import { snapshotsDirectory } from './shadow.js';
import type { Snapshots } from './snapshots.js';

export interface TidyParts {
  readonly home: string;
  readonly store: Pick<Store, 'treesOf'>;
  readonly snapshots: Snapshots;
  readonly maxBytes?: number;
  /** The number of objects that lie about before they are packed. */
  readonly maxLoose?: number;
}

/**
 * Keeps the shadow directories small. Objects that no turn names any more go a day later, the others are packed; if all together are
 * still too large, those of the work trees go that were not used for the longest time.
 */
export async function tidyShadows({
  home,
  store,
  snapshots,
  maxBytes = maxShadowBytes,
  maxLoose = 2000,
}: TidyParts): Promise<void> {
  const root = snapshotsDirectory(home);
  const names = await readdir(root).catch(() => []);
  const found: { directory: string; cwd: string; usedAt: number; bytes: number }[] = [];
  for (const name of names) {
    const directory = join(root, name);
    const cwd = await readFile(join(directory, 'work-tree'), 'utf8').catch(() => undefined);
    // A gateway was killed while it made or removed it.
    if (cwd === undefined || name.endsWith('.new')) {
      await rm(directory, { recursive: true, force: true });
      continue;
    }
    if ((await looseObjects(directory)) > maxLoose) await pack(cwd, store, snapshots);
    const { mtimeMs } = await stat(join(directory, 'work-tree'));
    found.push({ directory, cwd, usedAt: mtimeMs, bytes: await sizeOf(directory) });
  }
  let bytes = found.reduce((sum, shadow) => sum + shadow.bytes, 0);
  for (const shadow of found.sort((one, other) => one.usedAt - other.usedAt)) {
    if (bytes <= maxBytes) return;
    if (snapshots.isBusy(shadow.cwd)) continue;
    // Without HEAD it is no shadow any more: half of one is never used.
    await rm(join(shadow.directory, 'HEAD'), { force: true });
    await rm(shadow.directory, { recursive: true, force: true });
    bytes -= shadow.bytes;
  }
}

async function pack(cwd: string, store: Pick<Store, 'treesOf'>, snapshots: Snapshots): Promise<void> {
  const shadow = snapshots.shadow(cwd);
  const latest = await readFile(join(shadow.directory, 'latest'), 'utf8').catch(() => '');
  const named = [...(await store.treesOf(cwd)), ...snapshots.handedOut(cwd), latest];
  const trees = [...new Set(named)].filter((tree) => /^[0-9a-f]{40}$/.test(tree));
  const there = await shadow.git(['cat-file', '--batch-check=%(objectname)'], {
    stdin: Buffer.from(trees.map((tree) => `${tree}\n`).join('')),
  });
  // Only what a reference leads to is kept.
  const refs = there
    .toString()
    .split('\n')
    .filter((line) => /^[0-9a-f]{40}$/.test(line));
  const lines = refs.sort().map((tree) => `${tree} refs/turns/${tree}\n`);
  await writeFile(join(shadow.directory, 'packed-refs'), lines.join(''));
  const limits = { timeoutMs: 5 * 60_000 };
  await shadow.git(['-c', 'pack.threads=1', 'repack', '-a', '-d', '-q', '-l'], limits);
  await shadow.git(['prune', '--expire=1.day.ago'], limits);
}

/** As git guesses it: names are evenly spread over 256 folders. */
async function looseObjects(directory: string): Promise<number> {
  return 256 * (await readdir(join(directory, 'objects', '17')).catch(() => [])).length;
}

async function sizeOf(path: string): Promise<number> {
  const facts = await lstat(path).catch(() => undefined);
  if (facts === undefined) return 0;
  if (!facts.isDirectory()) return facts.blocks * 512;
  let sum = 0;
  for (const name of await readdir(path).catch(() => [])) sum += await sizeOf(join(path, name));
  return sum;
}
