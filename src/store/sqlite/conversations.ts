import type {
  ChannelOverview,
  ChannelState,
  ConversationMessage,
  EventState,
  MessageOutline,
  StoredMessage,
  StoredSession,
} from '../rows.js';
import type { ChannelChange, ConversationPage, ListingChange, MessagePage } from '../store.js';
import type { Database } from './database.js';
import type { GroupCommit } from './group-commit.js';
import { openLane } from './lanes.js';
import { beginning, type MessageRow, toMessage } from './read-rows.js';

/** So many short rows are read at once. */
export const sliceOfRows = 500;

export function readSession(db: Database, channel: string, backend: string): StoredSession | undefined {
  return db.get<StoredSession>(
    'SELECT channel, backend, session_id AS sessionId, cwd, seen FROM sessions WHERE channel = ? AND backend = ?',
    channel,
    backend,
  );
}

export async function listSessions(commits: GroupCommit): Promise<readonly StoredSession[]> {
  const sessions: StoredSession[] = [];
  const rows = commits.rows<StoredSession>((db, last) =>
    db.all(
      `SELECT channel, backend, session_id AS sessionId, cwd, seen FROM sessions
        WHERE (channel, backend) > (?, ?) ORDER BY channel, backend LIMIT ${sliceOfRows}`,
      last?.channel ?? '',
      last?.backend ?? '',
    ),
  );
  for await (const session of rows) sessions.push(session);
  return sessions;
}

export function saveSession(db: Database, { channel, backend, sessionId, cwd, seen }: StoredSession): void {
  db.run(
    `INSERT INTO sessions (channel, backend, session_id, cwd, seen) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET session_id = excluded.session_id, cwd = excluded.cwd, seen = excluded.seen`,
    channel,
    backend,
    sessionId,
    cwd,
    seen,
  );
}

/**
 * Stores the session at the end of a turn. A conversation that was begun anew meanwhile must not get the old
 * session back.
 */
export function keepSession(db: Database, { channel, backend, sessionId, cwd, seen }: StoredSession): void {
  db.run(
    `INSERT INTO sessions (channel, backend, session_id, cwd, seen) SELECT ?1, ?2, ?3, ?4, ?5
      WHERE ?5 > (SELECT conversation_start FROM channels WHERE name = ?1)
      ON CONFLICT DO UPDATE SET session_id = excluded.session_id, cwd = excluded.cwd, seen = max(seen, excluded.seen)`,
    channel,
    backend,
    sessionId,
    cwd,
    seen,
  );
}

export function forgetSession(db: Database, channel: string, backend: string): void {
  db.run('DELETE FROM sessions WHERE channel = ? AND backend = ?', channel, backend);
}

export function readChannel(db: Database, channel: string): ChannelState {
  const row = db.get<{
    backend: string | null;
    model: string | null;
    thinking: string | null;
    queue_mode: string | null;
    conversation_start: number;
    title: string | null;
    archived: number;
  }>(
    `SELECT backend, model, thinking, queue_mode, conversation_start, title, archived
      FROM channels WHERE name = ?`,
    channel,
  );
  return {
    backend: row?.backend ?? undefined,
    model: row?.model ?? undefined,
    thinking: row?.thinking ?? undefined,
    queueMode: row?.queue_mode ?? undefined,
    conversationStart: row?.conversation_start ?? 0,
    title: row?.title ?? undefined,
    archived: row?.archived === 1,
  };
}

/**
 * `behind` is the event that asked for the change. Without one, all waiting events belong to the new
 * conversation already.
 */
