import { execFile } from 'node:child_process';
import { asReader, type ProcessUser } from '../../process/process-user.js';
import type { BytePath } from '../../process/work-tree/byte-path.js';
import { maxNested, snapshotGitMs } from './limits.js';

/** Finds the folders below a directory that have a `.git`, whatever that is: `a/b/`. Resolves with none if that takes too long. */
export async function findRepositories(
  cwd: string,
  user: ProcessUser | undefined,
  signal: AbortSignal,
): Promise<readonly BytePath[]> {
  const options = {
    cwd,
    signal,
    encoding: 'buffer',
    timeout: snapshotGitMs,
    killSignal: 'SIGKILL',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    maxBuffer: 16 * 1024 ** 2,
  } as const;
  const find = ['.', '-name', 'node_modules', '-prune', '-o', '-name', '.git', '-print0', '-prune'];
  const { command, args } =
    user === undefined ? { command: 'find', args: find } : asReader(user, 'find', find);
  const output = await new Promise<Buffer>((resolve) => {
    // It fails where a folder can't be read, too.
    execFile(command, [...args], options, (_, stdout) => resolve(stdout));
  });
  const found = output.toString('latin1').split('\0').slice(0, -1);
  const folders = found.map((path) => path.slice('./'.length, -'.git'.length));
  return folders.filter((folder) => folder !== '').slice(0, maxNested);
}
