import { join, resolve } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { trustedHome } from '../config/home-directory.js';
import { TurnoutError } from '../core/errors.js';
import { exitCodes } from '../core/exit-codes.js';
import { dayMs, startOfDay } from '../core/format.js';
import { type ArchiveReader, hasArchive, openArchive } from '../gateway/archive/open-archive.js';
import { demoDirectory } from './demo-environment.js';
import { Terminal } from './terminal.js';

export interface ArchiveOptions {
  /** The directory of `--home`, which wins over TURNOUT_HOME, as it does for the gateway. */
  readonly home: string | undefined;
}

/** A command that only reads the archive. */
export interface ArchiveCommand<Options extends ArchiveOptions> {
  readonly name: string;
  readonly usageText: string;
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
    if (options === 'help') {
      await terminal.write(command.usageText);
      return exitCodes.done;
    }
    home = options.home === undefined ? trustedHome(process.env) : resolve(options.home);
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    terminal.say(error.explanation);
    return exitCodes.usage;
  }
  return look(command, options, home, terminal);
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
    await terminal.flush();
  } catch (error) {
    terminal.say(error instanceof TurnoutError ? error.explanation : (error as Error).message);
    const demo = join(home, demoDirectory);
    if (archive === undefined && hasArchive(demo)) terminal.say(`A demo has some: --home ${demo} reads it.`);
    const isGone = error instanceof TurnoutError && error.code === 'network';
    return isGone ? exitCodes.unavailable : exitCodes.failed;
  } finally {
    await archive?.close();
  }
  if (terminal.writeError === undefined) return exitCodes.done;
  terminal.say(`stdout can't be written: ${terminal.writeError}`);
  return exitCodes.failed;
}

/**
 * Parses the command's own options and those that all archive commands have. A wrong option throws a
 * TurnoutError with the message of `parseArgs`.
 */
export function parseArchiveArguments<const Own extends OwnOptions>(
  command: string,
  argv: readonly string[],
  own: Own,
): ParsedArguments<Own> {
  const options = { ...own, ...commonOptions };
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options });
  } catch (cause) {
    throw wrong(command, (cause as Error).message.split('. To specify')[0] ?? 'wrong options', cause);
  }
}

const commonOptions = {
  json: { type: 'boolean' },
  home: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type OwnOptions = NonNullable<ParseArgsConfig['options']>;
type ParsedArguments<Own extends OwnOptions> = ReturnType<
  typeof parseArgs<{ args: string[]; allowPositionals: true; options: Own & typeof commonOptions }>
>;

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
