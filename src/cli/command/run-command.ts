import { TurnoutError } from '../../core/errors.js';
import { exitCodes } from '../../core/exit-codes.js';
import type { CommandPage, FlagTable } from './command-page.js';
import { explainFailure } from './explain-failure.js';
import { printHelp } from './print.js';
import { type GivenFlags, readFlags } from './read-flags.js';

/** A command that is its flags, and what it does with them. */
export interface FlagCommand<T extends FlagTable, Options> {
  readonly name: string;
  readonly page: CommandPage & { readonly flags: T };
  /** Throws a TurnoutError if the words make no sense. */
  readonly read: (given: GivenFlags<keyof T & string>) => Options;
  readonly run: (options: Options) => Promise<number>;
}

/**
 * Reads a command line and runs the command. What fails is explained, wrong words with exit code 2; `--help` prints the page.
 */
export async function runCommand<const T extends FlagTable, Options>(
  { name, page, read, run }: FlagCommand<T, Options>,
  argv: readonly string[],
): Promise<number> {
  let options: Options;
  try {
    const given = readFlags(argv, page.flags, { command: name });
    if (given.names.some((flag) => flag === 'help')) return await printHelp(page);
    options = read(given);
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    const hint = error.hint ?? `See \`turnout help ${name}\`.`;
    return explainFailure(new TurnoutError(error.code, error.message, { hint }), exitCodes.usage);
  }
  try {
    return await run(options);
  } catch (error) {
    return explainFailure(error);
  }
}

/** `-h` is every command's. */
export const helpFlag = { help: { type: 'switch', short: 'h' } } as const satisfies FlagTable;

/** For a command without operands: the words that belong to no flag are refused. */
export function refuseOperands({ positionals, rawArgs }: GivenFlags<string>): void {
  const [first] = [...positionals, ...rawArgs];
  if (first !== undefined)
    throw new TurnoutError('bad_request', `no argument is expected, got ${JSON.stringify(first)}`);
}
