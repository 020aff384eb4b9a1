import type { DiscordPlace } from '../discord/places.js';
import type { Database } from './database.js';

interface PlaceRow {
  readonly channel_id: string;
  readonly parent_id: string | null;
  readonly seen: string;
}

const columns = 'SELECT channel_id, parent_id, seen FROM discord_places';

export function discordPlaces(db: Database): DiscordPlace[] {
  return db.all<PlaceRow>(`${columns} ORDER BY channel_id`).map(toPlace);
}

export function discordPlace(db: Database, channelId: string): DiscordPlace | undefined {
  const row = db.get<PlaceRow>(`${columns} WHERE channel_id = ?`, channelId);
  return row && toPlace(row);
}

export function saveDiscordPlace(db: Database, { channelId, parentId, seen }: DiscordPlace): void {
  // Ids grow with time. They are numbers of up to 64 bits, which JavaScript has none of.
  db.run(
    `INSERT INTO discord_places (channel_id, parent_id, seen) VALUES (?, ?, ?)
     ON CONFLICT (channel_id) DO UPDATE SET
       parent_id = coalesce(excluded.parent_id, parent_id),
       seen = CASE WHEN CAST(excluded.seen AS INTEGER) > CAST(seen AS INTEGER) THEN excluded.seen ELSE seen END`,
    channelId,
    parentId ?? null,
    seen,
  );
}

export function forgetDiscordPlace(db: Database, channelId: string): void {
  db.run('DELETE FROM discord_places WHERE channel_id = ?', channelId);
}

function toPlace({ channel_id, parent_id, seen }: PlaceRow): DiscordPlace {
  return { channelId: channel_id, ...(parent_id === null ? {} : { parentId: parent_id }), seen };
}
