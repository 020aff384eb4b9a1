import type { ChangingTurn, TreeChange } from '../rows.js';
import type { Database } from './database.js';
import type { GroupCommit } from './group-commit.js';

/** So many turns are read at once: one or two milliseconds' work. */
const sliceOfTurns = 200;

/** Looks at the turns of the conversation from the last one back to its beginning, and no further. */
export async function changingTurns(
  commits: GroupCommit,
  channel: string,
  limit: number,
): Promise<readonly ChangingTurn[]> {
  const newestFirst: ChangingTurn[] = [];
  const turns = commits.rows<TurnOfConversation>((db, last) => turnsInFront(db, channel, last?.seq));
  for await (const turn of turns) {
    if (newestFirst.length >= limit || turn.present === 0) break;
    if (turn.asked === 0) continue;
    newestFirst.push({
      turnId: turn.id,
      cwd: turn.cwd,
      usedTools: turn.tools === 1,
      changes: turn.changes === null ? undefined : (JSON.parse(turn.changes) as TreeChange),
    });
  }
  return newestFirst.reverse();
}

interface TurnOfConversation {
  readonly seq: number;
  readonly id: string;
  readonly cwd: string;
  readonly changes: string | null;
  readonly tools: number;
  /** 1 if it has ended, and an agent was asked in it. */
  readonly asked: number;
  /** 1 if it belongs to the present conversation. */
  readonly present: number;
}

function turnsInFront(db: Database, channel: string, seq: number | undefined): TurnOfConversation[] {
  return db.all(
    `SELECT seq, id, json_extract(setup, '$.cwd') AS cwd, changes,
        EXISTS (SELECT 1 FROM turn_tools WHERE turn_seq = turns.seq) AS tools,
        ended_at IS NOT NULL AND setup IS NOT NULL AS asked,
        EXISTS (SELECT 1 FROM turn_members WHERE turn_seq = turns.seq AND event_seq >
          coalesce((SELECT conversation_start FROM channels WHERE name = ?1), 0)) AS present
      FROM turns INDEXED BY turns_order WHERE channel = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ${sliceOfTurns}`,
    channel,
    seq ?? Number.MAX_SAFE_INTEGER,
  );
}

export async function treesOf(commits: GroupCommit, cwd: string): Promise<readonly string[]> {
  const trees = new Set<string>();
  const turns = commits.rows<{ readonly seq: number; readonly changes: string }>((db, last) =>
    db.all(
      `SELECT seq, changes FROM turns INDEXED BY turns_changes WHERE changes IS NOT NULL AND seq > ?
        ORDER BY seq LIMIT ${sliceOfTurns}`,
      last?.seq ?? 0,
    ),
  );
  for await (const turn of turns) {
    const changes = JSON.parse(turn.changes) as TreeChange;
    if (changes.cwd === cwd) trees.add(changes.before).add(changes.after);
  }
  return [...trees];
}
