import type { ChannelDigest, StoredMessage } from '../rows.js';
import type { DigestQuery, NewestPage } from '../store.js';
import { firstPrompt, sliceOfRows } from './conversations.js';
import type { Database } from './database.js';
import type { GroupCommit } from './group-commit.js';
import { beginning, type MessageRow, toMessage } from './read-rows.js';

/** So many channels are looked at closely at once. */
const sliceOfChannels = 50;

/** Reads the channels for a list of conversations. Only those that are listed are looked at closely. */
export async function channelDigests(
  commits: GroupCommit,
  { only, archived, limit }: DigestQuery,
): Promise<readonly ChannelDigest[]> {
  const found =
    only === undefined ? await newestChannels(commits, archived, limit) : await channelsOf(commits, only);
  const listed = found
    .filter((row) => archived === undefined || archived === (row.archived === 1))
    .sort((one, other) => (other.last ?? 0) - (one.last ?? 0))
    .slice(0, Math.max(0, limit));
  const asked = await commits.read(pendingByChannel);
  const digests: ChannelDigest[] = [];
  for (let from = 0; from < listed.length; from += sliceOfChannels) {
    const slice = listed.slice(from, from + sliceOfChannels);
    const made = await commits.read((db) => slice.map((row) => digest(db, row, asked.get(row.name) ?? 0)));
    digests.push(...made);
  }
  return digests;
}

interface ChannelRow {
  readonly name: string;
  readonly waiting: number;
  readonly running: number;
  readonly conversation_start: number;
  readonly title: string | null;
  readonly archived: number;
  readonly messages: number;
  /** The id of its last message. */
  readonly last: number | null;
}

const columns = `name, waiting, running_turn IS NOT NULL AS running, conversation_start, title, archived, messages,
  last_message AS last`;

/** The index holds the archived ones and the others one behind the other. */
async function newestChannels(
  commits: GroupCommit,
  archived: boolean | undefined,
  limit: number,
): Promise<readonly ChannelRow[]> {
  const kinds = archived === undefined ? [0, 1] : [Number(archived)];
  const sql = `SELECT ${columns} FROM channels WHERE archived = ? ORDER BY last_message DESC, name LIMIT ?`;
  return commits.read((db) => kinds.flatMap((kind) => db.all<ChannelRow>(sql, kind, Math.max(0, limit))));
}

async function channelsOf(commits: GroupCommit, names: readonly string[]): Promise<readonly ChannelRow[]> {
  const found: ChannelRow[] = [];
  const sql = `SELECT ${columns} FROM channels WHERE name = ?`;
  for (const name of names) found.push(...(await commits.read((db) => db.all<ChannelRow>(sql, name))));
  return found;
}

function pendingByChannel(db: Database): ReadonlyMap<string, number> {
  const rows = db.all<{ channel: string; count: number }>(
    "SELECT channel, count(*) AS count FROM permissions WHERE state = 'pending' GROUP BY channel",
  );
  return new Map(rows.map(({ channel, count }) => [channel, count]));
}

function digest(db: Database, row: ChannelRow, pendingPermissions: number): ChannelDigest {
  const last = db.get<{ at: number; text: string; silent: number }>(
    `SELECT created_at AS at, substr(text, 1, ${beginning}) AS text, silent FROM messages
      WHERE channel = ? ORDER BY id DESC LIMIT 1`,
    row.name,
  );
  return {
    channel: row.name,
    waiting: row.waiting,
    running: row.running === 1,
    messages: row.messages,
    lastMessageAt: last?.at,
    lastText: last?.text,
    ...(last?.silent === 1 ? { lastSilent: true } : {}),
    title: row.title ?? undefined,
    archived: row.archived === 1,
    firstPrompt: firstPrompt(db, row.name, row.conversation_start),
    pendingPermissions,
  };
}

export async function channelNames(
  commits: GroupCommit,
): Promise<readonly { channel: string; title?: string | undefined }[]> {
  const names: { channel: string; title?: string | undefined }[] = [];
  const rows = commits.rows<Pick<ChannelRow, 'name' | 'title'>>((db, last) =>
    db.all(
      `SELECT name, title FROM channels WHERE name > ? ORDER BY name LIMIT ${sliceOfRows}`,
      last?.name ?? '',
    ),
  );
  for await (const { name, title } of rows) names.push({ channel: name, title: title ?? undefined });
  return names;
}

export function newestMessages(db: Database, page: NewestPage): StoredMessage[] {
  const rows = db.all<MessageRow>(
    `SELECT id, channel, event_id, role, substr(text, 1, ?) AS text, backend, created_at FROM messages
      WHERE id < ? ORDER BY id DESC LIMIT ?`,
    page.maxCharacters,
    page.before ?? Number.MAX_SAFE_INTEGER,
    Math.max(0, page.limit),
  );
  return rows.map(toMessage);
}
