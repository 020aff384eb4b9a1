import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface StuckGit {
  /** The PATH with it. */
  readonly path: string;
  /** From now on, whatever git is to do in a work tree takes a minute. */
  stick(workTree: string): void;
  /** From now on, git has no room to write objects. */
  fillDisk(isFull: boolean): void;
  /** True if two have been at work at once. */
  readonly hasOverlapped: boolean;
}

/** A git that can be made to take very long. */
export function setUpStuckGit(): StuckGit {
  const bin = mkdtempSync(join(tmpdir(), 'turnout-git-'));
  onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
  const git = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const stuck = join(bin, 'stuck');
  const full = join(bin, 'full');
  const script = `#!/bin/sh\nread -r tree < '${stuck}'\n[ "$tree" != "$GIT_WORK_TREE" ] || exec sleep 60\n[ ! -e '${full}' ] || case "$*" in *update-index*|*write-tree*) echo 'fatal: unable to write loose object file: No space left on device' >&2; exit 128;; esac\nmkdir '${bin}/busy' 2>/dev/null || : > '${bin}/overlapped'\n'${git}' "$@"; code=$?\nrmdir '${bin}/busy' 2>/dev/null\nexit $code\n`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  writeFileSync(stuck, '\n');
  return {
    path: [bin, process.env['PATH']].join(delimiter),
    fillDisk: (isFull) => (isFull ? writeFileSync(full, '') : rmSync(full, { force: true })),
    get hasOverlapped() {
      return existsSync(join(bin, 'overlapped'));
    },
    stick: (workTree) => writeFileSync(stuck, `${workTree}\n`),
  };
}
