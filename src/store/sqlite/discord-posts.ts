import type { DiscordPost, DiscordPostType } from '../discord/posts.js';
import type { Database } from './database.js';

interface PostRow {
  readonly type: DiscordPostType;
  readonly subject: string;
  readonly channel: string;
  readonly message_id: string | null;
  readonly note: string | null;
  readonly at: number;
}

export function savePost(db: Database, post: DiscordPost): void {
  db.run(
    `INSERT INTO discord_posts (type, subject, channel, message_id, note, at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (type, subject) DO UPDATE SET
        channel = excluded.channel, message_id = excluded.message_id, note = excluded.note, at = excluded.at`,
    post.type,
    post.subject,
    post.channel,
    post.messageId,
    post.note,
    post.at,
  );
}

export function findPost(db: Database, type: DiscordPostType, subject: string): DiscordPost | undefined {
  const row = db.get<PostRow>('SELECT * FROM discord_posts WHERE type = ? AND subject = ?', type, subject);
  return row && toPost(row);
}

export function listPosts(db: Database, channel: string | undefined): DiscordPost[] {
  const rows =
    channel === undefined
      ? db.all<PostRow>('SELECT * FROM discord_posts ORDER BY seq')
      : db.all<PostRow>('SELECT * FROM discord_posts WHERE channel = ? ORDER BY seq', channel);
  return rows.map(toPost);
}

export function removePost(db: Database, type: DiscordPostType, subject: string): void {
  db.run('DELETE FROM discord_posts WHERE type = ? AND subject = ?', type, subject);
}

function toPost({ type, subject, channel, message_id, note, at }: PostRow): DiscordPost {
  return { type, subject, channel, messageId: message_id ?? undefined, note: note ?? undefined, at };
}
