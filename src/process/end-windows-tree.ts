import { execFile } from 'node:child_process';

/**
 * Ends a process tree with taskkill, which walks it by parents: Windows has no signals and no sessions.
 * taskkill fails if nothing is left to end; that is ignored.
 */
export function endWindowsTree(pid: number): Promise<void> {
  return new Promise((resolve) => {
    execFile('taskkill', ['/PID', String(pid), '/T', '/F'], { windowsHide: true }, () => resolve());
  });
}
