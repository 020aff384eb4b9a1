import { createHash } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import { chmod, chown, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { removeScratchFiles, scratchDirectory } from '../../backends/launch/scratch-files.js';
import { linkedSignal } from '../../core/linked-signal.js';
import { createMark, markEnvironment } from '../../process/mark-child.js';
import { type ProcessUser, readersGroup } from '../../process/process-user.js';
import { type GitRun, inherited, runGit } from '../../process/run-git.js';
import type { BytePath } from '../../process/work-tree/byte-path.js';
import type { WorkTreeFiles } from '../../process/work-tree-files.js';

export interface ShadowOptions {
  /** TURNOUT_HOME. */
  readonly home: string;
  readonly path: string | undefined;
  readonly workTrees: WorkTreeFiles;
  readonly signal: AbortSignal;
}

export interface ShadowRun extends Partial<Omit<GitRun, 'cwd' | 'env' | 'args'>> {
  readonly root?: string;
  readonly index?: string;
}

/**
 * A git directory of our own for somebody's work tree. The user's repository is not touched, and nothing of it is obeyed but its
 * ignore rules: settings, attributes, hooks and filters of it could start programs, and would change what is kept.
 */
export class Shadow {
  readonly directory: string;
  /** The real path of the directory that an agent works in: names of files are relative to it. */
  readonly cwd: string;
  readonly workTrees: WorkTreeFiles;
  readonly #options: ShadowOptions;
  #gitDirectory: string | undefined;

  constructor(cwd: string, options: ShadowOptions) {
    this.cwd = cwd;
    this.workTrees = options.workTrees;
    this.directory = shadowDirectory(options, cwd);
    this.#options = options;
  }

  /** The user whose rights git has when it reads the work tree, if it is another one than ours. */
  get user(): ProcessUser | undefined {
    return this.workTrees.user;
  }

  get exists(): boolean {
    return existsSync(join(this.directory, 'HEAD'));
  }

  /** False until the first snapshot is whole. */
  get hasSnapshot(): boolean {
    return this.exists && existsSync(join(this.directory, 'latest'));
  }

  /** Without HEAD it is no shadow any more: the next snapshot makes another one. */
  async abandon(): Promise<void> {
    await rm(join(this.directory, 'HEAD'), { force: true });
  }

  /** Writes by hand what `git init` would write: that would copy the templates of the machine, hooks among them. */
  async create(): Promise<void> {
    const made = `${this.directory}.new`;
    await rm(made, { recursive: true, force: true });
    await writeGitDirectory(made, this.user);
    if (this.user !== undefined) await share(made);
    await writeFile(join(made, 'work-tree'), this.cwd);
    // A half of one may be left.
    await rm(this.directory, { recursive: true, force: true });
    await rename(made, this.directory);
  }

  /** The age of the file tells which shadow was not used for the longest time. */
  async touch(): Promise<void> {
    await utimes(join(this.directory, 'work-tree'), new Date(), new Date());
  }

  /** The work tree for git: that of a repository around the directory, which may have come or gone. Ignore files above count too. */
  findRoot(): string {
    for (let at = this.cwd; ; at = dirname(at)) {
      const repository = lstatSync(join(at, '.git'), { throwIfNoEntry: false });
      if (repository !== undefined)
        return [repository.uid, ownerOf(at)].every((uid) => this.trusts(uid)) ? at : this.cwd;
      if (at === dirname(at)) return this.cwd;
    }
  }

  /**
   * Whose repositories and ignore files above the directory count: git obeys those of its user only. Anybody may put some into /tmp, where
   * they would hide what an agent does in a directory of its own below it.
   */
  trusts(uid: number): boolean {
    return [0, process.geteuid?.(), this.user?.uid, ownerOf(this.cwd)].includes(uid);
  }

  /** The directory in the root, in bytes: `` or `packages/app/`. */
  prefixFor(root: string): BytePath {
    const way = relative(root, this.cwd);
    return way === '' ? '' : `${Buffer.from(way).toString('latin1')}/`;
  }

  /** The index belongs to a root. */
  indexFor(root: string): string {
    const prefix = this.prefixFor(root);
    return join(this.directory, prefix === '' ? 'index' : `index-${hash(prefix)}`);
  }

  /** Returns the file that has these ignore rules. */
  async writeRules(rules: string): Promise<string> {
    const file = join(this.directory, `rules-${hash(rules)}`);
    if (existsSync(file)) return file;
    await writeFile(`${file}.new`, rules, 'latin1');
    if (this.user !== undefined) await chmod(`${file}.new`, 0o640);
    await rename(`${file}.new`, file);
    return file;
  }

  /** The path by which the git that reads the work tree finds a file of this directory. */
  forReader(file: string): string {
    return this.user === undefined ? file : `${inherited}/${basename(file)}`;
  }

  /**
   * Runs git on its own objects: without a root it sees no file of the work tree. With one, it reads with the rights of the agents' user,
   * and it may write here.
   */
  async git(args: readonly string[], run: ShadowRun = {}): Promise<Buffer> {
    const { root, index = join(this.directory, 'index'), signal, ...more } = run;
    const closing = this.#options.signal;
    const stop = linkedSignal(signal === undefined ? [closing] : [closing, signal]);
    const nowhere = join(this.directory, 'info');
    try {
      return await runGit({
        cwd: root === undefined ? nowhere : this.cwd,
        args: [...anyName, ...args],
        ...(root === undefined || this.user === undefined
          ? { env: this.#environment(root ?? nowhere, index) }
          : {
              env: await this.#readersEnvironment(root, index),
              reader: { user: this.user, directory: this.directory },
            }),
        timeoutMs: 30_000,
        maxBytes: 64 * 1024 ** 2,
        ...more,
        signal: stop.signal,
      });
    } finally {
      stop.release();
    }
  }

  /** Removes what the readers' git has outside of this directory. */
  async close(): Promise<void> {
    if (this.#gitDirectory !== undefined) await removeScratchFiles(this.#gitDirectory);
  }

  /**
   * Git goes the whole way to its directory, which is closed to that user. It gets one elsewhere, which has settings and nothing else;
   * the index and the objects are in this one, which it inherits.
   */
  async #readersEnvironment(root: string, index: string): Promise<Record<string, string>> {
    const directory = this.#gitDirectory ?? scratchDirectory({}, this.user);
    this.#gitDirectory = directory;
    // Other programs may tidy such places.
    if (!gitFiles.every((name) => existsSync(join(directory, name)))) {
      await rm(directory, { recursive: true, force: true });
      await writeGitDirectory(directory, this.user);
      for (const name of ['', ...gitFiles]) await chmod(join(directory, name), 0o755);
    }
    return {
      ...this.#environment(root, this.forReader(index)),
      HOME: join(directory, 'none'),
      XDG_CONFIG_HOME: join(directory, 'none'),
      GIT_DIR: directory,
      GIT_OBJECT_DIRECTORY: `${inherited}/objects`,
    };
  }

  #environment(root: string, index: string): Record<string, string> {
    const { home, path } = this.#options;
    const env = {
      ...(path === undefined ? {} : { PATH: path }),
      LC_ALL: 'C',
      // Neither is there: no file of a user's is read.
      HOME: join(this.directory, 'none'),
      XDG_CONFIG_HOME: join(this.directory, 'none'),
      GIT_DIR: this.directory,
      GIT_WORK_TREE: root,
      GIT_INDEX_FILE: index,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_LITERAL_PATHSPECS: '1',
      GIT_TERMINAL_PROMPT: '0',
    };
    // A git that outlives a killed gateway is ended by the next one.
    return markEnvironment(env, createMark({ TURNOUT_HOME: home }));
  }
}

export function snapshotsDirectory(home: string): string {
  return join(home, 'snapshots');
}

/** Each user has one of its own: it holds what that user could read. */
function shadowDirectory({ home, workTrees: { user } }: ShadowOptions, cwd: string): string {
  return join(snapshotsDirectory(home), hash(user === undefined ? cwd : `read by ${user.uid}\0${cwd}`));
}

const gitFiles = ['objects', 'refs', 'info', 'HEAD', 'config', 'info/attributes'];

async function writeGitDirectory(directory: string, user: ProcessUser | undefined): Promise<void> {
  for (const part of ['objects', 'refs', 'info'])
    await mkdir(join(directory, part), { recursive: true, mode: 0o700 });
  await writeFile(join(directory, 'HEAD'), 'ref: refs/heads/none\n');
  await writeFile(join(directory, 'config'), user === undefined ? settings : settings + shared);
  await writeFile(join(directory, 'info', 'attributes'), attributes);
}

/** Lets the readers' group write there; nobody else comes so far. What is made in such a folder is of its group. */
async function share(directory: string): Promise<void> {
  for (const name of ['', 'objects']) {
    await chown(join(directory, name), process.geteuid?.() ?? 0, readersGroup);
    await chmod(join(directory, name), sharedMode);
  }
}

export const sharedMode = 0o2770;

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function ownerOf(directory: string): number {
  return lstatSync(directory, { throwIfNoEntry: false })?.uid ?? -1;
}

/** Git leaves files out of an index that other systems could take for its own (`git~1`): they could be hidden by such a name. */
const anyName = ['-c', 'core.protectNTFS=false', '-c', 'core.protectHFS=false'];

/** Snapshots are no backup: what a power failure takes of them is not worth a wait for the disk with every file. */
const settings = `[core]
\trepositoryformatversion = 0
\tbare = false
\tfileMode = true
\tsymlinks = true
\tautocrlf = false
\tlooseCompression = 1
\tfsync = none
[gc]
\tauto = 0
`;

/** Our own git and that of the agents' user both write there. */
const shared = `[core]
\tsharedRepository = 0660
`;

/** These are stronger than any .gitattributes: files are kept byte by byte, and no filter, encoding or driver applies. */
const attributes = '* !filter -text !eol !crlf -ident !working-tree-encoding !diff !merge !whitespace\n';