export function changeChannel(db: Database, channel: string, change: ChannelChange, behind?: number): void {
  openLane(db, channel);
  const { backend, model, thinking, queueMode } = change;
  if (backend !== undefined) db.run('UPDATE channels SET backend = ? WHERE name = ?', backend, channel);
  if (model !== undefined) db.run('UPDATE channels SET model = ? WHERE name = ?', model, channel);
  if (thinking !== undefined) db.run('UPDATE channels SET thinking = ? WHERE name = ?', thinking, channel);
  if (queueMode !== undefined)
    db.run('UPDATE channels SET queue_mode = ? WHERE name = ?', queueMode, channel);
  if (change.newConversation !== true) return;
  db.run('DELETE FROM sessions WHERE channel = ?', channel);
  const start = behind ?? lastNotWaiting(db, channel);
  db.run('UPDATE channels SET conversation_start = ? WHERE name = ?', start, channel);
}

export function changeListing(db: Database, channel: string, change: ListingChange): boolean {
  const { title, archived } = change;
  if (title !== undefined) db.run('UPDATE channels SET title = ? WHERE name = ?', title, channel);
  if (archived !== undefined)
    db.run('UPDATE channels SET archived = ? WHERE name = ?', archived ? 1 : 0, channel);
  return db.get('SELECT 1 FROM channels WHERE name = ?', channel) !== undefined;
}

export function markEnd(db: Database, eventId: string, mark: string): void {
  db.run(
    `UPDATE channels SET end_mark = ?1 FROM (SELECT channel, seq FROM events WHERE id = ?2) AS ended
      WHERE name = ended.channel AND running_turn IS NULL AND conversation_start < ended.seq
        AND ended.seq = (SELECT max(seq) FROM events WHERE channel = channels.name)`,
    mark,
    eventId,
  );
}

export function takeMarked(db: Database, mark: string): string | undefined {
  const found = db.get<{ name: string }>('SELECT name FROM channels WHERE end_mark = ? LIMIT 1', mark);
  if (found === undefined) return undefined;
  db.run('UPDATE channels SET end_mark = NULL WHERE name = ?', found.name);
  return found.name;
}

function lastNotWaiting(db: Database, channel: string): number {
  const row = db.get<{ start: number }>(
    `SELECT coalesce(
      (SELECT min(seq) - 1 FROM events WHERE channel = ?1 AND state = 'queued'),
      (SELECT max(seq) FROM events WHERE channel = ?1), 0) AS start`,
    channel,
  );
  return row?.start ?? 0;
}

export async function listChannels(commits: GroupCommit): Promise<readonly ChannelOverview[]> {
  const channels: ChannelOverview[] = [];
  const rows = commits.rows<OverviewRow>((db, last) =>
    db.all(
      `SELECT name, title, waiting, running_turn IS NOT NULL AS running, messages,
          (SELECT created_at FROM messages WHERE channel = channels.name ORDER BY id DESC LIMIT 1) AS last
        FROM channels WHERE name > ? ORDER BY name LIMIT ${sliceOfRows}`,
      last?.name ?? '',
    ),
  );
  for await (const row of rows) {
    channels.push({
      channel: row.name,
      title: row.title ?? undefined,
      waiting: row.waiting,
      running: row.running === 1,
      messages: row.messages,
      lastMessageAt: row.last ?? undefined,
    });
  }
  return channels;
}

interface OverviewRow {
  readonly name: string;
  readonly title: string | null;
  readonly waiting: number;
  readonly running: number;
  readonly messages: number;
  readonly last: number | null;
}

/** The first prompt behind an event, where the conversation begins. */
export function firstPrompt(
  db: Database,
  channel: string,
  start: number = readChannel(db, channel).conversationStart,
): string | undefined {
  return db.get<{ text: string }>(
    `SELECT substr(text, 1, ${beginning}) AS text FROM events
      WHERE seq = (SELECT min(seq) FROM (SELECT seq, kind FROM events INDEXED BY events_channel
        WHERE channel = ? AND seq > ? ORDER BY seq LIMIT ${commandsAtMost}) WHERE kind = 'prompt')`,
    channel,
    start,
  )?.text;
}

/** A conversation that begins with more commands than these has no first prompt. */
const commandsAtMost = 1000;

