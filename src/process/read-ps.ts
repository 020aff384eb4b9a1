import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import type { ProcessRow } from './process-table.js';

const execFileAsync = promisify(execFile);

/** Reads the living processes from `ps`, for systems without /proc. */
export async function readPsTable(): Promise<readonly ProcessRow[]> {
  return parse((await execFileAsync('ps', psArguments, psOptions)).stdout);
}

export function readPsTableNow(): readonly ProcessRow[] {
  try {
    return parse(execFileSync('ps', psArguments, { ...psOptions, stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return [];
  }
}

/** Returns the resident memory of one process in bytes. */
export async function residentBytesByPs(pid: number): Promise<number> {
  const { stdout } = await execFileAsync('ps', ['-o', 'rss=', '-p', String(pid)], psOptions);
  return Number(stdout) * 1024 || 0;
}

/**
 * The environment follows the command: `-E` asks for it on macOS, `e` on Linux. macOS hides it for Apple's own programs
 * (/bin/sh, /bin/sleep). Each column has its `-o`, because some systems take what follows a `=` for a title.
 */
const columns = ['pid', 'ppid', 'pgid', 'stat', 'lstart', 'command'];
const psArguments = [
  process.platform === 'linux' ? 'e' : '-E',
  '-A',
  '-ww',
  ...columns.flatMap((column) => ['-o', `${column}=`]),
];

const psOptions = {
  env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
  encoding: 'utf8',
  maxBuffer: 256 * 1024 * 1024,
} as const;

/** A line break in an argument or a variable is escaped by `ps`, so that a line is one process. */
function parse(output: string): readonly ProcessRow[] {
  return output.split('\n').flatMap((line) => {
    const [, pid, parent, group, state, start, psText] = psLine.exec(line) ?? [];
    if (state === undefined || start === undefined || psText === undefined || state.startsWith('Z'))
      return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: Number(group),
        start: Date.parse(`${start} UTC`),
        psText,
      },
    ];
  });
}

const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w{3} \w{3} +\d+ [\d:]+ \d+)\s*(.*)$/;
