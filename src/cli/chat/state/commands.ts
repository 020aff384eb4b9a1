import { nearest } from '../../../core/distance.js';
import { permissionModes } from '../../../core/permission-mode.js';
import { thinkingDepths } from '../../../core/thinking.js';

/** A command that a chat takes. The conversation says which ones it has. */
export type Command = {
  readonly argument?: string;
  /** What its argument may be. */
  readonly values?: readonly string[];
  readonly summary: string;
  /** True if it can be given while a turn runs. */
  readonly anytime?: boolean;
  /** True if it is not possible here, which is said when it is given: no list has it. */
  readonly hidden?: true;
} & (
  | { readonly name: CommandName; readonly handedOn?: undefined }
  /** The conversation does it by itself, and says what it has done. */
  | { readonly name: string; readonly handedOn: true }
);

export type CommandName =
  | 'backend'
  | 'model'
  | 'thinking'
  | 'permissions'
  | 'new'
  | 'sessions'
  | 'retry'
  | 'usage'
  | 'help'
  | 'quit';

/** The commands of a chat with an agent of its own. */
export const ownCommands: readonly (Command & { readonly name: CommandName })[] = [
  { name: 'backend', argument: '<name>', summary: 'hand the conversation over to another CLI' },
  { name: 'model', argument: '<name>', summary: 'which model answers' },
  {
    name: 'thinking',
    argument: '<depth>',
    values: [...thinkingDepths, 'show', 'hide'],
    summary: 'how deep it thinks; show or hide: what you see of it',
  },
  {
    name: 'permissions',
    argument: '<mode>',
    values: permissionModes,
    summary: `what it may do: ${permissionModes.join(', ')}`,
  },
  { name: 'new', summary: 'begin a new conversation' },
  { name: 'sessions', summary: 'go on with an earlier one of this directory' },
  { name: 'retry', summary: 'say the last message again' },
  { name: 'usage', summary: 'time, tokens and cost of this chat', anytime: true },
  { name: 'help', summary: 'this list', anytime: true },
  { name: 'quit', summary: 'leave (Ctrl-D)', anytime: true },
];

/** Other programs' words for them. */
const aliases: Readonly<Record<string, CommandName>> = {
  clear: 'new',
  exit: 'quit',
  q: 'quit',
  resume: 'sessions',
  cost: 'usage',
  permission: 'permissions',
  '?': 'help',
};

export type Parsed =
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'command'; readonly command: Command; readonly argument: string }
  /** It is like a command, and none. */
  | { readonly type: 'unknown'; readonly word: string; readonly meant: string };

/**
 * What a person means. A word behind a slash that is no command, nor like one, is sent as it is: it may be a path, or a command
 * of the CLI's own. A blank in front makes any text a prompt.
 */
export function parseInput(text: string, commands: readonly Command[] = ownCommands): Parsed {
  const match = /^\/([a-z?][a-z-]*)(?:\s+(.*))?$/is.exec(text);
  if (match === null) return { type: 'prompt', text: text.trim() };
  const [, written = '', argument = ''] = match;
  const word = written.toLowerCase();
  const name = Object.hasOwn(aliases, word) ? aliases[word] : word;
  const command = commands.find((known) => known.name === name);
  if (command !== undefined) return { type: 'command', command, argument: argument.trim() };
  const meant = nearest(word, shownNames(commands));
  return meant === undefined || word.length < 3
    ? { type: 'prompt', text: text.trim() }
    : { type: 'unknown', word: written, meant };
}

export interface Completed {
  readonly text: string;
  /** What else there is, if there are several. */
  readonly choices: readonly string[];
}

/** What Tab makes of the text; undefined if it can't be completed. */
export function complete(
  text: string,
  backends: readonly string[],
  commands: readonly Command[] = ownCommands,
): Completed | undefined {
  const match = /^\/(\S*)$/.exec(text);
  if (match !== null) return among('/', match[1] ?? '', shownNames(commands));
  const [, head = '', name = '', begun = ''] = /^(\/(\S+)\s+)(\S*)$/.exec(text) ?? [];
  const command = commands.find((known) => known.name === name && !known.hidden);
  const values = command?.name === 'backend' ? backends : command?.values;
  return values === undefined ? undefined : among(head, begun, values);
}

function shownNames(commands: readonly Command[]): readonly string[] {
  return commands.filter(({ hidden }) => !hidden).map(({ name }) => name);
}

function among(head: string, begun: string, words: readonly string[]): Completed | undefined {
  const found = words.filter((word) => word.startsWith(begun.toLowerCase()));
  const [first] = found;
  if (first === undefined) return undefined;
  if (found.length === 1) return { text: `${head}${first} `, choices: [] };
  let common = first;
  while (!found.every((word) => word.startsWith(common))) common = common.slice(0, -1);
  return { text: head + common, choices: found };
}
