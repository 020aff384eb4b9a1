import { spawn } from 'node:child_process';

const lifetimeMs = 300_000;

/** Starts a process in a session of its own, as an agent's command may leave behind. It ends by itself. */
export function startChild(cwd: string): Promise<string> {
  const child = spawn(process.execPath, ['-e', `setTimeout(() => {}, ${lifetimeMs})`], {
    cwd,
    detached: true,
    stdio: 'ignore',
  });
  child.unref();
  return new Promise((started, failed) => {
    child.once('spawn', () => started(`[1] ${child.pid}`));
    child.once('error', failed);
  });
}
