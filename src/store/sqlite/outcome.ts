import type { TurnOutcome } from '../store.js';
import { changeChannel, forgetSession, keepSession } from './conversations.js';
import type { Database } from './database.js';
import { say, write } from './outbox.js';

export interface Ended {
  readonly channel: string;
  readonly source: string;
  /** The first event, whose id the messages carry. */
  readonly eventId: string;
  /** The last event, behind which the messages stand. */
  readonly lastSeq: number;
  /** True for the end of a turn: the events that wait behind it have not been reached yet. */
  readonly inTurn?: boolean | undefined;
}

/** Applies the changes beside the rows of a turn at its end, or at the end of an event without a turn. */
export function applyOutcome(
  db: Database,
  ended: Ended,
  outcome: Omit<TurnOutcome, 'events' | 'usage'>,
): void {
  const { channel, eventId, lastSeq } = ended;
  for (const message of outcome.messages) {
    const line = { ...message, channel, eventId, atEvent: lastSeq, at: outcome.at };
    if (message.silent) write(db, line);
    else say(db, line, ended.source);
  }
  if (outcome.forgetSession !== undefined) forgetSession(db, channel, outcome.forgetSession);
  if (outcome.channelChange !== undefined) {
    changeChannel(db, channel, outcome.channelChange, ended.inTurn === true ? lastSeq : undefined);
  }
  if (outcome.session === undefined) return;
  keepSession(db, { channel, ...outcome.session, seen: lastSeq });
}
