import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ProcessUser } from '../../process/process-user.js';
import { describeExit, startProcess } from '../../process/start-process.js';
import { isObject } from '../output/json.js';

/**
 * Returns a CLI's version from the files around it, without a start of it: the `package.json` of its npm package, or the
 * directories of the vendors' own installers and of Homebrew (`claude/versions/2.1.325`, `Cellar/codex/0.166.0/bin/codex`).
 */
export async function installedVersion(
  command: string,
  npmPackage: string | undefined,
): Promise<string | undefined> {
  try {
    const file = realpathSync(command);
    return packageVersion(file, npmPackage) ?? versionInPath(file, basename(command));
  } catch {
    return undefined;
  }
}

/** Finds the version in what a CLI prints for `--version`: `2.1.325 (Claude Code)`, `codex-cli 0.166.0`, `0.61.0`. */
export function versionIn(printed: string): string | undefined {
  return /(?<![\w.])\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]{1,64})?(?![\w.])/.exec(printed)?.[0];
}

/** Orders versions as npm does; a version with a `-` comes before the same one without. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [parts(one), parts(other)];
  for (const at of [0, 1, 2]) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.suffix === b.suffix) return 0;
  if (a.suffix === '') return 1;
  return b.suffix === '' ? -1 : a.suffix.localeCompare(b.suffix, 'en', { numeric: true });
}

/** False for a version that is not known. */
export function isAtLeast(version: string | undefined, minimum: string): boolean {
  return version !== undefined && compareVersions(version, minimum) >= 0;
}

export interface VersionQuestion {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user?: ProcessUser | undefined;
  readonly timeoutMs: number;
  /** If it is aborted, the CLI is ended. */
  readonly signal?: AbortSignal | undefined;
}

/** What is read of the output of `--version`. */
const maxPrintedBytes = 16 * 1024;
/** The time for the exit, from the line with the version on. */
const exitMs = 1000;

/** Starts the CLI with `--version` and returns the line with a version. Rejects with what went wrong. */
export async function printedVersion(question: VersionQuestion): Promise<string> {
  const { command, env, user, timeoutMs, signal } = question;
  const child = await startProcess({
    command,
    args: ['--version'],
    // A CLI reads the settings of the directory that it is started in, which may be anybody's repository.
    cwd: '/',
    env,
    user,
    signal,
    maxLineBytes: maxPrintedBytes,
    stderrBytes: maxPrintedBytes,
  });
  const timer = setTimeout(() => void child.end(), timeoutMs);
  let exitTimer: NodeJS.Timeout | undefined;
  // True if the CLI is ended although it has said enough: its exit code tells nothing then.
  let cut = false;
  try {
    let found: string | undefined;
    let length = 0;
    for await (const batch of child.lines()) {
      found ??= batch.find((line) => /\d+\.\d+/.test(line.text))?.text;
      length += batch.reduce((sum, line) => sum + line.text.length + 1, 0);
      cut ||= length > maxPrintedBytes;
      if (cut) break;
      if (found === undefined) continue;
      exitTimer ??= setTimeout(() => {
        cut = true;
        void child.end();
      }, exitMs);
    }
    const exit = await (cut ? child.end() : child.exited);
    if (exit.code !== 0 && !cut)
      throw new Error(`--version failed (${describeExit(exit)}): ${child.stderr().slice(0, 200).trim()}`);
    return found === undefined ? 'unknown version' : shownLine(found);
  } finally {
    clearTimeout(timer);
    clearTimeout(exitTimer);
    await child.end();
  }
}

/**
 * Returns what the CLI says of its version, undefined if it says none. Nothing is remembered: the program may be a wrapper
 * (those of mise, asdf and Volta are), which stays the same when the CLI behind it is another one.
 */
export async function askedVersion(question: VersionQuestion): Promise<string | undefined> {
  return printedVersion(question).then(versionIn, () => undefined);
}

function shownLine(line: string): string {
  return line
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, 200);
}

/**
 * A program lies in its package or in `bin` below it; native binaries have a package of their own. The nearest manifest with
 * name and version decides: above another package, or above something that is no manifest, lies nothing that belongs to the program.
 */
function packageVersion(file: string, npmPackage: string | undefined): string | undefined {
  if (npmPackage === undefined) return undefined;
  let directory = dirname(file);
  for (let level = 0; level < 5; level++) {
    const manifest = readManifest(join(directory, 'package.json'));
    if (manifest === 'unreadable') return undefined;
    if (manifest !== undefined) {
      if (!isPackage(manifest.name, npmPackage)) return undefined;
      // Codex's native binary has the version `0.166.0-linux-x64`.
      const version = manifest.version.replace(/-(linux|darwin|win32)-.*$/, '');
      return versionIn(version) === version ? version : undefined;
    }
    directory = dirname(directory);
  }
  return undefined;
}

/** True for the package itself, and for that of its native binary: `@anthropic-ai/claude-code-linux-x64`. */
function isPackage(name: string, npmPackage: string): boolean {
  if (!name.startsWith(npmPackage)) return false;
  return /^(-(linux|darwin|win32|windows|freebsd|android)(-[\w-]+)?)?$/.test(name.slice(npmPackage.length));
}

const maxManifestBytes = 1024 * 1024;

/** Returns undefined if there is none, or one without name and version, as build tools put into the folders of a package. */
/** It stands between the user and the start of the CLI, and is small: no other thread is asked. */
function readManifest(path: string): { name: string; version: string } | 'unreadable' | undefined {
  let file: number;
  try {
    // Without O_NONBLOCK a FIFO in its place would be waited for, for ever.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.size > maxManifestBytes) return 'unreadable';
    const bytes = Buffer.alloc(found.size);
    const bytesRead = readSync(file, bytes, 0, found.size, 0);
    const manifest: unknown = JSON.parse(bytes.toString('utf8', 0, bytesRead));
    if (!isObject(manifest)) return 'unreadable';
    const { name, version } = manifest;
    return typeof name === 'string' && typeof version === 'string' ? { name, version } : undefined;
  } catch {
    return 'unreadable';
  } finally {
    closeSync(file);
  }
}

function versionInPath(file: string, command: string): string | undefined {
  const folders = file.split('/');
  const at = folders.findLastIndex((folder) => /^\d+\.\d+\.\d+$/.test(folder));
  const named = folders
    .slice(Math.max(0, at - 2), Math.max(0, at))
    .some((folder) => folder.startsWith(command));
  return named ? folders[at] : undefined;
}

function parts(version: string): { readonly numbers: readonly number[]; readonly suffix: string } {
  const [numbers = '', ...suffix] = version.split('-');
  return { numbers: numbers.split('.').map(Number), suffix: suffix.join('-') };
}
