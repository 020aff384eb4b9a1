#!/usr/bin/env node
import { realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { type Options, parseArguments, UsageError } from './arguments.js';
import { ConversationFiles } from './conversation.js';
import { runLive } from './live/live.js';
import { runOneShot } from './one-shot.js';
import { spokenVersion } from './plain-lines.js';
import { skills } from './skills/skills.js';

/**
 * Turnout's demo agent: a program that talks like `claude -p`, with no model behind it. It imports nothing of
 * Turnout, so that it can be driven exactly as a real CLI is.
 */
const version = `${spokenVersion} (Turnout demo agent)`;

/** The exit code that a shell reports for a program that SIGPIPE ended. */
const brokenPipe = 141;

process.exit(await main());

async function main(): Promise<number> {
  const interrupt = endQuietly();
  try {
    const options = parseArguments(process.argv.slice(2));
    if (options.version) return print(`${version}\n`);
    if (options.help) return print(help());
    return await answer(options, interrupt);
  } catch (error) {
    if (error instanceof UsageError) return complain(error.message);
    if (interrupt.aborted) return 0;
    if (isBrokenPipe(error)) return brokenPipe;
    return complain(`Error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}

function answer(options: Options, signal: AbortSignal): Promise<number> {
  const { env, stdin, stdout } = process;
  // The real path: reached through a link, it is the same directory.
  const cwd = realpathSync(process.cwd());
  const home = resolve(env['TURNOUT_HOME'] || join(userHome(), '.turnout'));
  const conversations = new ConversationFiles(home, cwd);
  const speed = numberIn(env['TURNOUT_DEMO_SPEED'], 1);
  const price = numberIn(env['TURNOUT_DEMO_PRICE'], 0);
  const run = options.messageInput ? runLive : runOneShot;
  return run(options, { stdin, stdout, cwd, conversations, speed, price, signal });
}

/** With an empty or a relative HOME, `homedir` would lead into the working directory. */
function userHome(): string {
  const home = homedir();
  return isAbsolute(home) ? home : userInfo().homedir;
}

/** Sets up the signals: SIGTERM ends the program silently, SIGINT interrupts the turn. */
function endQuietly(): AbortSignal {
  const interrupt = new AbortController();
  // A live session tells its end first, if its reader reads: it listens for the signal as well.
  process.on('SIGTERM', () => setImmediate(() => process.exit(143)));
  // A second SIGINT does not wait for a reader that has stopped reading.
  process.on('SIGINT', () => (interrupt.signal.aborted ? process.exit(0) : interrupt.abort()));
  // The write that fails rejects as well; without a listener the event would print a stack trace.
  process.stdout.on('error', () => process.exit(brokenPipe));
  process.stderr.on('error', () => undefined);
  return interrupt.signal;
}

function isBrokenPipe(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  // A pipe between Node processes is a socket, which may be reset instead.
  return code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED';
}

function numberIn(value: string | undefined, otherwise: number): number {
  const number = Number(value || otherwise);
  return Number.isFinite(number) && number >= 0 ? number : otherwise;
}

function print(text: string): Promise<number> {
  return new Promise((done) => process.stdout.write(text, () => done(0)));
}

function complain(text: string): Promise<number> {
  return new Promise((done) => process.stderr.write(`${text}\n`, () => done(1)));
}

function help(): string {
  const examples = skills.map(({ example, about }) => `  ${example.padEnd(36)}${about}`);
  return `Usage: demo-agent -p [options] [prompt]

Turnout's demo agent: talks like \`claude -p\`, needs no account.

Options:
  -p, --print                          Answer one prompt, from the argument or from stdin
  --output-format <format>             text, json or stream-json (with --verbose)
  --input-format stream-json           Many turns: messages and control requests as lines of JSON on stdin
  --permission-prompt-tool stdio       Ask there what needs a permission
  --include-partial-messages           Print the answer piece by piece
  --resume <id>, --session-id <id>     Go on with a session, or name a new one
  and Claude's: --verbose --model --max-turns --permission-mode --dangerously-skip-permissions
  --append-system-prompt[-file] --allowedTools --disallowedTools --tools --mcp-config --settings --add-dir

Environment:
  TURNOUT_DEMO_SPEED                   1 is a model's pace, 10 is ten times faster, 0 does not wait
  TURNOUT_DEMO_PRICE                   What a million tokens cost in the reports, in USD (default 0)
  TURNOUT_HOME                         Where conversations are kept (default ~/.turnout)

Prompts:
${examples.join('\n')}
`;
}
