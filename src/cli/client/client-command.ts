import { TurnoutError } from '../../core/errors.js';
import { exitCodes } from '../../core/exit-codes.js';
import type { CommandPage } from '../command/command-page.js';
import { onEndingSignal } from '../command/ending-signals.js';
import { jsonFlags, wantsJson } from '../command/json-flags.js';
import { finishOutput, printHelp } from '../command/print.js';
import { type FlagTable, type GivenFlags, readFlags } from '../command/read-flags.js';
import { helpFlag } from '../command/run-command.js';
import { Terminal } from '../output/terminal.js';
import { type Chosen, chooseGateway } from './find-gateway.js';
import { GatewayClient } from './gateway-client.js';
import { flagsOf, gatewayFlags, readChoice } from './gateway-flags.js';

/** The flags of every command that speaks to a gateway. */
export const clientFlags = {
  ...jsonFlags,
  ...gatewayFlags,
  ...helpFlag,
} as const satisfies FlagTable;

/** What a command gets to work with. */
export interface ClientRun {
  readonly client: GatewayClient;
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C and other ending signals, and when the reader of stdout has gone. */
  readonly signal: AbortSignal;
  readonly json: boolean;
  /** The data directory; undefined with --url. */
  readonly home: string | undefined;
  /** The flags that find the same gateway, for commands that are named to a person: ` --demo`. None for --url: it may have a token. */
  readonly flags: string;
  /** Says what is wrong, and gives the exit code back. */
  readonly explain: (error: unknown, code: number) => Promise<number>;
}

/** A command that speaks to a running gateway. */
export interface ClientCommand<Table extends typeof clientFlags, Request> {
  readonly name: string;
  /** Its flags are those of every client command, and its own. */
  readonly page: CommandPage & { readonly flags: Table };
  /** Throws `bad_request` for wrong usage. */
  readonly parse: (given: GivenFlags<keyof Table & string>) => Request;
  /** Returns the exit code. */
  readonly run: (request: Request, run: ClientRun) => Promise<number>;
}

export async function runClientCommand<const Table extends typeof clientFlags, Request>(
  command: ClientCommand<Table, Request>,
  argv: readonly string[],
): Promise<number> {
  const terminal = new Terminal(process.stdout, process.stderr);
  let request: Request;
  let chosen: Chosen;
  let json: boolean;
  let flags: string;
  try {
    const table: Table = command.page.flags;
    const given = readFlags(argv, table, { command: command.name });
    const common: Given = given;
    if (common.has('help')) return await printHelp(command.page);
    json = wantsJson(common);
    chosen = chooseGateway(readChoice(command.name, common), process.env);
    flags = flagsOf(common);
    request = command.parse(given);
  } catch (error) {
    return explain(terminal, error, exitCodes.usage, false);
  }
  const stop = new AbortController();
  const release = onEndingSignal(() => stop.abort());
  terminal.onUnwritable(() => stop.abort());
  try {
    const client = new GatewayClient(chosen.locate);
    const code = await command.run(request, {
      client,
      terminal,
      signal: stop.signal,
      json,
      home: chosen.home,
      flags,
      explain: (error, ending) => explain(terminal, error, ending, json),
    });
    return await finishOutput(terminal, code);
  } catch (error) {
    if (terminal.readerGone) return exitCodes.done;
    return explain(terminal, error, failureCode(error), json);
  } finally {
    release();
  }
}

/** 3: there is no gateway, or it can't be reached. */
function failureCode(error: unknown): number {
  if (!(error instanceof TurnoutError)) return exitCodes.failed;
  if (error.code === 'network') return exitCodes.unavailable;
  if (error.code === 'timeout') return exitCodes.timedOut;
  return error.code === 'interrupted' ? exitCodes.interrupted : exitCodes.failed;
}

/** With --json a program reads it, too: one object on one line. */
async function explain(terminal: Terminal, error: unknown, code: number, json: boolean): Promise<number> {
  if (!(error instanceof TurnoutError)) throw error;
  const { message, explanation } = error;
  const running = error.code === 'network' ? { running: false } : {};
  if (json) await terminal.write(`${JSON.stringify({ ...running, error: { code: error.code, message } })}\n`);
  terminal.say(explanation);
  return code;
}

/** What is read of the flags that every client command has. */
type Given = Pick<GivenFlags<keyof typeof clientFlags>, 'has' | 'text'>;

export function printObject(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
