import { execFile } from 'node:child_process';
import { TurnoutError } from '../core/errors.js';
import { findExecutable } from './find-executable.js';
import { asReader, type ProcessUser } from './process-user.js';

export interface GitRun {
  readonly cwd: string;
  readonly args: readonly string[];
  /** The whole environment. Git itself is looked up in the absolute parts of its PATH. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: Buffer | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Called if git would print more than `maxBytes`: its output is cut somewhere before. Without it, that is a failure. */
  readonly onCut?: (() => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Git reads with the rights of this user, to whom this directory, which is open to the readers' group, is `inherited`. */
  readonly reader?: { readonly user: ProcessUser; readonly directory: string } | undefined;
}

/** A path to the directory that a reader's git has inherited: the way to it may be closed to the user. */
export const inherited = '/proc/self/fd/3';

/**
 * Runs git and returns what it prints. Rejects with `not_installed`, `timeout` (also for an aborted signal), or `bad_request` for
 * whatever else it refuses. No hook and no file monitor is started: a repository can bring such programs along.
 */
export async function runGit(run: GitRun): Promise<Buffer> {
  const { cwd, env, stdin, signal, reader } = run;
  const { PATH } = env;
  // A bare name would be looked up in the current directory, too, if PATH has an empty or a relative part.
  const found = await findExecutable('git', PATH === undefined ? {} : { PATH });
  if ('problem' in found) throw new TurnoutError('not_installed', 'git is not installed.');
  const limits = { maxBuffer: run.maxBytes, timeout: run.timeoutMs, killSignal: 'SIGKILL' } as const;
  const own = { command: found.path, args: [...harmless, ...run.args] };
  const { command, args } =
    reader === undefined
      ? own
      : asReader(reader.user, '/bin/sh', [
          '-c',
          'exec 3<. && cd -- "$0" && exec "$@"',
          cwd,
          own.command,
          ...own.args,
        ]);
  const options = {
    cwd: reader?.directory ?? cwd,
    env,
    ...limits,
    encoding: 'buffer',
    ...(signal && { signal }),
  } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(command, [...args], options, (error, stdout, stderr) => {
      if (error !== null && run.onCut !== undefined && isOverflow(error)) {
        run.onCut();
        resolve(stdout);
      } else if (error === null) resolve(stdout);
      else if (signal?.aborted || (error.killed && !isOverflow(error)))
        reject(new TurnoutError('timeout', 'git took too long.', { cause: error }));
      else
        reject(
          new TurnoutError('bad_request', `git failed: ${stderr.toString().trim() || error.message}`, {
            cause: error,
          }),
        );
    });
    // A git that fails early does not read its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(stdin);
  });
}

const harmless = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];

function isOverflow(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
}
