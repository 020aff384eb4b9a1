import type { ChangingTurn, TreeChange } from '../rows.js';
import type { Database } from './database.js';

export function changingTurns(db: Database, channel: string): ChangingTurn[] {
  return db
    .all<{ id: string; cwd: string; tools: number; changes: string | null }>(
      `SELECT id, json_extract(setup, '$.cwd') AS cwd, changes,
          EXISTS (SELECT 1 FROM turn_tools WHERE turn_seq = turns.seq) AS tools
        FROM turns WHERE channel = ?1 AND ended_at IS NOT NULL AND setup IS NOT NULL
          AND EXISTS (SELECT 1 FROM turn_members WHERE turn_seq = turns.seq AND event_seq >
            coalesce((SELECT conversation_start FROM channels WHERE name = ?1), 0))
        ORDER BY seq`,
      channel,
    )
    .map((row) => ({
      turnId: row.id,
      cwd: row.cwd,
      usedTools: row.tools === 1,
      changes: row.changes === null ? undefined : (JSON.parse(row.changes) as TreeChange),
    }));
}

export function treesOf(db: Database, cwd: string): string[] {
  const rows = db.all<{ before: string; after: string }>(
    `SELECT json_extract(changes, '$.before') AS before, json_extract(changes, '$.after') AS after
      FROM turns WHERE changes IS NOT NULL AND json_extract(changes, '$.cwd') = ? ORDER BY seq`,
    cwd,
  );
  return [...new Set(rows.flatMap(({ before, after }) => [before, after]))];
}
