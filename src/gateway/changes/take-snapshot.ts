import { copyFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TurnoutError } from '../../core/errors.js';
import type { GitRun } from '../../process/run-git.js';
import { type BytePath, nulTerminated } from '../../process/work-tree/byte-path.js';
import { type Chosen, chooseFiles } from './choose-files.js';
import { heldNow } from './file-now.js';
import { findRepositories } from './find-repositories.js';
import { isIgnoreFile, readIgnoreRules } from './ignore-rules.js';
import { maxHidden, maxNested, snapshotGitMs } from './limits.js';
import {
  entryPath,
  isOwn,
  isRefused,
  isSeed,
  pathOfEntry,
  repositoryFiles,
  seedName,
} from './own-entries.js';
import type { Shadow } from './shadow.js';
import { writeBlob } from './write-blob.js';

/** What was looked at: the root of the work tree, and the ignore rules in it. */
export interface View {
  readonly root: string;
  readonly rules: string;
}

export interface Taken {
  readonly tree: string;
  readonly view: View;
  /** What it has of the files that git takes none of: `<mode> <oid>`. */
  readonly own: ReadonlyMap<BytePath, string>;
}

export interface SnapshotRun {
  readonly shadow: Shadow;
  /** The ignore files that are known, by their paths below the directory. It is kept for the next snapshot. */
  readonly ignoreFiles: Set<BytePath>;
  /** The last one: if nothing has changed since, its tree is taken again. */
  readonly latest?: Taken | undefined;
  readonly signal: AbortSignal;
}

/**
 * Takes a snapshot of a work tree. Only one may be at work in a shadow.
 *
 * It does not use `git add -A`: that asks git in every repository inside the work tree how it is, and such a git obeys the settings
 * that it finds there. Listing and adding named files starts nothing.
 */
export async function takeSnapshot({ shadow, ignoreFiles, latest, signal }: SnapshotRun): Promise<Taken> {
  const root = shadow.findRoot();
  const index = shadow.indexFor(root);
  // A git that was killed has left its lock; no other one is at work here.
  await rm(`${index}.lock`, { force: true });
  let own = latest?.own ?? new Map<BytePath, string>();
  if (latest === undefined || latest.view.root !== root) {
    const kept = namesIn(
      await shadow.git(['ls-files', '-z'], { root, index, signal, timeoutMs: snapshotGitMs }),
    );
    for (const path of kept) if (isIgnoreFile(path)) ignoreFiles.add(path);
    own = new Map(kept.filter(isOwn).map((entry) => [pathOfEntry(entry), '']));
  }
  const sources = { shadow, root, inside: ignoreFiles };
  for (;;) {
    const rules = await readIgnoreRules(sources);
    const view = { root, rules };
    const place = { shadow, view, index, signal };
    const { changed, added } = await listChanged(place);
    const paths = [...changed, ...added];
    const unknown = paths.filter((path) => isIgnoreFile(path) && !ignoreFiles.has(path));
    for (const path of unknown) ignoreFiles.add(path);
    // Their rules were not there for the list.
    if (unknown.length > 0 && rules !== (await readIgnoreRules(sources))) continue;
    const chosen = await chooseFiles(
      shadow,
      root,
      paths.filter((path) => !isRefused(path)),
    );
    await addChosen(place, chosen);
    const held = await addOwn(place, added, own);
    const isUnchanged = chosen.paths.length + chosen.recent.size + chosen.unfiltered.size === 0;
    const isSame = isUnchanged && !held.isChanged && latest?.view.root === root;
    const tree = isSame ? latest.tree : await writeTree(place);
    // No turn may name it yet when old objects are removed.
    if (!isSame) await writeFile(join(shadow.directory, 'latest'), tree);
    return { tree, view, own: held.own };
  }
}

export interface ShownAll {
  readonly tree: string;
  /** The number of files that are left out: too many for a person to look at. */
  readonly hidden: number;
}

/**
 * The tree as it is by an earlier view: with the new files that ignore rules hide which were written since. They stay out of the index,
 * so that they are hidden from then on.
 */
