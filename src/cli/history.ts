import { dateAndTime, dayOf } from '../core/format.js';
import { linesOf, oneLine } from '../core/quote.js';
import type { ArchiveReader, ChannelOverview, StoredMessage } from '../gateway/archive/open-archive.js';
import { idBefore, idBeforeNewest, readMessages } from '../gateway/archive/read-pages.js';
import { dayAsMarkdown } from '../gateway/archive/write-day.js';
import {
  type ArchiveOptions,
  notHere,
  parseArchiveArguments,
  runArchiveCommand,
  timeOption,
  wrong,
} from './archive-command.js';
import { table } from './table.js';
import type { Terminal } from './terminal.js';

export const usageText = `Usage: turnout history [channel] [options]

What was said in a channel, oldest first; without a channel: which channels there are.

  --limit <n>     the newest n messages (default 50)
  --since <time>  only what was said since a day (2026-01-31) or a time (2026-01-31T14:00), UTC
  --markdown      the pages of the archive for the days of these messages: with tools, usage and cost
  --json          one JSON object
  --home <dir>    the gateway's data directory (TURNOUT_HOME, default ~/.turnout)

Exit codes: 0 done · 1 no such channel, or no data · 2 wrong usage
`;

/** `turnout history`: prints archived conversations. */
export function main(argv: readonly string[]): Promise<number> {
  return runArchiveCommand({ name: 'history', usageText, parse, run }, argv);
}

interface HistoryOptions extends ArchiveOptions {
  readonly channel: string | undefined;
  readonly limit: number;
  readonly since: number | undefined;
  readonly form: 'text' | 'markdown' | 'json';
}

function parse(argv: readonly string[]): HistoryOptions | 'help' {
  const { values, positionals } = parseArchiveArguments('history', argv, {
    limit: { type: 'string' },
    since: { type: 'string' },
    markdown: { type: 'boolean' },
  });
  if (values.help) return 'help';
  if (positionals.length > 1) throw wrong('history', `one channel is expected, got ${positionals.length}`);
  if (values.markdown && values.json) throw wrong('history', '--markdown and --json were both given');
  const limit = values.limit ?? '50';
  if (!/^\d{1,9}$/.test(limit) || Number(limit) === 0) {
    throw wrong('history', `--limit expects a whole number above 0, got ${JSON.stringify(limit)}`);
  }
  const [channel] = positionals;
  const form = values.markdown ? 'markdown' : values.json ? 'json' : 'text';
  if (
    channel === undefined &&
    (values.markdown || values.limit !== undefined || values.since !== undefined)
  ) {
    throw wrong('history', 'a channel is expected with --limit, --since and --markdown');
  }
  const since = timeOption('history', '--since', values.since);
  return { channel, limit: Number(limit), since, form, home: values.home };
}

async function run(archive: ArchiveReader, options: HistoryOptions, terminal: Terminal): Promise<void> {
  const channels = await archive.channels();
  const { channel, form } = options;
  if (channel === undefined) {
    const listed = channels.filter(({ messages }) => messages > 0);
    await terminal.write(form === 'json' ? json({ channels: listed }) : channelTable(listed));
    return;
  }
  if (!channels.some((known) => known.channel === channel && known.messages > 0)) {
    throw notHere(
      `Nothing was said in a channel ${JSON.stringify(channel)}.`,
      '`turnout history` lists the channels.',
    );
  }
  const messages = await newest(archive, channel, options);
  if (form === 'json') await terminal.write(json({ channel, messages }));
  else if (form === 'markdown') await writeDays(archive, channel, messages, terminal);
  else await writeMessages(archive, messages, terminal);
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

async function writeMessages(
  archive: ArchiveReader,
  messages: readonly StoredMessage[],
  terminal: Terminal,
): Promise<void> {
  for (const message of messages) {
    if (!terminal.writable) return;
    const lines = linesOf(message.text).map((line) => (line === '' ? '' : `    ${line}`));
    const heading = `${dateAndTime(message.createdAt)}  ${await speakerOf(archive, message)}`;
    await terminal.write(`${heading}\n${lines.join('\n')}\n\n`);
  }
}

async function speakerOf(archive: ArchiveReader, message: StoredMessage): Promise<string> {
  if (message.role === 'assistant') return oneLine(message.backend ?? 'assistant');
  const event = message.eventId === undefined ? undefined : await archive.event(message.eventId);
  const name = message.role === 'system' ? 'turnout' : (event?.author ?? 'user');
  return event === undefined ? oneLine(name) : `${oneLine(name)} (${event.id})`;
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
