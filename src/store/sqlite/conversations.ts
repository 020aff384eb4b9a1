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
import { openLane } from './lanes.js';
import { beginning, type MessageRow, toMessage } from './read-rows.js';

export function readSession(db: Database, channel: string, backend: string): StoredSession | undefined {
  return db.get<StoredSession>(
    'SELECT channel, backend, session_id AS sessionId, cwd, seen FROM sessions WHERE channel = ? AND backend = ?',
    channel,
    backend,
  );
}

export function listSessions(db: Database): StoredSession[] {
  return db.all<StoredSession>(
    'SELECT channel, backend, session_id AS sessionId, cwd, seen FROM sessions ORDER BY channel, backend',
  );
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

export function listChannels(db: Database): ChannelOverview[] {
  const rows = db.all<{
    name: string;
    title: string | null;
    waiting: number;
    running: number;
    messages: number;
    last: number | null;
  }>(
    `SELECT name, title, waiting, running_turn IS NOT NULL AS running, coalesce(said.count, 0) AS messages,
        (SELECT created_at FROM messages WHERE id = said.last) AS last
      FROM channels LEFT JOIN
        (SELECT channel, count(*) AS count, max(id) AS last FROM messages GROUP BY channel) AS said
        ON said.channel = channels.name
      ORDER BY name`,
  );
  return rows.map((row) => ({
    channel: row.name,
    title: row.title ?? undefined,
    waiting: row.waiting,
    running: row.running === 1,
    messages: row.messages,
    lastMessageAt: row.last ?? undefined,
  }));
}

export function firstPrompt(db: Database, channel: string): string | undefined {
  return db.get<{ text: string }>(
    `SELECT substr(text, 1, ${beginning}) AS text FROM events INDEXED BY events_channel
      WHERE channel = ? AND seq > ? AND kind = 'prompt' ORDER BY seq LIMIT 1`,
    channel,
    readChannel(db, channel).conversationStart,
  )?.text;
}

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
  const start = readChannel(db, channel).conversationStart;
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
      Math.max(start, page.after ?? 0),
      page.beforeSeq ?? Number.MAX_SAFE_INTEGER,
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

function partOf(row: MessageRow & { readonly opening: number }): ConversationMessage['part'] {
  if (row.opening === 1) return 'prompt';
  return row.role === 'assistant' ? 'answer' : 'notice';
}