export async function takeByView(shadow: Shadow, view: View, signal: AbortSignal): Promise<ShownAll> {
  copies += 1;
  const index = join(shadow.directory, `copy-${copies}`);
  const place = { shadow, view, index, signal };
  try {
    await copyFile(shadow.indexFor(view.root), index);
    await utimes(index, later, later);
    const { changed, added } = await listChanged(place);
    const paths = [...changed, ...added.slice(0, maxHidden)].filter((path) => !isRefused(path));
    await addChosen(place, await chooseFiles(shadow, view.root, paths));
    await addOwn(place, added, new Map());
    return { tree: await writeTree(place), hidden: Math.max(0, added.length - maxHidden) };
  } finally {
    for (const file of [index, `${index}.lock`]) await rm(file, { force: true });
  }
}

let copies = 0;

interface Place {
  readonly shadow: Shadow;
  readonly view: View;
  readonly index: string;
  readonly signal: AbortSignal;
}

function git(place: Place, args: readonly string[], run: Partial<GitRun> = {}): Promise<Buffer> {
  const { shadow, view, index, signal } = place;
  return shadow.git(args, { root: view.root, index, signal, timeoutMs: snapshotGitMs, ...run });
}

/** Adds what git does not take: the files of the user's repository that matter, and what is spelt like one. `known` is there already. */
async function addOwn(
  place: Place,
  added: readonly BytePath[],
  known: ReadonlyMap<BytePath, string>,
): Promise<{ readonly own: ReadonlyMap<BytePath, string>; readonly isChanged: boolean }> {
  const { shadow, view } = place;
  const own = new Map<BytePath, string>();
  const listed = await repositoryFiles(view.root, shadow);
  for (const path of [...listed, ...added.filter(isRefused).slice(0, maxHidden)]) {
    const held = await heldNow(shadow, path);
    // What can't be read counts as unchanged.
    const former = held === 'other' ? known.get(path) : undefined;
    if (former !== undefined) own.set(path, former);
    if (held === undefined || held === 'other') continue;
    own.set(path, `${held.mode} ${await writeBlob(shadow, held.content)}`);
  }
  const changed = [...own].filter(([path, entry]) => entry !== '' && known.get(path) !== entry);
  const gone = [...known.keys()].filter((path) => !own.has(path));
  const prefix = shadow.prefixFor(view.root);
  const entries = [
    ...changed.map(([path, entry]) => `${entry}\t${prefix}${entryPath(path)}`),
    ...gone.map((path) => `0 ${'0'.repeat(40)}\t${prefix}${entryPath(path)}`),
  ];
  const isChanged = entries.length > 0;
  if (isChanged) await addEntries(place, entries);
  return { own, isChanged };
}

async function addChosen(place: Place, chosen: Chosen): Promise<void> {
  const { recent, unfiltered } = chosen;
  // One of them may be gone, or a link, by now.
  const missed = await addUnfiltered(place, recent);
  const paths = [...chosen.paths, ...missed];
  const asPack = paths.length > manyFiles && (await packsNewFiles(place)) ? intoPack : [];
  for (let from = 0; from < paths.length; from += portion) {
    // A snapshot that is given up has not been in vain: the next one goes on behind the portions that are done.
    const args = [...asPack, 'update-index', '--add', '--remove', '--replace', '-z', '--stdin'];
    const isSettled = missed.length === 0 && !chosen.hasMoreRecent;
    await updateIndex(place, args, nulTerminated(paths.slice(from, from + portion)), isSettled);
  }
  await addUnfiltered(place, unfiltered);
}

/**
 * Git compares the content of a file that was written in the same second as its index, and waits if the attributes that it reads for
 * that are a pipe. It does not do so with an index of a later time. Files that were written just now are added without their times
 * instead, and so once more; where they are too many, git may compare.
 */
async function updateIndex(
  place: Place,
  args: readonly string[],
  stdin: Buffer,
  isSettled = true,
): Promise<void> {
  await git(place, args, { stdin });
  if (isSettled) await utimes(place.index, later, later);
}

const later = new Date('2100-01-01');

const portion = 4000;

/**
 * Many new files go into one pack, which takes a third of the time of a file for each and a tenth of the room. That is what git does
 * with large files, and it is told that all of them are. An older git would make a pack of each file.
 */
const manyFiles = 200;
const intoPack = ['-c', 'core.bigFileThreshold=1'];

async function packsNewFiles(place: Place): Promise<boolean> {
  const version = (await git(place, ['version'])).toString();
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38);
}

/**
 * Adds files without a look at any attributes. The index then knows nothing of their times, so the next snapshot adds them again.
 * Returns those that are no files by now, or can't be read.
 */
