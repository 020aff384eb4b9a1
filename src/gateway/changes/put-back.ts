import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { TurnoutError } from '../../core/errors.js';
import { asUser } from '../../process/process-user.js';
import { bytePath } from '../../process/work-tree/byte-path.js';
import type { Facts, WorkTreeFiles } from '../../process/work-tree-files.js';

export interface PutBack {
  /** The real path of the work tree. */
  readonly cwd: string;
  readonly path: string;
  /** Undefined: the file is removed. */
  readonly to?: { readonly mode: string; readonly content: Buffer } | undefined;
  readonly workTrees: WorkTreeFiles;
}

/**
 * Puts a file back. A shell does it, with the rights of the agent's user: that user may put a link into the way at any time, and must
 * not get more written than it could write itself. The shell goes into one folder after the other, and looks where it is before it
 * makes or writes anything there.
 */
export async function putBack({ cwd, path, to, workTrees }: PutBack): Promise<void> {
  const { user } = workTrees;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const isLink = to?.mode === '120000';
  const what = to === undefined ? 'remove' : isLink ? 'link' : 'file';
  const target = isLink ? textOf(to.content) : '';
  const { mode, owner } = await ownership({ cwd, path, to, workTrees });
  const size = String(to?.content.length ?? 0);
  const args = ['-c', script, 'sh', what, cwd, dirname(path), name, mode, size, target, owner];
  const run = user === undefined ? { command: '/bin/sh', args } : asUser(user, '/bin/sh', args);
  const options = {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    timeout: 10_000,
    killSignal: 'SIGKILL',
  } as const;
  await new Promise<void>((resolve, reject) => {
    const child = execFile(run.command, [...run.args], options, (error, _stdout, stderr) => {
      if (error === null) return resolve();
      const why = { 3: 'a link is in its way', 4: 'a directory is in its place' }[Number(error.code)];
      const said = why ?? (stderr.trim() || error.message);
      reject(new TurnoutError('bad_request', `${path} could not be put back: ${said}.`));
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(what === 'file' ? to?.content : undefined);
  });
}

interface Ownership {
  /** Octal, for chmod. Empty: it stays. */
  readonly mode: string;
  /** `<uid>:<gid>` for chown; `kept` if the file has to be written in its place to stay its owner's. */
  readonly owner: string;
}

/**
 * A file that is there keeps its owner and its permissions, but for the right to execute it. The permissions of one that is gone are
 * not known: it may have been nobody else's to read. Root gives it to the owner of its folder.
 */
async function ownership({ cwd, path, to, workTrees }: PutBack): Promise<Ownership> {
  const { user } = workTrees;
  const there = await factsOf(workTrees, cwd, path);
  const facts = there?.type === 'file' ? there : undefined;
  const executable = to?.mode === '100755';
  const bits = (facts?.mode ?? 0) & 0o777;
  // Whoever may read it may execute it.
  const wanted = executable ? bits | ((bits & 0o444) >> 2) : bits & ~0o111;
  const mode = facts === undefined ? (executable ? '700' : '600') : wanted.toString(8);
  const uid = user?.uid ?? process.geteuid?.();
  const gid = user?.gid ?? process.getegid?.();
  if (uid === 0) {
    const like = facts ?? (await nearestFolder(workTrees, cwd, dirname(path)));
    return { mode, owner: like === undefined ? '' : `${like.uid}:${like.gid}` };
  }
  if (facts === undefined || (facts.uid === uid && facts.gid === gid)) return { mode, owner: '' };
  return { mode: wanted === bits ? '' : mode, owner: 'kept' };
}

type Known = Extract<Facts, { uid: number }>;

async function nearestFolder(workTrees: WorkTreeFiles, cwd: string, way: string): Promise<Known | undefined> {
  const facts = await factsOf(workTrees, cwd, way);
  return facts?.type === 'folder' || way === '.' ? facts : nearestFolder(workTrees, cwd, dirname(way));
}

async function factsOf(workTrees: WorkTreeFiles, cwd: string, path: string): Promise<Known | undefined> {
  const request = { tree: bytePath(cwd), paths: [bytePath(path)], followLinks: false };
  const [facts] = await workTrees.facts(request);
  return facts !== undefined && 'uid' in facts ? facts : undefined;
}

/** An argument of a process is text. */
function textOf(content: Buffer): string {
  const text = content.toString();
  if (!Buffer.from(text).equals(content) || text.includes('\0'))
    throw new TurnoutError('bad_request', 'The target of a link is no text, so it can not be put back here.');
  return text;
}

const script = `
set -eu
what=$1 at=$2 way=$3 name=$4 mode=$5 size=$6 target=$7 owner=$8
own() {
  case $owner in *:*) chown -h "$owner" "$1" ;; esac
}
enter() {
  cd -P "$1"
  [ "$(pwd -P; echo .)" = "$at
." ] || exit 3
}
enter "$at"
rest=$way/
while [ "$way" != . ] && [ -n "$rest" ]; do
  part=\${rest%%/*}; rest=\${rest#*/}; at=$at/$part
  if [ -L "./$part" ]; then exit 3; fi
  if [ "$what" != remove ] && [ ! -d "./$part" ]; then mkdir "./$part"; own "./$part"; fi
  enter "./$part"
done
if [ -d "./$name" ] && [ ! -L "./$name" ]; then exit 4; fi
if [ "$what" = remove ]; then
  rm -f "./$name"
  while [ "$way" != . ]; do
    cd -P ..
    rmdir "./\${way##*/}" 2>/dev/null || exit 0
    case $way in */*) way=\${way%/*} ;; *) way=. ;; esac
  done
  exit 0
fi
new=".turnout-$$"
trap 'rm -f "./$new"' EXIT
set -C
if [ "$what" = link ]; then
  ln -s -- "$target" "./$new"
  own "./$new"
else
  cat > "./$new"
  [ "$(wc -c < "./$new")" -eq "$size" ] || exit 5
  if [ "$owner" = kept ] && [ -f "./$name" ] && [ ! -L "./$name" ]; then
    cat "./$new" >| "./$name"
    [ -z "$mode" ] || chmod "$mode" "./$name"
    exit 0
  fi
  own "./$new"
  [ -z "$mode" ] || chmod "$mode" "./$new"
fi
if [ -L "./$name" ]; then rm -f "./$name"; fi
mv -f "./$new" "./$name"
`;
