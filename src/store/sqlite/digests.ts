import type { ChannelDigest, StoredMessage } from '../rows.js';
import type { DigestQuery, NewestPage } from '../store.js';
import type { Database } from './database.js';
import { beginning, type MessageRow, toMessage } from './read-rows.js';

/** Reads the channels for a list of conversations. Only those that are listed are looked at closely. */
export function channelDigests(db: Database, { only, archived, limit }: DigestQuery): ChannelDigest[] {
  const found =
    only === undefined
      ? newestChannels(db, archived, limit)
      : only
          .flatMap((name) => channelOf(db, name))
          .filter((row) => archived === undefined || archived === (row.archived === 1));
  const asked = pendingByChannel(db);
  return found
    .sort((one, other) => (other.last ?? 0) - (one.last ?? 0))
    .slice(0, Math.max(0, limit))
    .map((row) => digest(db, row, asked.get(row.name) ?? 0));
}

interface ChannelRow {
  readonly name: string;
  readonly waiting: number;
  readonly running: number;
  readonly conversation_start: number;
  readonly title: string | null;
  readonly archived: number;
  /** The id of its last message. */
  readonly last: number | null;
}

const columns = `name, waiting, running_turn IS NOT NULL AS running, conversation_start, title, archived,
  (SELECT max(id) FROM messages WHERE channel = channels.name) AS last`;

function newestChannels(db: Database, archived: boolean | undefined, limit: number): ChannelRow[] {
  return db.all(
    `SELECT ${columns} FROM channels WHERE archived = coalesce(?, archived) ORDER BY last DESC, name LIMIT ?`,
    archived === undefined ? undefined : Number(archived),
    Math.max(0, limit),
  );
}

function channelOf(db: Database, name: string): ChannelRow[] {
  return db.all(`SELECT ${columns} FROM channels WHERE name = ?`, name);
}

function pendingByChannel(db: Database): ReadonlyMap<string, number> {
  const rows = db.all<{ channel: string; count: number }>(
    "SELECT channel, count(*) AS count FROM permissions WHERE state = 'pending' GROUP BY channel",
  );
  return new Map(rows.map(({ channel, count }) => [channel, count]));
}

function digest(db: Database, row: ChannelRow, pendingPermissions: number): ChannelDigest {
  const count = db.get<{ count: number }>(
    'SELECT count(*) AS count FROM messages WHERE channel = ?',
    row.name,
  );
  const last = db.get<{ at: number; text: string; silent: number }>(
    `SELECT created_at AS at, substr(text, 1, ${beginning}) AS text, silent FROM messages WHERE id = ?`,
    row.last,
  );
  const first = db.get<{ text: string }>(
    `SELECT substr(text, 1, ${beginning}) AS text FROM events INDEXED BY events_channel
      WHERE channel = ? AND seq > ? AND kind = 'prompt' ORDER BY seq LIMIT 1`,
    row.name,
    row.conversation_start,
  );
  return {
    channel: row.name,
    waiting: row.waiting,
    running: row.running === 1,
    messages: count?.count ?? 0,
    lastMessageAt: last?.at,
    lastText: last?.text,
    ...(last?.silent === 1 ? { lastSilent: true } : {}),
    title: row.title ?? undefined,
    archived: row.archived === 1,
    firstPrompt: first?.text,
    pendingPermissions,
  };
}

export function channelNames(db: Database): { channel: string; title?: string | undefined }[] {
  return db
    .all<{ name: string; title: string | null }>('SELECT name, title FROM channels ORDER BY name')
    .map(({ name, title }) => ({ channel: name, title: title ?? undefined }));
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