async function addUnfiltered(
  place: Place,
  files: ReadonlyMap<BytePath, string>,
): Promise<readonly BytePath[]> {
  const prefix = place.shadow.prefixFor(place.view.root);
  const entries: string[] = [];
  const missed: BytePath[] = [];
  const paths = [...files.keys()];
  for (let from = 0; from < paths.length; from += atOnce) {
    if (place.signal.aborted) throw new TurnoutError('timeout', 'A snapshot took too long.');
    const some = paths.slice(from, from + atOnce);
    const found = await Promise.all(some.map((path) => heldNow(place.shadow, path)));
    for (const [at, path] of some.entries()) {
      const held = found[at];
      if (held === undefined || held === 'other' || held.mode === '120000') missed.push(path);
      else
        entries.push(`${files.get(path)} ${await writeBlob(place.shadow, held.content)}\t${prefix}${path}`);
    }
  }
  if (entries.length > 0) await addEntries(place, entries);
  return missed;
}

const atOnce = 16;

async function addEntries(place: Place, entries: readonly string[]): Promise<void> {
  await updateIndex(place, ['update-index', '--replace', '-z', '--index-info'], nulTerminated(entries));
}

interface Listed {
  /** Those that the index has, gone ones too. */
  readonly changed: readonly BytePath[];
  readonly added: readonly BytePath[];
}

/** Lists what is new, changed or gone, relative to the directory. */
async function listChanged(place: Place): Promise<Listed> {
  const { shadow, view } = place;
  const rules = await shadow.writeRules(view.rules);
  // `ls-files --modified` compares contents, and reads attributes for that.
  const output = await git(place, [
    'diff-files',
    '-z',
    '--name-only',
    '--relative',
    '--no-renames',
    '--ignore-submodules=all',
  ]);
  const changed = namesIn(output).filter((name) => !isSeed(name));
  for (let round = 0; ; round += 1) {
    const others = await listOthers(place, rules);
    const nested = others.filter((name) => name.endsWith('/'));
    if (nested.length === 0) return { changed, added: others };
    if (round === maxDepth || nested.length > maxNested)
      throw new TurnoutError('unsupported', 'there are too many repositories inside it');
    await openNested(place, nested);
  }
}

/**
 * Git opens files of a repository inside the work tree which it does not know, and waits if one is a pipe. What it has a file of in its
 * index, it does not look at in that way.
 */
async function listOthers(place: Place, rules: string): Promise<readonly BytePath[]> {
  const list = (timeoutMs: number) =>
    git(place, ['ls-files', '-z', '--others', `--exclude-from=${place.shadow.forReader(rules)}`], {
      timeoutMs,
    });
  const output = await list(snapshotGitMs / 2).catch(async (error: unknown) => {
    const isStuck = error instanceof TurnoutError && error.code === 'timeout' && !place.signal.aborted;
    if (!isStuck) throw error;
    const nested = await findRepositories(place.shadow.cwd, place.shadow.user, place.signal);
    if (nested.length > 0) await openNested(place, nested);
    return list(snapshotGitMs);
  });
  return namesIn(output);
}

function namesIn(output: Buffer): readonly BytePath[] {
  return output.toString('latin1').split('\0').slice(0, -1);
}

const maxDepth = 10;

/**
 * Git does not look into repositories inside the work tree, unless its index has a file of theirs: it gets one that does not
 * exist. A directory of projects is a usual place for agents.
 */
async function openNested(place: Place, directories: readonly BytePath[]): Promise<void> {
  const empty = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
  await git(place, ['hash-object', '-w', '--stdin']);
  const prefix = place.shadow.prefixFor(place.view.root);
  await addEntries(
    place,
    directories.map((name) => `100644 ${empty}\t${prefix}${name}${seedName}`),
  );
}

async function writeTree(place: Place): Promise<string> {
  const prefix = Buffer.from(place.shadow.prefixFor(place.view.root), 'latin1').toString();
  const args = prefix === '' ? ['write-tree'] : ['write-tree', `--prefix=${prefix}`];
  try {
    return (await git(place, args)).toString().trim();
  } catch (error) {
    // There is no tree for a prefix without files.
    if (error instanceof TurnoutError && /prefix .* not found/s.test(error.message)) return emptyTree;
    throw error;
  }
}

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
