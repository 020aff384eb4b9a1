import { execFile } from 'node:child_process';

/** Windows has no signals and no sessions: taskkill walks the tree by parents. It fails when nothing is left. */
export function endWindowsTree(pid: number): Promise<void> {
  return new Promise((resolve) => {
    execFile('taskkill', ['/PID', String(pid), '/T', '/F'], { windowsHide: true }, () => resolve());
  });
}
