import type { PermissionDecision } from '../../core/chat-event.js';
import { parseJson, printJson } from '../../core/json.js';
import type { StoredPermission } from '../rows.js';
import type { Lease, NewPermission, PermissionAnswer } from '../store.js';
import type { Database } from './database.js';
import { heldTurn } from './leases.js';
import type { PermissionRow } from './read-rows.js';
import { membersOf } from './turns.js';

/**
 * If an earlier holder (before a crash or a drain) asked the same question, it is the same request, and its
 * answer is handed out once. If the present holder asks twice, the agent acts twice: that is a new request.
 * With other answers to choose from, or another rule for "always", it is another question: nobody has seen that. The one that
 * waits is withdrawn then; a plain yes or no to it holds for the same input all the same.
 */
export function askPermission(db: Database, lease: Lease, request: NewPermission): StoredPermission {
  const turn = heldTurn(db, lease);
  const [event] = membersOf(db, turn.seq);
  if (event === undefined) throw new Error(`Turn ${turn.id} has no event`);
  const inputKey = canonicalJson(request.input);
  const options = JSON.stringify(request.options);
  const sameInput = db.all<PermissionRow>(
    `SELECT * FROM permissions WHERE event_seq = ? AND tool = ? AND input_key = ? AND fence <> ?
      AND (state = 'pending' OR state = 'decided' AND handed_out = 0) ORDER BY seq`,
    event.seq,
    request.tool,
    inputKey,
    lease.fence,
  );
  const earlier = sameInput.find(
    (row) => (row.options === options && row.always === (request.always ?? null)) || holds(row, request),
  );
  if (earlier !== undefined) {
    db.run(
      "UPDATE permissions SET turn_id = ?, fence = ?, handed_out = state = 'decided' WHERE seq = ?",
      turn.id,
      lease.fence,
      earlier.seq,
    );
    return toPermission({ ...earlier, turn_id: turn.id });
  }
  const withdrawn = sameInput.find(({ state }) => state === 'pending');
  if (withdrawn !== undefined) db.run("UPDATE permissions SET state = 'void' WHERE seq = ?", withdrawn.seq);
  db.run(
    `INSERT INTO permissions (id, channel, event_seq, event_id, turn_id, fence, tool, input, input_key, options,
        always, state, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?)`,
    request.id,
    turn.channel,
    event.seq,
    event.id,
    turn.id,
    lease.fence,
    request.tool,
    printJson(request.input),
    inputKey,
    options,
    request.always ?? null,
    request.at,
  );
  const { id, tool, input, always } = request;
  return {
    ...{ id, tool, input, options: request.options, always },
    channel: turn.channel,
    eventId: event.id,
    turnId: turn.id,
    state: 'pending',
    createdAt: request.at,
  };
}

/** A yes or no to the same input, which grants no more than that. */
function holds({ decision }: PermissionRow, { options }: NewPermission): boolean {
  return decision !== null && decision !== 'allow_always' && options.includes(decision);
}

export function decidePermission(
  db: Database,
  id: string,
  answer: PermissionAnswer,
): StoredPermission | undefined {
  const changed = db.run(
    `UPDATE permissions SET state = 'decided', decision = ?, message = ?, decided_at = ?
      WHERE id = ? AND state = 'pending'`,
    answer.decision,
    answer.message,
    answer.at,
    id,
  );
  return changed === 0 ? undefined : findPermission(db, id);
}

/** Withdraws the event's open requests: no turn waits for their answers any more. */
export function voidPermissions(db: Database, eventSeq: number): void {
  db.run("UPDATE permissions SET state = 'void' WHERE event_seq = ? AND state = 'pending'", eventSeq);
}

export function pendingPermissions(db: Database): StoredPermission[] {
  return db
    .all<PermissionRow>("SELECT * FROM permissions WHERE state = 'pending' ORDER BY seq")
    .map(toPermission);
}

/** An input that is longer is left out of an outline. */
const maxInput = 64 * 1024;
/** The inputs in all, the shortest first: long ones don't hide a short one. */
const maxInputInAll = 256 * 1024;

/** Those that wait, of one channel or of all, with as many of their inputs as there is room for. */
export function pendingOutlines(db: Database, channel: string | undefined): StoredPermission[] {
  const rows = db.all<PermissionRow & { length: number }>(
    `SELECT seq, id, channel, event_id, turn_id, tool, options, always, state, decision, message, created_at, decided_at,
        length(input) AS length, CASE WHEN length(input) <= ${maxInput} THEN input ELSE 'null' END AS input
      FROM permissions WHERE state = 'pending' AND channel = coalesce(?, channel) ORDER BY seq`,
    channel,
  );
  let room = maxInputInAll;
  const fitting = new Set<PermissionRow>();
  for (const row of [...rows].sort((one, other) => one.length - other.length)) {
    if (row.length > Math.min(maxInput, room)) break;
    room -= row.length;
    fitting.add(row);
  }
  return rows.map((row) =>
    fitting.has(row)
      ? toPermission(row)
      : { ...toPermission({ ...row, input: 'null' }), input: undefined, inputLeftOut: true },
  );
}

export function questionsOf(db: Database, turnId: string): StoredPermission[] {
  return db
    .all<PermissionRow>(
      `SELECT permissions.* FROM turns JOIN turn_members ON turn_members.turn_seq = turns.seq
        JOIN permissions ON permissions.event_seq = turn_members.event_seq AND permissions.turn_id = turns.id
        WHERE turns.id = ? ORDER BY permissions.seq`,
      turnId,
    )
    .map(toPermission);
}

export function findPermission(db: Database, id: string): StoredPermission | undefined {
  const row = db.get<PermissionRow>('SELECT * FROM permissions WHERE id = ?', id);
  return row === undefined ? undefined : toPermission(row);
}

function toPermission(row: PermissionRow): StoredPermission {
  return {
    id: row.id,
    channel: row.channel,
    eventId: row.event_id,
    turnId: row.turn_id,
    tool: row.tool,
    input: parseJson(row.input),
    options: JSON.parse(row.options) as PermissionDecision[],
    always: row.always ?? undefined,
    state: row.state,
    decision: row.decision ?? undefined,
    message: row.message ?? undefined,
    createdAt: row.created_at,
    decidedAt: row.decided_at ?? undefined,
  };
}

/** Sorts the keys of objects: a CLI may give the same input in another order the next time. */
function canonicalJson(value: unknown): string {
  const sorted = (_: string, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return printJson(value, sorted);
}
