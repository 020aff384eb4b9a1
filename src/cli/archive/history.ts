import { hasColours } from '../../core/colours.js';
import { dateAndTime, dayOf } from '../../core/format.js';
import { oneLine } from '../../core/text.js';
import type { ArchiveReader, ChannelOverview, StoredMessage } from '../../gateway/archive/open-archive.js';
import { idBefore, idBeforeNewest, readMessages } from '../../gateway/archive/read-pages.js';
import { dayAsMarkdown } from '../../gateway/archive/write-day.js';
import { representMessage } from '../../gateway/channels/http/represent.js';
import type { MessageView } from '../../gateway/channels/http/wire.js';
import type { CommandPage } from '../command/command-page.js';
import { wantsJson } from '../command/json-flags.js';
import { table } from '../output/table.js';
import type { Terminal } from '../output/terminal.js';
import {
  type ArchiveOptions,
  archiveFlags,
  homeOf,
  notHere,
  readArchiveFlags,
  runArchiveCommand,
  timeOption,
  wrong,
} from './archive-command.js';
import { writeMessage } from './message-text.js';

export const page = {
  usage: ['history [channel] [options]'],
  about: 'What was said in a channel, oldest first; without a channel: which channels there are.',
  operand: 'channels',
  flags: {
    follow: {
      type: 'switch',
      short: 'f',
      about: 'goes on with what is said from then on, until Ctrl-C; the gateway has to run',
    },
    limit: { type: 'text', value: 'n', about: 'the newest n messages (default 50)' },
    since: {
      type: 'text',
      value: 'time',
      about: 'only what was said since a day (2026-01-31) or a time (2026-01-31T14:00), UTC',
    },
    markdown: {
      type: 'switch',
      about: 'the pages of the archive for the days of these messages: with tools, usage and cost',
    },
    ...archiveFlags,
  },
  examples: [
    ['history', 'the channels'],
    ['history main --limit 10'],
    ['history main --follow', 'and what is said from now on'],
    ['history main --since 2026-01-31 --json'],
  ],
  exitCodes: '0 done · 1 no such channel, or no data · 2 wrong usage · 3 --follow: no gateway is running',
} as const satisfies CommandPage;

/** `turnout history`: prints archived conversations. */
export function main(argv: readonly string[]): Promise<number> {
  return runArchiveCommand({ name: 'history', page, parse, run }, argv);
}

interface HistoryOptions extends ArchiveOptions {
  readonly channel: string | undefined;
  readonly limit: number;
  readonly since: number | undefined;
  readonly form: 'text' | 'markdown' | 'json';
  readonly follow: boolean;
}

function parse(argv: readonly string[]): HistoryOptions | 'help' {
  return readArchiveFlags('history', argv, page.flags, (given) => {
    const { positionals } = given;
    if (positionals.length > 1) throw wrong('history', `one channel is expected, got ${positionals.length}`);
    const [json, markdown, follow] = [wantsJson(given), given.has('markdown'), given.has('follow')];
    if (markdown && json) throw wrong('history', '--markdown and --json were both given');
    if (markdown && follow) throw wrong('history', '--markdown and --follow were both given');
    const limit = given.text('limit') ?? '50';
    if (!/^\d{1,9}$/.test(limit) || Number(limit) === 0) {
      throw wrong('history', `--limit expects a whole number above 0, got ${JSON.stringify(limit)}`);
    }
    const [channel] = positionals;
    if (channel === undefined && (markdown || follow || given.has('limit') || given.has('since'))) {
      throw wrong('history', 'a channel is expected with --limit, --since, --markdown and --follow');
    }
    const form = markdown ? 'markdown' : json ? 'json' : 'text';
    const since = timeOption('history', '--since', given.text('since'));
    return {
      channel,
      limit: Number(limit),
      since,
      form,
      follow,
      home: given.text('home'),
      demo: given.has('demo'),
    };
  });
}

