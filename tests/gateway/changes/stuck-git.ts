import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface StuckGit {
  /** The PATH with it. */
  readonly path: string;
  /** From now on, whatever git is to do in a work tree takes a minute. */
  stick(workTree: string): void;
}

/** A git that can be made to take very long. */
export function setUpStuckGit(): StuckGit {
  const bin = mkdtempSync(join(tmpdir(), 'turnout-git-'));
  onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
  const git = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const stuck = join(bin, 'stuck');
  const script = `#!/bin/sh\nread -r tree < '${stuck}'\n[ "$tree" != "$GIT_WORK_TREE" ] || exec sleep 60\nexec '${git}' "$@"\n`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  writeFileSync(stuck, '\n');
  return {
    path: [bin, process.env['PATH']].join(delimiter),
    stick: (workTree) => writeFileSync(stuck, `${workTree}\n`),
  };
}