export function nextMessage(db: Database, channel: string, after: number): MessageOutline | undefined {
  const row = db.get<Pick<MessageRow, 'id' | 'role' | 'event_id' | 'created_at'>>(
    'SELECT id, role, event_id, created_at FROM messages WHERE channel = ? AND id > ? ORDER BY id LIMIT 1',
    channel,
    after,
  );
  if (row === undefined) return undefined;
  return { id: row.id, role: row.role, eventId: row.event_id ?? undefined, createdAt: row.created_at };
}

export function readMessages(db: Database, channel: string, page: MessagePage): StoredMessage[] {
  const limit = Math.max(0, page.limit);
  const rows =
    page.before === undefined
      ? db.all<PageRow>(
          `${pageColumns} WHERE messages.channel = ? AND messages.id > ? ORDER BY messages.id LIMIT ?`,
          channel,
          page.after ?? 0,
          limit,
        )
      : db
          .all<PageRow>(
            `${pageColumns} WHERE messages.channel = ? AND messages.id < ? ORDER BY messages.id DESC LIMIT ?`,
            channel,
            page.before,
            limit,
          )
          .reverse();
  return rows.map((row) => {
    const { state, begun, author } = row;
    if (state === null) return toMessage(row);
    return { ...toMessage(row), author: author ?? undefined, event: { state, begun: begun === 1 } };
  });
}

interface PageRow extends MessageRow {
  readonly state: EventState | null;
  readonly begun: number;
  readonly author: string | null;
}

const pageColumns = `SELECT messages.*, events.state AS state, events.author AS author,
    EXISTS (SELECT 1 FROM turn_members WHERE event_seq = events.seq) AS begun
  FROM messages LEFT JOIN events ON events.seq = messages.at_event AND messages.opening = 1`;

/**
 * Reads a conversation in the order of its events, not of its messages: a message that waits during a turn
 * was written before the answer of that turn. Messages that never reached an agent, or were cancelled, are
 * left out; an agent's words in the turn of a command (`/retry`) and the notice about a failed end are
 * included.
 */
export function readConversation(
  db: Database,
  channel: string,
  page: ConversationPage,
): ConversationMessage[] {
  const { beforeSeq = Number.MAX_SAFE_INTEGER } = page;
  const start = readChannel(db, channel).conversationStart;
  const earliest = db.get<{ seq: number }>(
    `SELECT seq FROM events WHERE channel = ? AND seq < ? ORDER BY seq DESC LIMIT 1 OFFSET ${eventsLookedAt}`,
    channel,
    beforeSeq,
  );
  return db
    .all<MessageRow & { readonly opening: number; readonly failed: number; readonly author: string | null }>(
      `SELECT messages.*, author, state = 'failed' AS failed
        FROM events INDEXED BY events_channel JOIN messages ON messages.at_event = events.seq
        WHERE events.channel = ? AND events.seq > ? AND events.seq < ?
          AND state IN ('answered', 'failed') AND attempts > 0
          AND (role = 'assistant' OR (kind = 'prompt' AND opening = 1)
            OR (state = 'failed' AND opening = 0 AND messages.created_at >= events.ended_at))
        ORDER BY events.seq DESC, messages.id DESC LIMIT ?`,
      channel,
      Math.max(start, page.after ?? 0, earliest?.seq ?? 0),
      beforeSeq,
      Math.max(0, page.limit),
    )
    .map((row) => ({
      ...toMessage(row),
      author: (row.opening === 1 ? row.author : null) ?? undefined,
      part: partOf(row),
      failed: row.failed === 1,
    }))
    .reverse();
}

/** Of thousands of commands in a row none is part of a conversation. */
const eventsLookedAt = 5000;

function partOf(row: MessageRow & { readonly opening: number }): ConversationMessage['part'] {
  if (row.opening === 1) return 'prompt';
  return row.role === 'assistant' ? 'answer' : 'notice';
}