async function run(archive: ArchiveReader, options: HistoryOptions, terminal: Terminal): Promise<void> {
  const channels = await archive.channels();
  const { channel, form } = options;
  if (channel === undefined) {
    const listed = channels.filter(({ messages }) => messages > 0);
    await terminal.write(
      form === 'json' ? json({ channels: listed.map(channelView) }) : channelTable(listed),
    );
    return;
  }
  if (options.follow) return followHistory(archive, channel, options, terminal);
  if (!channels.some((known) => known.channel === channel && known.messages > 0)) {
    throw notHere(
      `Nothing was said in a channel ${JSON.stringify(channel)}.`,
      '`turnout history` lists the channels.',
    );
  }
  const messages = await newest(archive, channel, options);
  if (form === 'json') {
    const views = await Promise.all(messages.map((message) => asView(message, archive)));
    await terminal.write(json({ channel, messages: views }));
  } else if (form === 'markdown') await writeDays(archive, channel, messages, terminal);
  else
    for (const message of messages) {
      if (!terminal.writable) return;
      await writeMessage(await asView(message, archive), archive, terminal, hasColours(process.stdout));
    }
}

/** What was said, and what is said from then on. Nothing is lost between them: both count the same messages. */
async function followHistory(
  archive: ArchiveReader,
  channel: string,
  options: HistoryOptions,
  terminal: Terminal,
): Promise<void> {
  const { followMessages } = await import('../client/follow-messages.js');
  const { MessagePlace } = await import('../client/message-place.js');
  const following = await followMessages(channel, homeOf(options), terminal);
  // The file that was opened may be another one by now: its gateway may have been given a backup.
  const kept = { permission: (id: string) => archive.permission(id).catch(() => undefined) };
  const write = async (message: MessageView) =>
    options.form === 'json'
      ? terminal.write(`${JSON.stringify(message)}\n`)
      : writeMessage(message, kept, terminal, hasColours(process.stdout));
  const place = new MessagePlace();
  const shown = await newest(archive, channel, options);
  for (const message of shown) {
    const view = await asView(message, archive);
    await write(view);
    place.saw(view);
  }
  if (shown.length === 0) terminal.say(`nothing was said in ${channel} yet: waiting for it.`);
  for await (const message of following.after(place)) await write(message);
}

async function newest(
  archive: ArchiveReader,
  channel: string,
  { limit, since }: HistoryOptions,
): Promise<readonly StoredMessage[]> {
  const bySince = since === undefined ? 0 : await idBefore(archive, channel, since);
  const byLimit = await idBeforeNewest(archive, channel, limit);
  let messages: StoredMessage[] = [];
  for await (const message of readMessages(archive, channel, Math.max(bySince, byLimit))) {
    messages.push(message);
    if (messages.length >= limit * 2) messages = messages.slice(-limit);
  }
  return messages.slice(-limit);
}

async function writeDays(
  archive: ArchiveReader,
  channel: string,
  messages: readonly StoredMessage[],
  terminal: Terminal,
): Promise<void> {
  for (const day of new Set(messages.map(({ createdAt }) => dayOf(createdAt)))) {
    for await (const piece of dayAsMarkdown(archive, channel, day)) {
      if (!terminal.writable) return;
      await terminal.write(piece);
    }
  }
}

/** As the HTTP interface tells it. */
async function asView(message: StoredMessage, archive: ArchiveReader): Promise<MessageView> {
  const event = message.eventId === undefined ? undefined : await archive.event(message.eventId);
  const author = message.role === 'user' ? event?.author : undefined;
  return representMessage(author === undefined ? message : { ...message, author });
}

function channelView({ lastMessageAt, ...channel }: ChannelOverview) {
  const at = lastMessageAt === undefined ? {} : { lastMessageAt: new Date(lastMessageAt).toISOString() };
  return { ...channel, ...at };
}

function channelTable(channels: readonly ChannelOverview[]): string {
  if (channels.length === 0) return 'Nothing has been said yet.\n';
  const titled = channels.some(({ title }) => title !== undefined);
  const rows = channels.map(({ channel, title, messages, lastMessageAt, running, waiting }) => [
    oneLine(channel),
    ...(titled ? [oneLine(title ?? '')] : []),
    String(messages),
    lastMessageAt === undefined ? '' : dateAndTime(lastMessageAt),
    [...(running ? ['running'] : []), ...(waiting > 0 ? [`${waiting} waiting`] : [])].join(', '),
  ]);
  return table(
    [['CHANNEL', ...(titled ? ['TITLE'] : []), 'MESSAGES', 'LAST (UTC)', ''], ...rows],
    ['left', ...(titled ? (['left'] as const) : []), 'right', 'left', 'left'],
  );
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
