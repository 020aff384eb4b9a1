import { oneLine } from '../../../../core/text.js';

/** The names behind the ids that a message mentions, as far as they are known. */
export interface MentionNames {
  readonly users: ReadonlyMap<string, string>;
  readonly roles: ReadonlyMap<string, string>;
  readonly channels: ReadonlyMap<string, string>;
}

export interface Bot {
  readonly id: string;
  readonly name?: string | undefined;
  /** The role that Discord makes for a bot: people mention it by mistake. */
  readonly roleId?: string | undefined;
}

/**
 * The text of a message as people see it: `@name` in place of an id. The bot's own mention at the beginning and at the end is
 * gone, since it only says whom the message is for. Code stays as it is.
 */
export function readableText(text: string, names: MentionNames, bot: Bot): string {
  return withoutBot(text, bot)
    .split(code)
    .map((part, index) => (index % 2 === 1 ? part : named(part, names)))
    .join('');
}

/** Discord shows mentions in code as they are written. */
const code = /(```[\s\S]*?```|`[^`\n]+`)/;

function withoutBot(text: string, { id, roleId }: Bot): string {
  const own = `(?:<@!?${id}>${roleId === undefined ? '' : `|<@&${roleId}>`})`;
  return text
    .trim()
    .replace(new RegExp(`^(?:${own}\\s*)+(?:[,:](?=\\s|$)\\s*)?`), '')
    .replace(new RegExp(`(?:\\s*${own})+$`), '');
}

const marks =
  /<(?:(?<user>@!?)|(?<role>@&)|(?<channel>#))(?<id>\d{1,20})>|<a?:(?<emoji>\w{1,64}):\d{1,20}>|<\/(?<command>[^<>:\n]{1,100}):\d{1,20}>|<t:(?<time>-?\d{1,13})(?::[a-zA-Z])?>/g;

function named(text: string, names: MentionNames): string {
  return text.replace(marks, (mark, ...rest) => {
    const found = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const { id = '', emoji, command, time } = found;
    if (emoji !== undefined) return `:${emoji}:`;
    if (command !== undefined) return `/${command}`;
    if (time !== undefined) return dateOf(Number(time)) ?? mark;
    const sign = found['channel'] === undefined ? '@' : '#';
    const known = found['channel'] !== undefined ? names.channels : found['role'] ? names.roles : names.users;
    const name = known.get(id);
    return name === undefined ? mark : sign + bounded(name);
  });
}

/** Others choose names, and they stand among the author's words: one that is more than a few plain words is in quotes. */
function bounded(name: string): string {
  if (/^[\p{L}\p{M}\p{N}_-]+(?: [\p{L}\p{M}\p{N}_-]+){0,2}$/u.test(name) && name.length <= 32) return name;
  return `"${oneLine(name.replace(/["`“”«»[\]{}<>()\u0085]/g, ' '), 60)}"`;
}

function dateOf(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace('.000', '');
}
