import type { DiscordProgress } from '../discord/progress.js';
import type { Database } from './database.js';

interface ProgressRow {
  readonly channel_id: string;
  readonly nonce: string;
  readonly first_tried_at: number;
  readonly message_id: string | null;
}

export function saveDiscordProgress(db: Database, progress: DiscordProgress): void {
  db.run(
    'INSERT OR REPLACE INTO discord_progress (channel_id, nonce, first_tried_at, message_id) VALUES (?, ?, ?, ?)',
    progress.channelId,
    progress.nonce,
    progress.firstTriedAt,
    progress.messageId,
  );
}

export function forgetDiscordProgress(db: Database, channelId: string): void {
  db.run('DELETE FROM discord_progress WHERE channel_id = ?', channelId);
}

export function discordProgress(db: Database): DiscordProgress[] {
  return db.all<ProgressRow>('SELECT * FROM discord_progress ORDER BY channel_id').map((row) => ({
    channelId: row.channel_id,
    nonce: row.nonce,
    firstTriedAt: row.first_tried_at,
    messageId: row.message_id ?? undefined,
  }));
}
