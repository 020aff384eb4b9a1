import { join, resolve } from 'node:path';
import { trustedHome } from '../../config/home-directory.js';
import { TurnoutError } from '../../core/errors.js';
import { exitCodes } from '../../core/exit-codes.js';
import { dayMs, startOfDay } from '../../core/format.js';
import { type ArchiveReader, hasArchive, openArchive } from '../../gateway/archive/open-archive.js';
import type { CommandPage, FlagTable } from '../command/command-page.js';
import { jsonFlags } from '../command/json-flags.js';
import { finishOutput, printHelp } from '../command/print.js';
import { type GivenFlags, readFlags } from '../command/read-flags.js';
import { helpFlag } from '../command/run-command.js';
import { demoDirectory, demoHome } from '../demo/demo-home.js';
import { Terminal } from '../output/terminal.js';

export interface ArchiveOptions {
  /** The directory of `--home`, which wins over TURNOUT_HOME, as it does for the gateway. */
  readonly home: string | undefined;
  readonly demo: boolean;
}

/** A command that only reads the archive. */
export interface ArchiveCommand<Options extends ArchiveOptions> {
  readonly name: string;
  readonly page: CommandPage;
  readonly parse: (argv: readonly string[]) => Options | 'help';
  /** Throws a TurnoutError if the archive does not have what was asked for. */
  readonly run: (archive: ArchiveReader, options: Options, terminal: Terminal) => Promise<void>;
}

export async function runArchiveCommand<Options extends ArchiveOptions>(
  command: ArchiveCommand<Options>,
  argv: readonly string[],
): Promise<number> {
  const terminal = new Terminal(process.stdout, process.stderr);
  let options: Options | 'help';
  let home: string;
  try {
    options = command.parse(argv);
    if (options === 'help') return await printHelp(command.page);
    home = homeOf(options);
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    terminal.say(error.explanation);
    return exitCodes.usage;
  }
  return look(command, options, home, terminal);
}

/** The data directory that is read. */
export function homeOf({ home, demo }: ArchiveOptions): string {
  const environment = home === undefined ? process.env : { ...process.env, TURNOUT_HOME: resolve(home) };
  return demo ? demoHome(environment) : trustedHome(environment);
}

async function look<Options extends ArchiveOptions>(
  command: ArchiveCommand<Options>,
  options: Options,
  home: string,
  terminal: Terminal,
): Promise<number> {
  let archive: ArchiveReader | undefined;
  try {
    archive = await openArchive(home);
    await command.run(archive, options, terminal);
    return await finishOutput(terminal);
  } catch (error) {
    terminal.say(error instanceof TurnoutError ? error.explanation : (error as Error).message);
    const demo = join(home, demoDirectory);
    if (archive === undefined && hasArchive(demo)) terminal.say('A demo has some: --demo reads it.');
    const isGone = error instanceof TurnoutError && error.code === 'network';
    return isGone ? exitCodes.unavailable : exitCodes.failed;
  } finally {
    await archive?.close();
  }
}

/** The flags that all commands have which read the gateway's data. */
export const archiveFlags = {
  ...jsonFlags,
  home: {
    type: 'text',
    value: 'dir',
    about: "the gateway's data directory (TURNOUT_HOME, default ~/.turnout)",
    complete: 'directories',
  },
  demo: { type: 'switch', about: "the demo's" },
  ...helpFlag,
} as const satisfies FlagTable;

/** Reads the words of a command. What is wrong with a value gets the hint of its command. */
export function readArchiveFlags<const T extends FlagTable, Options>(
  command: string,
  argv: readonly string[],
  flags: T,
  read: (given: GivenFlags<keyof T & string>) => Options,
): Options | 'help' {
  const given = readFlags(argv, flags, { command });
  if (given.names.some((name) => name === 'help')) return 'help';
  try {
    return read(given);
  } catch (error) {
    if (!(error instanceof TurnoutError) || error.hint !== undefined) throw error;
    throw wrong(command, error.message, error.cause);
  }
}

/**
 * Reads a day (`2026-01-31`) or a time in ISO 8601, in UTC if it names no zone. A day as an end includes its
 * last second.
 */
export function timeOption(
  command: string,
  flag: string,
  raw: string | undefined,
  as: 'begin' | 'end' = 'begin',
): number | undefined {
  if (raw === undefined) return undefined;
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(raw);
  const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/.exec(raw);
  const at = isDay ? startOfDay(raw) : time === null ? Number.NaN : Date.parse(time[3] ? raw : `${raw}Z`);
  // JavaScript reads the 31st of February as the 3rd of March.
  const isReal = Number.isFinite(at) && (!isDay || new Date(at).toISOString().startsWith(raw));
  if (!isReal)
    throw wrong(
      command,
      `${flag} expects a day like 2026-01-31 or a time like 2026-01-31T14:00, got ${JSON.stringify(raw)}`,
    );
  return isDay && as === 'end' ? at + dayMs : at;
}

export function wrong(command: string, what: string, cause?: unknown): TurnoutError {
  return new TurnoutError('bad_request', what, { hint: `See \`turnout help ${command}\`.`, cause });
}

export function notHere(what: string, hint?: string): TurnoutError {
  return new TurnoutError('bad_request', what, { hint });
}
