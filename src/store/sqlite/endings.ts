import type { Usage } from '../../core/chat-event.js';
import { usableUsage } from '../../core/usable-usage.js';
import type { Failure, StoredTurn, TreeChange } from '../rows.js';
import type { Lease, Postponement, TurnOutcome } from '../store.js';
import { archive } from './archive.js';
import { forgetSession } from './conversations.js';
import type { Database } from './database.js';
import { endEvent } from './events.js';
import { freeLane } from './lanes.js';
import { heldTurn } from './leases.js';
import { say } from './outbox.js';
import { applyOutcome } from './outcome.js';
import { voidPermissions } from './permissions.js';
import { membersOf } from './turns.js';

export function finish(db: Database, lease: Lease, outcome: TurnOutcome): void {
  const turn = heldTurn(db, lease);
  const events = membersOf(db, turn.seq);
  const [first] = events;
  const last = events.at(-1);
  if (first === undefined || last === undefined) throw new Error(`Turn ${turn.id} has no event`);
  endTurn(db, turn.seq, outcome);
  for (const event of events) {
    endEvent(db, event.seq, outcome);
    voidPermissions(db, event.seq);
  }
  freeLane(db, turn.channel);
  applyOutcome(
    db,
    { channel: turn.channel, source: first.source, eventId: first.id, lastSeq: last.seq, inTurn: true },
    outcome,
  );
  archive(db, turn.seq, outcome.events);
}

/**
 * Puts the turn's events back into the queue. Permission requests stay open: the next attempt asks them
 * again, and finds the answer.
 */
export function postpone(db: Database, lease: Lease, retry: Postponement): void {
  const turn = heldTurn(db, lease);
  const events = membersOf(db, turn.seq);
  endTurn(db, turn.seq, { ...retry, state: 'postponed' });
  for (const event of events) {
    db.run(
      `UPDATE events SET state = 'queued', attempts = attempts - ?, crashes = crashes + ?, not_before = ?,
        turn_id = NULL, error_code = ?, error_message = ? WHERE seq = ?`,
      retry.free === true ? 1 : 0,
      retry.crashed === true ? 1 : 0,
      Math.ceil(retry.notBefore),
      retry.error.code,
      retry.error.message,
      event.seq,
    );
  }
  freeLane(db, turn.channel);
  if (retry.forgetSession !== undefined) forgetSession(db, turn.channel, retry.forgetSession);
  const [first] = events;
  if (first !== undefined) {
    const place = { channel: turn.channel, eventId: first.id, atEvent: (events.at(-1) ?? first).seq };
    for (const message of retry.messages ?? []) say(db, { ...message, ...place, at: retry.at }, first.source);
  }
  archive(db, turn.seq, retry.events);
}

interface TurnEnd {
  readonly state: StoredTurn['state'];
  readonly at: number;
  readonly usage?: Usage | undefined;
  readonly stopReason?: string | undefined;
  readonly error?: Failure | undefined;
  readonly changes?: TreeChange | undefined;
}

function endTurn(db: Database, seq: number, end: TurnEnd): void {
  // No answer is lost to a number that its column does not take.
  const usage = end.usage && usableUsage(end.usage);
  db.run(
    `UPDATE turns SET state = ?, ended_at = ?, input_tokens = ?, output_tokens = ?, cached_input_tokens = ?,
      cost_usd = ?, context_tokens = ?, context_window = ?, stop_reason = ?, error_code = ?, error_message = ?,
      changes = ? WHERE seq = ?`,
    end.state,
    end.at,
    usage?.inputTokens,
    usage?.outputTokens,
    usage?.cachedInputTokens,
    usage?.costUsd,
    usage?.contextTokens,
    usage?.contextWindow,
    end.stopReason,
    end.error?.code,
    end.error?.message,
    end.changes === undefined ? undefined : JSON.stringify(end.changes),
    seq,
  );
}
