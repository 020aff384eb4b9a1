import { existsSync } from 'node:fs';
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
  readonly now?: () => number;
}

interface Found {
  readonly directory: string;
  readonly cwd: string;
  readonly usedAt: number;
}

/**
 * Keeps the shadow directories small. Objects that no turn names any more go, within a week at the latest, and the others are packed;
 * a shadow of which no turn names a tree goes as a whole. If all together are still too large, those of the work trees go that were not
 * used for the longest time; then the older half of the trees of those that are in use.
 */
export async function tidyShadows(parts: TidyParts): Promise<void> {
  const { store, snapshots, maxLoose = 2000, now = Date.now } = parts;
  // One that can't be packed keeps no other from it.
  const problems: unknown[] = [];
  const kept: (Found & { bytes: number })[] = [];
  for (const shadow of await findShadows(parts)) {
    const { directory, cwd, usedAt } = shadow;
    const isIdle = !snapshots.isBusy(cwd) && now() - usedAt > dayMs;
    const named = await store.treesOf(cwd);
    if (isIdle && named.length === 0) {
      await removeShadow(directory);
      continue;
    }
    if (!snapshots.isBusy(cwd)) await removeLeftovers(directory, now() - dayMs);
    if (await needsPacking(shadow, maxLoose, now()))
      await pack(cwd, named, snapshots).catch((error: unknown) => problems.push(error));
    kept.push({ ...shadow, bytes: await sizeOf(directory) });
  }
  await shrink(kept, parts);
  if (problems.length > 0) throw problems[0];
}

async function shrink(
  kept: (Found & { bytes: number })[],
  { store, snapshots, maxBytes = maxShadowBytes }: TidyParts,
): Promise<void> {
  let bytes = kept.reduce((sum, shadow) => sum + shadow.bytes, 0);
  const oldestFirst = kept.sort((one, other) => one.usedAt - other.usedAt);
  for (const shadow of oldestFirst.filter(({ cwd }) => !snapshots.isBusy(cwd))) {
    if (bytes <= maxBytes) return;
    await removeShadow(shadow.directory);
    bytes -= shadow.bytes;
  }
  for (const shadow of oldestFirst.filter(({ cwd }) => snapshots.isBusy(cwd))) {
    if (bytes <= maxBytes) return;
    await pack(shadow.cwd, await store.treesOf(shadow.cwd), snapshots, 0.5);
    bytes += (await sizeOf(shadow.directory)) - shadow.bytes;
  }
}

const dayMs = 86_400_000;

async function findShadows({ home, snapshots }: TidyParts): Promise<readonly Found[]> {
  const root = snapshotsDirectory(home);
  const found: Found[] = [];
  for (const name of await readdir(root).catch(() => [])) {
    const directory = join(root, name);
    if (snapshots.isMaking(directory.replace(/\.new$/, ''))) continue;
    const cwd = await readFile(join(directory, 'work-tree'), 'utf8').catch(() => undefined);
    // Another one than the shadow of its work tree is that of another AGENT_USER.
    const isWhole =
      cwd !== undefined &&
      existsSync(join(directory, 'HEAD')) &&
      snapshots.shadow(cwd).directory === directory;
    // A gateway was killed while it made or removed it, or it was spoilt.
    if (!isWhole) await rm(directory, { recursive: true, force: true });
    else found.push({ directory, cwd, usedAt: (await stat(join(directory, 'work-tree'))).mtimeMs });
  }
  return found;
}

async function removeShadow(directory: string): Promise<void> {
  // Without HEAD it is no shadow any more: half of one is never used.
  await rm(join(directory, 'HEAD'), { force: true });
  await rm(directory, { recursive: true, force: true });
}

/** What killed gits have left, and ignore rules of other days. */
async function removeLeftovers(directory: string, before: number): Promise<void> {
  const packs = join(directory, 'objects', 'pack');
  const own = (await readdir(directory)).filter((name) => /^(rules|copy)-|\.lock$/.test(name));
  const temporary = (await readdir(packs).catch(() => [])).filter((name) => /^\.?tmp/.test(name));
  for (const file of [
    ...own.map((name) => join(directory, name)),
    ...temporary.map((name) => join(packs, name)),
  ]) {
    const facts = await lstat(file).catch(() => undefined);
    if (facts !== undefined && facts.mtimeMs < before) await rm(file, { force: true });
  }
}

async function needsPacking({ directory, usedAt }: Found, maxLoose: number, now: number): Promise<boolean> {
  if ((await looseObjects(directory)) > maxLoose) return true;
  const packs = await readdir(join(directory, 'objects', 'pack')).catch(() => []);
  if (packs.filter((name) => name.endsWith('.pack')).length > maxPacks) return true;
  const facts = await stat(join(directory, 'packed-refs')).catch(() => stat(join(directory, 'HEAD')));
  return usedAt > facts.mtimeMs && now - facts.mtimeMs > 7 * dayMs;
}

const maxPacks = 30;

/** Keeps the newest ones of these trees, and those that turns may come to name. `named` has the oldest first. */
async function pack(cwd: string, named: readonly string[], snapshots: Snapshots, share = 1): Promise<void> {
  const shadow = snapshots.shadow(cwd);
  const latest = await readFile(join(shadow.directory, 'latest'), 'utf8').catch(() => '');
  const there = async (trees: readonly string[]) => {
    const names = trees.filter((tree) => isObjectName(tree));
    const stdin = Buffer.from(names.map((tree) => `${tree}\n`).join(''));
    const output = await shadow.git(['cat-file', '--batch-check=%(objectname)'], { stdin });
    return output.toString().split('\n').filter(isObjectName);
  };
  const old = await there(named);
  const kept = share === 1 ? old : old.slice(-Math.ceil(old.length * share));
  // Only what a reference or the index leads to is kept.
  const refs = [...new Set([...kept, ...(await there([...snapshots.handedOut(cwd), latest]))])];
  const lines = refs.sort().map((tree) => `${tree} refs/turns/${tree}\n`);
  await writeFile(join(shadow.directory, 'packed-refs'), lines.join(''));
  const run = { timeoutMs: 5 * 60_000, index: shadow.indexFor(shadow.findRoot()) };
  await shadow.git(['-c', 'pack.threads=1', 'repack', '-a', '-d', '-q', '-l'], run);
  await shadow.git(['prune', '--expire=1.day.ago'], run);
}

function isObjectName(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
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
