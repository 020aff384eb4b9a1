import type { PermissionDecision } from '../../core/chat-event.js';
import { TurnoutError } from '../../core/errors.js';
import { exitCodes } from '../../core/exit-codes.js';
import { duration } from '../../core/format.js';
import { printJson } from '../../core/json.js';
import { isQuestionId, shortQuestionId } from '../../core/question-id.js';
import { exact, oneLine } from '../../core/text.js';
import { unshownFields } from '../../core/tool-input.js';
import type { FilePreviewView, PermissionView } from '../../gateway/channels/http/wire.js';
import type { CommandPage } from '../command/command-page.js';
import { wrongUsage } from '../command/read-flags.js';
import { unknownSubcommand } from '../command/unknown-command.js';
import { table } from '../output/table.js';
import { type ClientRun, clientFlags, printObject, runClientCommand } from './client-command.js';
import type { GatewayClient } from './gateway-client.js';
import { alwaysLines, askedFor } from './words.js';

export const page = {
  usage: [
    'permissions [list]',
    'permissions show <id>',
    'permissions allow|always|deny <id> [--reason <text>]',
  ],
  about:
    'What the agents of the running gateway ask for, and the answers. An id may be cut short, as the list shows it.',
  subcommands: {
    list: { about: 'what waits for an answer', takes: Object.keys(clientFlags) },
    show: {
      about: 'one question, with all of its input',
      takes: Object.keys(clientFlags),
      operand: 'permissions',
    },
    allow: { about: 'yes', operand: 'permissions' },
    always: {
      about: 'yes, and to the like of it from then on, as far as the CLI offers that',
      operand: 'permissions',
    },
    deny: { about: 'no', operand: 'permissions' },
  },
  flags: {
    reason: { type: 'text', value: 'text', about: 'why, for the agent' },
    ...clientFlags,
  },
  examples: [
    ['permissions'],
    ['permissions show 3f2a91c0'],
    ['permissions deny 3f2a91c0 --reason "not in this directory"'],
  ],
  exitCodes:
    '0 done · 1 no such question, or it was answered already · 2 wrong usage · 3 no gateway is running',
} as const satisfies CommandPage;

const decisions = { allow: 'allow', always: 'allow_always', deny: 'deny' } as const;
type Word = keyof typeof decisions;

type Request =
  | { readonly action: 'list' }
  | { readonly action: 'show'; readonly id: string }
  | { readonly action: Word; readonly id: string; readonly reason: string | undefined };

/** `turnout permissions`: lists and answers what agents ask for. */
export function main(argv: readonly string[]): Promise<number> {
  return runClientCommand(
    {
      name: 'permissions',
      page,
      parse: ({ positionals, text }): Request => parse(positionals, text('reason')),
      run,
    },
    argv,
  );
}

function parse([action = 'list', id, ...rest]: readonly string[], reason: string | undefined): Request {
  const isAnswer = Object.hasOwn(decisions, action);
  if (!isAnswer && action !== 'list' && action !== 'show')
    throw unknownSubcommand('permissions', action, page.subcommands);
  if (!isAnswer && reason !== undefined) throw wrongUsage('permissions', '--reason is for an answer');
  if (action === 'list') {
    if (id !== undefined) throw wrongUsage('permissions', 'list takes nothing behind it');
    return { action };
  }
  if (id === undefined || rest.length > 0)
    throw wrongUsage(
      'permissions',
      `one id is expected behind ${action}: \`turnout permissions\` lists them`,
    );
  return action === 'show' ? { action, id } : { action: action as Word, id, reason };
}

async function run(request: Request, { client, terminal, json, flags }: ClientRun): Promise<number> {
  if (request.action === 'list') {
    const { permissions } = await client.permissions();
    await terminal.write(json ? printObject({ permissions }) : list(permissions, Date.now(), flags));
    return exitCodes.done;
  }
  const found = await find(client, request.id);
  if (request.action === 'show') {
    const whole = await client.permission(found.id);
    await terminal.write(json ? printObject(whole) : describe(whole));
    return exitCodes.done;
  }
  const decision: PermissionDecision = decisions[request.action];
  const decided = await client.answer(found.id, decision, request.reason);
  const word = decision === 'deny' ? 'Denied' : decision === 'allow' ? 'Allowed' : 'Always allowed';
  await terminal.write(json ? printObject(decided) : `${word}: ${askedFor(found)} (${found.channel})\n`);
  return exitCodes.done;
}

/** By a whole id, or by the beginning of one that no other has. */
async function find(client: GatewayClient, written: string): Promise<PermissionView> {
  const { permissions } = await client.permissions();
  const begins = permissions.filter(({ id }) => isQuestionId(written, id));
  const [only, ...others] = begins;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    throw new TurnoutError(
      'bad_request',
      `${begins.length} questions begin with ${JSON.stringify(written)}.`,
      {
        hint: '`turnout permissions --json` has their whole ids.',
      },
    );
  // One that was answered already is told apart from one that never was.
  if (written.startsWith('prm_') && written.length > 36) return client.permission(written);
  throw new TurnoutError('bad_request', `No question ${JSON.stringify(written)} is open.`, {
    hint: '`turnout permissions` lists those that are.',
  });
}

function list(permissions: readonly PermissionView[], now: number, flags: string): string {
  if (permissions.length === 0) return 'Nothing is asked.\n';
  const rows = permissions.map((question) => [
    shortQuestionId(question.id),
    oneLine(question.channel, 40),
    duration(Math.max(0, now - Date.parse(question.createdAt))),
    askedFor(question, flags),
  ]);
  const always = permissions.flatMap((question) => {
    const lines = alwaysLines(question);
    return lines.length === 0 ? [] : ['', `${shortQuestionId(question.id)}: ${lines[0]}`, ...lines.slice(1)];
  });
  const shown = table([['ID', 'CHANNEL', 'WAITS', 'FOR'], ...rows], ['left', 'left', 'left', 'left']);
  return [shown, ...always.map((line) => `${line}\n`)].join('');
}

/** All of it, without anything that could steer the terminal: it is what somebody decides upon. */
function describe(question: PermissionView): string {
  const { id, channel, createdAt, options, decision } = question;
  const head = [
    askedFor(question),
    `id:      ${id}`,
    `channel: ${oneLine(channel)}`,
    `asked:   ${createdAt}`,
    decision === undefined ? `answers: ${options.join(', ')}` : `decided: ${decision}`,
  ];
  const always = alwaysLines(question);
  const below = always.length === 0 ? [] : ['', ...always];
  return `${[...head, '', exact(whatWouldBeDone(question)), ...below].join('\n')}\n`;
}

function whatWouldBeDone({ tool, input, preview }: PermissionView): string {
  if (preview === undefined) return JSON.stringify(input, null, 2);
  const more = unshownFields(tool, input).map(({ name, value }) => `${name}: ${printJson(value)}`);
  if (preview.type === 'command') {
    const where = preview.cwd === undefined ? [] : [`in ${preview.cwd}:`];
    return [...where, preview.command, ...more].join('\n');
  }
  return [...preview.files.map(describeEdit), ...more].join('\n\n');
}

function describeEdit({ path, diff, leadsTo, outside, left }: FilePreviewView): string {
  return [
    ...(diff.includes(path) ? [] : [path]),
    ...(leadsTo === undefined ? [] : [`leads to ${leadsTo}`]),
    ...(outside ? ['outside of the directory that the turn works in'] : []),
    diff.trimEnd(),
    ...(left === undefined ? [] : [`… and ${left} more characters`]),
  ].join('\n');
}
