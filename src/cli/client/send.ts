import { randomUUID } from 'node:crypto';
import { TurnoutError } from '../../core/errors.js';
import { exitCodeFor, exitCodes } from '../../core/exit-codes.js';
import type { EventView, ReceiptView } from '../../gateway/channels/http/wire.js';
import type { CommandPage } from '../command/command-page.js';
import { oneOf, positive } from '../command/flag-values.js';
import { wrongUsage } from '../command/read-flags.js';
import type { Terminal } from '../output/terminal.js';
import { readPrompt } from '../run/read-prompt.js';
import { checkChannel } from './check-channel.js';
import { type ClientRun, clientFlags, printObject, runClientCommand } from './client-command.js';
import { GatewayRefusal } from './gateway-request.js';
import { sendSurely } from './send-surely.js';
import { type AnswerView, waitForAnswer } from './wait-for-answer.js';

const modes = ['queue', 'interrupt', 'steer'] as const;

export const page = {
  usage: ['send <channel> [text] [options]'],
  about:
    "A message into a channel of the running gateway, as if it were typed there; the text may come from stdin, too. It is on the gateway's disk when this ends.",
  operand: 'channels',
  flags: {
    wait: {
      type: 'switch',
      short: 'w',
      about:
        'prints the answer while it is written, and ends with the turn. Ctrl-C stops the waiting, not the turn',
    },
    mode: {
      type: 'text',
      value: 'mode',
      about: `how it meets a turn that runs: ${modes.join(', ')} (collect is for a whole channel: /queue collect)`,
      complete: modes,
    },
    id: {
      type: 'text',
      value: 'id',
      about: "the message's id: sent twice with the same, it is taken once",
    },
    timeout: { type: 'text', value: 's', about: 'with --wait: gives the waiting up' },
    ...clientFlags,
  },
  examples: [
    ['send main "run the tests" --wait'],
    ['git diff | turnout send main "review this" --wait'],
    ['send main /status'],
    ['send main /stop'],
  ],
  exitCodes:
    '0 taken, or answered · 1 refused, or the turn failed · 2 wrong usage · 3 no gateway is running · 124 timed out · 130 stopped, or not waited for any more',
} as const satisfies CommandPage;

interface Request {
  readonly channel: string;
  readonly text: string | undefined;
  readonly wait: boolean;
  readonly mode: 'queue' | 'interrupt' | 'steer' | undefined;
  readonly id: string;
  readonly timeoutMs: number | undefined;
}

/** `turnout send`: puts a message into a channel, and perhaps waits for its answer. */
export function main(argv: readonly string[]): Promise<number> {
  return runClientCommand(
    {
      name: 'send',
      page,
      parse: ({ positionals, rawArgs, has, text }): Request => {
        const [channel, ...words] = [...positionals, ...rawArgs];
        const timeout = positive('--timeout', text('timeout'), false);
        if (timeout !== undefined && !has('wait'))
          throw wrongUsage('send', '--timeout is for --wait, which was not given');
        return {
          channel: checkChannel('send', channel),
          text: words.length === 0 ? undefined : words.join(' '),
          wait: has('wait'),
          mode: oneOf('--mode', text('mode'), modes),
          id: checkId(text('id')) ?? randomUUID(),
          timeoutMs: timeout === undefined ? undefined : timeout * 1000,
        };
      },
      run,
    },
    argv,
  );
}

const example = 'turnout send main "run the tests"';

/** The time that stdin may take. */
const stdinMs = 10 * 60_000;

async function run(request: Request, given: ClientRun): Promise<number> {
  const { client, terminal, json } = given;
  const { channel, wait, mode: queueMode, id: messageId, timeoutMs = stdinMs } = request;
  const since = performance.now();
  // Nobody should type a long message for a gateway that is not there.
  if (request.text === undefined && process.stdin.isTTY) await client.status();
  let text: string;
  try {
    text = await readPrompt(request.text, () => process.stdin, {
      say: (line) => terminal.say(line),
      timeoutMs: Math.min(timeoutMs, stdinMs),
      example,
    });
    if (text.trim() === '')
      throw new TurnoutError('bad_request', 'The message is blank.', { hint: `Give one: \`${example}\`.` });
  } catch (error) {
    if (!(error instanceof TurnoutError) || error.code !== 'bad_request') throw error;
    return given.explain(error, exitCodes.usage);
  }
  const message = { text, messageId, queueMode };
  if (wait) return sendAndWait(request, message, given, since);
  const receipt = await sendSurely(client, channel, message, {
    signal: given.signal,
    wasThere: false,
    say: (line) => terminal.say(line),
  });
  const isOver = !['queued', 'running'].includes(receipt.state);
  if (isOver) return tellEnd(await client.event(receipt.eventId), messageId, given);
  await terminal.write(json ? printReceipt(receipt, request) : `${receipt.eventId}\n`);
  terminal.hint(`${receipt.state}; \`turnout tail ${channel}${given.flags}\` shows what becomes of it`);
  return exitCodes.done;
}

