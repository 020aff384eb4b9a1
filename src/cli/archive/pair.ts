import { TurnoutError } from '../../core/errors.js';
import { exitCodes } from '../../core/exit-codes.js';
import { dateAndTime } from '../../core/format.js';
import { oneLine } from '../../core/text.js';
import { hashPairingCode, readPairingCode } from '../../gateway/channels/discord/access/pairing-code.js';
import { isHomeHeld } from '../../gateway/home-lock.js';
import type { Store } from '../../store/store.js';
import type { CommandPage } from '../command/command-page.js';
import { didYouMean } from '../command/did-you-mean.js';
import { wantsJson } from '../command/json-flags.js';
import { finishOutput, printHelp } from '../command/print.js';
import { table } from '../output/table.js';
import { Terminal } from '../output/terminal.js';
import { type ArchiveOptions, archiveFlags, homeOf, readArchiveFlags, wrong } from './archive-command.js';
import { openPeople } from './open-people.js';

export const page = {
  usage: ['pair [list]', 'pair approve <code>', 'pair remove <user id>'],
  about:
    'Who may write to the bot in Discord, beside those whom the settings allow (DISCORD_ALLOWED_USERS, …). A stranger who writes it a direct message gets a code, which is valid for an hour: approve it, and the gateway tells the stranger.',
  subcommands: {
    list: { about: 'who is paired, and who asks' },
    approve: { about: 'lets whoever has got this code write to the bot' },
    remove: { about: 'takes it back, or the open code' },
  },
  flags: archiveFlags,
  notes: 'It works whether the gateway runs or not. Five wrong codes make a pause of 15 minutes.',
  examples: [['pair list'], ['pair approve ABCD2345'], ['pair remove 123456789012345678']],
  exitCodes: '0 done · 1 no such code or person, or no data · 2 wrong usage',
} as const satisfies CommandPage;

type Action =
  | { readonly action: 'list' }
  | { readonly action: 'approve'; readonly code: string }
  | { readonly action: 'remove'; readonly userId: string };

type Request = Action & ArchiveOptions & { readonly json: boolean };

/** The same facts for a person and for a program. */
interface Result {
  readonly text: string;
  readonly json: unknown;
}

/** `turnout pair`: lists, approves and removes people. */
export async function main(argv: readonly string[]): Promise<number> {
  const terminal = new Terminal(process.stdout, process.stderr);
  let request: Request | 'help';
  let home: string;
  try {
    request = parse(argv);
    if (request === 'help') return await printHelp(page);
    home = homeOf(request);
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    terminal.say(error.explanation);
    return exitCodes.usage;
  }
  try {
    const { text, json } = await perform(request, home);
    await terminal.write(request.json ? `${JSON.stringify(json, null, 2)}\n` : text);
    return await finishOutput(terminal);
  } catch (error) {
    terminal.say(error instanceof TurnoutError ? error.explanation : (error as Error).message);
    return exitCodes.failed;
  }
}

function parse(argv: readonly string[]): Request | 'help' {
  return readArchiveFlags('pair', argv, page.flags, (given) => {
    const common = { home: given.text('home'), demo: given.has('demo'), json: wantsJson(given) };
    return { ...common, ...readAction(given.positionals) };
  });
}

function readAction(words: readonly string[]): Action {
  const [action = 'list', ...rest] = words;
  if (action === 'list' && rest.length === 0) return { action };
  if (action === 'approve') {
    // Typed with a space in the middle, a code is two arguments.
    const code = readPairingCode(rest.join(''));
    if (code !== undefined) return { action, code };
    const what = rest.length === 0 ? 'the code is missing' : `${JSON.stringify(rest.join(' '))} is no code`;
    throw wrong('pair', `${what}: a code has 8 letters and digits, without 0, 1, I and O`);
  }
  if (action === 'remove') {
    const [userId = ''] = rest;
    if (rest.length === 1 && /^\d{17,20}$/.test(userId)) return { action, userId };
    throw wrong('pair', 'expected the id of one person, 17 to 20 digits: `turnout pair list` shows them');
  }
  const given = JSON.stringify(words.join(' '));
  const meant = didYouMean(action, Object.keys(page.subcommands));
  throw wrong('pair', `expected list, approve <code> or remove <user id>, got ${given}.${meant}`);
}

async function perform(request: Request, home: string): Promise<Result> {
  const store = await openPeople(home, request.action === 'list' ? 'read' : 'write');
  try {
    switch (request.action) {
      case 'list':
        return await list(store);
      case 'approve':
        return await approve(store, request.code, home);
      case 'remove':
        return await remove(store, request.userId);
    }
  } finally {
    await store.close();
  }
}

async function list(store: Store): Promise<Result> {
  const [paired, waiting] = [await store.discordPaired(), await store.discordStrangers(Date.now())];
  const rows = [
    ...waiting.map(({ userId, name, expiresAt }) => [
      userId,
      named(name),
      `code until ${dateAndTime(expiresAt)}`,
    ]),
    ...paired.map(({ userId, name, pairedAt }) => [userId, named(name), `paired ${dateAndTime(pairedAt)}`]),
  ];
  const header = ['USER', 'NAME', 'STATE (UTC)'];
  return {
    text: rows.length === 0 ? 'Nobody is paired, and nobody asks.\n' : table([header, ...rows], columns),
    json: {
      paired: paired.map(({ userId, name, pairedAt }) => ({ userId, name, pairedAt: iso(pairedAt) })),
      waiting: waiting.map(({ userId, name, askedAt, expiresAt }) => ({
        ...{ userId, name, askedAt: iso(askedAt), expiresAt: iso(expiresAt) },
      })),
    },
  };
}

async function approve(store: Store, code: string, home: string): Promise<Result> {
  const answer = await store.approveDiscordCode({ hash: await hashPairingCode(code), at: Date.now() });
  switch (answer.type) {
    case 'paired': {
      const { userId, name, pairedAt } = answer.person;
      const told = (await isHomeHeld(home))
        ? 'The gateway tells them in Discord.'
        : 'No gateway runs: it tells them in Discord when it is started.';
      return {
        text: `${named(name)} (${userId}) may write to the bot now. ${told}\n`,
        json: { paired: { userId, name, pairedAt: iso(pairedAt) } },
      };
    }
    case 'unknown':
      throw new TurnoutError('bad_request', `No valid code is ${code}.`, {
        hint: `A code is valid for an hour; whoever writes to the bot again gets a new one. ${tries(answer.triesLeft)}`,
      });
    case 'paused':
      throw new TurnoutError('bad_request', 'There were too many wrong codes: none is taken for now.', {
        hint: `Try again after ${dateAndTime(answer.until)} UTC, or add the person's id to DISCORD_ALLOWED_USERS.`,
      });
  }
}

async function remove(store: Store, userId: string): Promise<Result> {
  if (!(await store.removeDiscordPerson(userId))) {
    throw new TurnoutError('bad_request', `${userId} is not paired, and has no open code.`, {
      hint: '`turnout pair list` shows who is. People in DISCORD_ALLOWED_USERS are removed there.',
    });
  }
  const note = 'Whom the settings allow (DISCORD_ALLOWED_USERS, …) may still write.';
  return { text: `${userId} is not paired any more. ${note}\n`, json: { removed: userId } };
}

const columns = ['left', 'left', 'left'] as const;

function named(name: string): string {
  return oneLine(name, 40) || '(no name)';
}

function tries(left: number): string {
  return left === 0
    ? 'There is a pause of 15 minutes now.'
    : `${left} more may be wrong before there is a pause.`;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
