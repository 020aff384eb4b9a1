import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { sendTo } from './end-family.js';
import { killAtExit } from './kill-at-exit.js';
import { createMark, markEnvironment, type OnHostExit } from './mark-child.js';
import { asUser, type ProcessUser } from './process-user.js';
import { ChildRun, type RunningProcess } from './running-process.js';
import { unsupportedSystem } from './system.js';
import type { Input } from './write-input.js';

export {
  describeExit,
  exitCodeOf,
  type ProcessExit,
  type RunningProcess,
  tellsOfKill,
} from './running-process.js';
export type { Line } from './split-lines.js';
export type { Input } from './write-input.js';

export interface ProcessSpec {
  /** An absolute path, one relative to `cwd`, or a bare name that is looked up on the PATH of `env`. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** The whole environment: nothing else is inherited. The mark is added. */
  readonly env: Readonly<Record<string, string>>;
  /** The user that the child runs as, if it is another one than ours. */
  readonly user?: ProcessUser | undefined;
  /** A text after which stdin is closed, or 'open' for `write()`. If it is left out, stdin is empty. */
  readonly stdin?: Input;
  /**
   * If it is set, stdout goes to this new file, which is read as it grows: for programs that exit before a
   * pipe has taken all of their output. The caller removes the file.
   */
  readonly stdoutFile?: string;
  /** The most bytes that `stdoutFile` may hold: a child that writes more is ended, and its lines end with a TurnoutError. */
  readonly maxFileBytes?: number | undefined;
  /** The longest line in bytes: a longer one is cut and marked `truncated`. Default 128 MiB. */
  readonly maxLineBytes?: number;
  /** The number of bytes of stderr to keep, half from the start and half from the end. Default 256 KiB. */
  readonly stderrBytes?: number;
  /** Called with each line of stderr as it arrives. */
  readonly onStderrLine?: (line: string) => void;
  /**
   * `leave`: the child may outlive this program, and no later Turnout takes it for an orphan. Default: it is killed with all processes
   * that it started when this program exits, or a signal ends it.
   */
  readonly onHostExit?: OnHostExit | undefined;
  /** If it is aborted, the child is ended with all processes that it started. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts a child in a session of its own. Rejects with a `SpawnError` if that fails. */
export async function startProcess(spec: ProcessSpec): Promise<RunningProcess> {
  spec.signal?.throwIfAborted();
  const unsupported = unsupportedSystem();
  if (unsupported !== undefined) throw unsupported;
  const mark = createMark(spec.env);
  let stdout: number | undefined;
  let pid: number | undefined;
  const release = killAtExit(() => {
    if (pid !== undefined && spec.onHostExit !== 'leave') sendTo([-pid], 'SIGKILL');
  });
  try {
    if (spec.stdoutFile !== undefined) stdout = openSync(spec.stdoutFile, 'wx', 0o600);
    const { command, args } = spec.user === undefined ? spec : asUser(spec.user, spec.command, spec.args);
    const child = spawn(command, args, {
      ...(spec.cwd !== undefined && { cwd: spec.cwd }),
      env: markEnvironment(spec.env, mark, spec.onHostExit),
      detached: true,
      stdio: [spec.stdin === undefined ? 'ignore' : 'pipe', stdout ?? 'pipe', 'pipe'],
    });
    pid = child.pid;
    await spawned(child);
    const running = new ChildRun(child, spec, mark);
    if (spec.signal !== undefined) endWhenAborted(running, spec.signal);
    return running;
  } catch (cause) {
    const { explainSpawnFailure } = await import('./explain-spawn-failure.js');
    throw await explainSpawnFailure(spec, cause);
  } finally {
    release();
    if (stdout !== undefined) closeSync(stdout);
  }
}

function endWhenAborted(running: RunningProcess, signal: AbortSignal): void {
  const end = () => void running.end().catch(() => undefined);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  void running.exited.then(() => signal.removeEventListener('abort', end));
}

/** Some failures are thrown by spawn itself; the others arrive here as an event. */
function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
}