async function sendAndWait(
  { channel, timeoutMs }: Request,
  message: Parameters<typeof sendSurely>[2],
  given: ClientRun,
  since: number,
): Promise<number> {
  const { client, terminal, signal, json, flags } = given;
  const end = new AbortController();
  const ending = AbortSignal.any([signal, end.signal]);
  const left = timeoutMs === undefined ? undefined : Math.max(0, timeoutMs - (performance.now() - since));
  const timer = left === undefined ? undefined : setTimeout(() => end.abort(), left);
  // Followed before it is sent, so that nothing of its turn is missed.
  const entries = client.follow(channel, { signal: ending })[Symbol.asyncIterator]();
  let receipt: ReceiptView | undefined;
  try {
    await entries.next().catch((error: unknown) => notSent(client, error));
    receipt = await sendSurely(client, channel, message, {
      signal: ending,
      wasThere: true,
      say: (line) => terminal.say(line),
    });
    // A repeat of a message that was answered long ago.
    if (!['queued', 'running'].includes(receipt.state))
      return await tellEnd(await client.event(receipt.eventId), message.messageId, given);
    const view = answerView(terminal, { json, flags });
    const event = await waitForAnswer(client, receipt.eventId, entries, view, ending);
    return await tellEnd(event, message.messageId, given, { isShown: true });
  } catch (error) {
    if (!ending.aborted) throw error;
    if (receipt === undefined) throw signal.aborted ? error : tookTooLong(error);
    if (terminal.readerGone) return exitCodes.done;
    const why = signal.aborted ? 'interrupted' : 'timeout';
    terminal.say(
      `not waiting any more; the message stays with the gateway (${receipt.eventId}).\n` +
        `\`turnout send ${channel} /stop${flags}\` stops its turn, \`turnout tail ${channel}${flags}\` follows it.`,
    );
    return exitCodeFor(why);
  } finally {
    clearTimeout(timer);
    end.abort();
    await entries.return?.();
  }
}

/** A stream that breaks off at its beginning can't say why: another read does. */
async function notSent(client: ClientRun['client'], error: unknown): Promise<never> {
  const why: unknown = await client.queue().then(
    () => error,
    (reason: unknown) => reason,
  );
  if (!(why instanceof GatewayRefusal)) throw why;
  throw new TurnoutError(why.code, `The message was not sent. ${why.message}`, {
    hint: why.hint,
    cause: why,
  });
}

function tookTooLong(cause: unknown): TurnoutError {
  const hint = cause instanceof TurnoutError ? cause.explanation : undefined;
  return new TurnoutError('timeout', 'The gateway did not take the message in time.', { hint, cause });
}

/** The answer on stdout, all else on stderr: on lines of its own, where both are one terminal. */
function answerView(terminal: Terminal, { json, flags }: Pick<ClientRun, 'json' | 'flags'>): AnswerView {
  const isOneTerminal = process.stdout.isTTY && process.stderr.isTTY;
  let isInLine = false;
  return {
    flags,
    async write(text) {
      if (json || text === '') return;
      isInLine = !text.endsWith('\n');
      await terminal.write(text);
    },
    aside: (line) => terminal.hint(line),
    say(line) {
      if (isOneTerminal && isInLine) void terminal.write('\n');
      isInLine = false;
      terminal.say(line);
    },
  };
}

/** Says how a message has ended. */
async function tellEnd(
  event: EventView,
  messageId: string,
  { terminal, json }: ClientRun,
  { isShown = false } = {},
): Promise<number> {
  const { state, error, responseText } = event;
  if (json) await terminal.write(printObject({ ...event, messageId }));
  else if (!isShown && responseText !== undefined) await terminal.write(`${responseText.trimEnd()}\n`);
  if (state === 'answered') return exitCodes.done;
  if (!json || !isShown) terminal.say(error?.message ?? `The message was ${state}.`);
  return state === 'cancelled' ? exitCodes.interrupted : exitCodeFor(error?.code ?? 'unknown');
}

function printReceipt({ eventId, state }: ReceiptView, { channel, id }: Request): string {
  return printObject({ eventId, state, channel, messageId: id });
}

function checkId(id: string | undefined): string | undefined {
  if (id === undefined || /^[\x21-\x7e]{1,255}$/.test(id)) return id;
  throw new TurnoutError('bad_request', '--id expects 1 to 255 visible ASCII characters, without spaces');
}
