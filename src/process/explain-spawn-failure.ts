import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { findExecutable } from './find-executable.js';
import { SpawnError } from './spawn-error.js';

export interface Attempt {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdoutFile?: string;
}

/** Finds the reason of a failed spawn: ENOENT means a missing program, directory or interpreter alike. */
export async function explainSpawnFailure(attempt: Attempt, cause: unknown): Promise<SpawnError> {
  const { command, cwd } = attempt;
  const errno = errnoOf(cause);
  const fail = (code: SpawnError['code'], message: string, hint: string) =>
    new SpawnError(code, message, { errno, command, hint, cause });

  // The program was not tried yet.
  if (attempt.stdoutFile !== undefined && isPathOf(cause, attempt.stdoutFile) && !isShortage(errno)) {
    return fail(
      'crashed',
      `The output file ${attempt.stdoutFile} of ${command} could not be made (${errno}).`,
      'Its directory must be one that this user may write to: try again.',
    );
  }
  switch (errno) {
    case 'ENOENT':
    case 'EACCES':
    case 'ENOTDIR':
    case 'EPERM':
    case 'ENOEXEC':
    case 'ELOOP': {
      const badFolder = cwd === undefined ? undefined : await whyNotADirectory(cwd);
      if (badFolder !== undefined) {
        return fail(
          'bad_request',
          `The working directory ${cwd} ${badFolder}.`,
          'Name a directory that exists.',
        );
      }
      const [message, hint] = await whyNotRunnable(attempt);
      return fail('not_installed', message, hint);
    }
    case 'E2BIG':
      return fail(
        'bad_request',
        `The arguments and environment of ${command} are larger than the system allows.`,
        'A long text goes through stdin or a file; one argument holds at most 128 KiB on Linux.',
      );
    case 'ERR_INVALID_ARG_VALUE':
      return refusedByNode(attempt, errno);
    case 'EMFILE':
    case 'ENFILE':
      return fail(
        'crashed',
        `No file descriptor was left to start ${command}.`,
        'Run fewer processes at once or raise the limit (ulimit -n).',
      );
    case 'EAGAIN':
    case 'ENOMEM':
      return fail(
        'crashed',
        `The system had no process or memory left to start ${command}.`,
        'Run fewer processes at once or raise the limit (ulimit -u, container memory).',
      );
    case 'ETXTBSY':
      return fail('crashed', `${command} is being written to.`, 'It may be updating itself: try again.');
    default:
      return fail('unknown', `${printable(command)} could not be started (${errno}).`, 'See the cause.');
  }
}

function errnoOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : 'UNKNOWN';
}

function isPathOf(cause: unknown, file: string): boolean {
  return cause instanceof Error && 'path' in cause && cause.path === file;
}

function isShortage(errno: string): boolean {
  return ['EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT', 'ENOMEM'].includes(errno);
}

async function whyNotADirectory(cwd: string): Promise<string | undefined> {
  try {
    if (!(await stat(cwd)).isDirectory()) return 'is not a directory';
    await access(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    return errnoOf(error) === 'EACCES' ? 'may not be entered by this user' : 'does not exist';
  }
}

async function whyNotRunnable({ command, cwd, env }: Attempt): Promise<[message: string, hint: string]> {
  const found = await findExecutable(command, env, cwd);
  if ('problem' in found) {
    switch (found.problem) {
      case 'missing':
        return [
          `${command} was not found${command.includes('/') ? '' : ' on the PATH'}.`,
          'Install it, or give the path of its executable.',
        ];
      case 'not_executable':
        return [
          `${found.path} may not be executed by this user.`,
          `Make it executable: chmod +x ${found.path}`,
        ];
      case 'is_directory':
        return [`${found.path} is a directory, not a program.`, 'Give the path of the executable in it.'];
    }
  }
  const interpreter = await readShebang(found.path);
  if (interpreter === undefined) {
    return [
      `${found.path} exists but can't run here: its loader is missing, or it was built for another system.`,
      'Reinstall it for this platform.',
    ];
  }
  return [
    `${found.path} exists, but its interpreter ${interpreter} is missing or can't be run.`,
    'Install the interpreter, or reinstall the program.',
  ];
}

async function readShebang(path: string): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined);
  try {
    const start = await file?.read(Buffer.alloc(256), 0, 256, 0);
    return /^#!\s*(\S+)/.exec(start?.buffer.toString('utf8', 0, start.bytesRead) ?? '')?.[1];
  } finally {
    await file?.close();
  }
}

/** The error has no `cause`: Node's message quotes the value, which may be a secret. */
function refusedByNode(attempt: Attempt, errno: string): SpawnError {
  const command = printable(attempt.command);
  const place = whereNulIs(attempt);
  return place === undefined
    ? new SpawnError('bad_request', 'The command is empty.', { errno, command, hint: 'Name a program.' })
    : new SpawnError('bad_request', `${place} of ${command} holds a NUL byte.`, {
        errno,
        command,
        hint: 'To the system a NUL is the end of the text: remove it, or send the text through stdin.',
      });
}

function whereNulIs({ command, args, cwd, env }: Attempt): string | undefined {
  const argument = args.findIndex((arg) => arg.includes('\0'));
  if (argument !== -1) return `Argument ${argument + 1}`;
  if (command.includes('\0')) return 'The name';
  if (cwd?.includes('\0')) return 'The working directory';
  const variable = Object.entries(env).find(([name, value]) => `${name}${value}`.includes('\0'));
  return variable && `The environment variable ${printable(variable[0])}`;
}

function printable(text: string): string {
  return text.replaceAll('\0', '\\0');
}
