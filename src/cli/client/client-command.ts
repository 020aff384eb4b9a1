import { resolve } from 'node:path';
import { TurnoutError } from '../../core/errors.js';
import { exitCodes } from '../../core/exit-codes.js';
import { onEndingSignal } from '../ending-signals.js';
import { type FlagTable, type GivenFlags, readFlags, wrongUsage } from '../read-flags.js';
import { Terminal } from '../terminal.js';
import { type Chosen, chooseGateway } from './find-gateway.js';
import { GatewayClient } from './gateway-client.js';

/** The flags of every command that speaks to a gateway. */
export const clientFlags = {
  url: { type: 'text' },
  demo: { type: 'switch' },
  home: { type: 'text' },
  json: { type: 'switch' },
  output: { type: 'text' },
  help: { type: 'switch', short: 'h' },
} as const satisfies FlagTable;

export const clientFlagsText = `  --json          JSON (also --output json)
  --home <dir>    the gateway's data directory (TURNOUT_HOME, default ~/.turnout)
  --demo          the demo's gateway
  --url <address> a gateway elsewhere; its token is HTTP_TOKEN, or in the address as
                  \`turnout gateway --url\` prints it there
`;

/** What a command gets to work with. */
export interface ClientRun {
  readonly client: GatewayClient;
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C and other ending signals, and when the reader of stdout has gone. */
  readonly signal: AbortSignal;
  readonly json: boolean;
  /** The data directory; undefined with --url. */
  readonly home: string | undefined;
}

/** A command that speaks to a running gateway. */
export interface ClientCommand<Table extends FlagTable, Request> {
  readonly name: string;
  readonly usageText: string;
  readonly flags: Table;
  /** Throws `bad_request` for wrong usage. */
  readonly parse: (given: GivenFlags<keyof (Table & typeof clientFlags) & string>) => Request;
  /** Returns the exit code. */
  readonly run: (request: Request, run: ClientRun) => Promise<number>;
}

export async function runClientCommand<const Table extends FlagTable, Request>(
  command: ClientCommand<Table, Request>,
  argv: readonly string[],
): Promise<number> {
  const terminal = new Terminal(process.stdout, process.stderr);
  let request: Request;
  let chosen: Chosen;
  let json: boolean;
  try {
    const given = readFlags(argv, { ...clientFlags, ...command.flags }, { command: command.name });
    if (given.has('help')) {
      await terminal.write(command.usageText);
      return exitCodes.done;
    }
    json = wantsJson(command.name, given);
    chosen = chosenBy(command.name, given);
    request = command.parse(given as never);
  } catch (error) {
    return explain(terminal, error, exitCodes.usage);
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
    });
    await terminal.flush();
    if (terminal.readerGone) return exitCodes.done;
    if (terminal.writeError === undefined) return code;
    terminal.say(`stdout can't be written: ${terminal.writeError}`);
    return exitCodes.failed;
  } catch (error) {
    if (terminal.readerGone) return exitCodes.done;
    return explain(terminal, error, failureCode(error));
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

function explain(terminal: Terminal, error: unknown, code: number): number {
  if (!(error instanceof TurnoutError)) throw error;
  terminal.say(error.explanation);
  return code;
}

type Given = GivenFlags<keyof typeof clientFlags>;

function wantsJson(command: string, given: Given): boolean {
  const output = given.text('output');
  if (output === undefined || output === 'json') return given.has('json') || output === 'json';
  if (output === 'text' && !given.has('json')) return false;
  throw wrongUsage(command, `--output expects text or json, got ${JSON.stringify(output)}`);
}

function chosenBy(command: string, given: Given): Chosen {
  const places = (['url', 'demo', 'home'] as const).filter((name) => given.has(name));
  if (places.includes('url') && places.length > 1)
    throw wrongUsage(command, `${places.map((name) => `--${name}`).join(' and ')} were both given`);
  const home = given.text('home');
  const choice = {
    url: given.text('url'),
    demo: given.has('demo'),
    home: home === undefined ? undefined : resolve(home),
  };
  return chooseGateway(choice, process.env);
}

export function printObject(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
