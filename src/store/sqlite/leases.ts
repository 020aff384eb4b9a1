import { StoreError } from '../errors.js';
import { limitedJson } from '../limited-json.js';
import type { StoredEvent } from '../rows.js';
import type { AbandonedTurn, JoinRequest, JournalEntry, Lease, TakeOverRequest } from '../store.js';
import type { Database, Value } from './database.js';
import { addMember, nextFence, waitingEvents } from './lanes.js';
import type { TurnRow } from './read-rows.js';
import { eventsOf, membersOf, toTurn } from './turns.js';

/** Returns the turn if the lease still holds it: a later holder has a higher fence, an ended turn none. */
export function heldTurn(db: Database, lease: Lease): Pick<TurnRow, 'seq' | 'id' | 'channel'> {
  const turn = db.get<Pick<TurnRow, 'seq' | 'id' | 'channel'>>(
    "SELECT seq, id, channel FROM turns WHERE id = ? AND fence = ? AND state = 'running'",
    lease.turnId,
    lease.fence,
  );
  if (turn === undefined) throw lostLease(lease);
  return turn;
}

function lostLease({ turnId, fence }: Lease): StoreError {
  const message = `The lease of turn ${turnId} (fence ${fence}) is lost: it has ended or was taken over.`;
  return new StoreError('lost_lease', message);
}

export function join(db: Database, lease: Lease, request: JoinRequest): StoredEvent[] {
  const turn = heldTurn(db, lease);
  const waiting = waitingEvents(db, turn.channel, request.only === undefined ? request.limit : 1);
  const firstAlone = waiting.findIndex(({ kind, queue_mode: mode }) => kind !== 'prompt' || mode === 'queue');
  const prompts = firstAlone === -1 ? waiting : waiting.slice(0, firstAlone);
  const wanted = request.only === undefined ? prompts : prompts.filter(({ id }) => id === request.only);
  return wanted.map((event) => addMember(db, turn, event));
}

export function leave(db: Database, lease: Lease, eventId: string): void {
  const turn = heldTurn(db, lease);
  const [first, ...joined] = membersOf(db, turn.seq);
  const event = joined.find(({ id }) => id === eventId);
  if (event === undefined) {
    const what = first?.id === eventId ? 'began' : 'is no part of';
    throw new Error(`Event ${eventId} ${what} turn ${lease.turnId}: only one that had joined can leave it`);
  }
  db.run('DELETE FROM turn_members WHERE turn_seq = ? AND event_seq = ?', turn.seq, event.seq);
  db.run(
    "UPDATE events SET state = 'queued', attempts = attempts - 1, turn_id = NULL WHERE seq = ?",
    event.seq,
  );
}

export function journal(db: Database, lease: Lease, entry: JournalEntry): void {
  switch (entry.type) {
    case 'began': {
      const { type: _, ...setup } = entry;
      // A session that got lost is followed by another attempt: its id is not this one's.
      const set = 'backend = ?, model = ?, setup = ?, session_id = NULL';
      changeHeld(db, lease, set, setup.backend, setup.model, JSON.stringify(setup));
      return;
    }
    case 'session':
      changeHeld(db, lease, 'session_id = ?, model = coalesce(?, model)', entry.sessionId, entry.model);
      return;
    case 'tool_started':
      startTool(db, heldTurn(db, lease).seq, entry);
      return;
    case 'tool_ended':
      db.run(
        `UPDATE turn_tools SET ended_at = ?, is_error = ?, denied = ?
          WHERE turn_seq = ? AND id = ? AND ended_at IS NULL`,
        entry.at,
        entry.isError ? 1 : 0,
        entry.denied ? 1 : 0,
        heldTurn(db, lease).seq,
        entry.id,
      );
  }
}

/** A tool that is known already stays as it is: a recovery may be made again. */
function startTool(db: Database, turnSeq: number, entry: JournalEntry & { type: 'tool_started' }): void {
  db.run(
    `INSERT INTO turn_tools (turn_seq, id, name, input, started_at) SELECT ?1, ?2, ?3, ?4, ?5
      WHERE NOT EXISTS (SELECT 1 FROM turn_tools WHERE turn_seq = ?1 AND id = ?2)`,
    turnSeq,
    entry.id,
    entry.name,
    limitedJson(entry.input),
    entry.at,
  );
}

function changeHeld(db: Database, lease: Lease, set: string, ...values: Value[]): void {
  const changed = db.run(
    `UPDATE turns SET ${set} WHERE id = ? AND fence = ? AND state = 'running'`,
    ...values,
    lease.turnId,
    lease.fence,
  );
  if (changed === 0) throw lostLease(lease);
}

export function heartbeat(db: Database, leases: readonly Lease[], leaseUntil: number): Lease[] {
  return leases.filter(
    ({ turnId, fence }) =>
      db.run(
        "UPDATE turns SET lease_until = ? WHERE id = ? AND fence = ? AND state = 'running'",
        Math.ceil(leaseUntil),
        turnId,
        fence,
      ) === 0,
  );
}

/** Takes over turns of others only: a process that was asleep (a closed laptop) still runs its own turns. */
export function takeOver(db: Database, request: TakeOverRequest): AbandonedTurn[] {
  const turns = db.all<TurnRow>(
    `SELECT * FROM turns INDEXED BY turns_running
      WHERE state = 'running' AND worker <> ? AND (? OR lease_until <= ?) ORDER BY seq`,
    request.worker,
    request.all ? 1 : 0,
    request.now,
  );
  return turns.map((turn) => {
    const fence = nextFence(db);
    db.run(
      'UPDATE turns SET worker = ?, lease_until = ?, fence = ? WHERE seq = ?',
      request.worker,
      Math.ceil(request.leaseUntil),
      fence,
      turn.seq,
    );
    return {
      lease: { turnId: turn.id, channel: turn.channel, fence },
      turn: toTurn(db, turn),
      events: eventsOf(db, turn.seq),
    };
  });
}
