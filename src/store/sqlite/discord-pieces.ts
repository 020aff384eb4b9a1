import type { DiscordPiece, DiscordPieceFile, NewDiscordPiece } from '../discord/pieces.js';
import type { Database } from './database.js';

interface PieceRow {
  readonly delivery: number;
  readonly place: number;
  readonly text: string;
  readonly nonce: string;
  /** JSON. */
  readonly files: string | null;
  readonly first_tried_at: number | null;
  readonly message_id: string | null;
}

export function discordPieces(db: Database, delivery: number): DiscordPiece[] {
  const rows = db.all<PieceRow>('SELECT * FROM discord_pieces WHERE delivery = ? ORDER BY place', delivery);
  return rows.map((row) => ({
    index: row.place,
    text: row.text,
    nonce: row.nonce,
    files: row.files === null ? undefined : (JSON.parse(row.files) as DiscordPieceFile[]),
    firstTriedAt: row.first_tried_at ?? undefined,
    messageId: row.message_id ?? undefined,
  }));
}

export function cutDiscordPieces(
  db: Database,
  delivery: number,
  from: number,
  pieces: readonly NewDiscordPiece[],
): void {
  db.run(
    `DELETE FROM discord_pieces WHERE (delivery = ?1 AND place >= ?2) OR (delivery <> ?1 AND NOT EXISTS
      (SELECT 1 FROM outbox WHERE message_id = discord_pieces.delivery AND state = 'pending'))`,
    delivery,
    from,
  );
  for (const [index, { text, nonce, files }] of pieces.entries()) {
    db.run(
      'INSERT INTO discord_pieces (delivery, place, text, nonce, files) VALUES (?, ?, ?, ?, ?)',
      delivery,
      from + index,
      text,
      nonce,
      files === undefined ? undefined : JSON.stringify(files),
    );
  }
}

export function discordPieceTried(db: Database, delivery: number, index: number, at: number): void {
  db.run(
    `UPDATE discord_pieces SET first_tried_at = ? WHERE delivery = ? AND place = ? AND first_tried_at IS NULL`,
    at,
    delivery,
    index,
  );
}

export function discordPieceSent(
  db: Database,
  delivery: number,
  index: number,
  { channelId, messageId }: { readonly channelId: string; readonly messageId: string },
): void {
  db.run(
    'UPDATE discord_pieces SET message_id = ? WHERE delivery = ? AND place = ?',
    messageId,
    delivery,
    index,
  );
  // One that was deleted before we heard of it tells no place in the history.
  if (messageId === '0') return;
  db.run(
    `INSERT INTO discord_last_messages (channel_id, message_id) VALUES (?, ?)
      ON CONFLICT (channel_id) DO UPDATE SET message_id = excluded.message_id`,
    channelId,
    messageId,
  );
}

export function lastDiscordMessage(db: Database, channelId: string): string | undefined {
  return db.get<{ message_id: string }>(
    'SELECT message_id FROM discord_last_messages WHERE channel_id = ?',
    channelId,
  )?.message_id;
}
