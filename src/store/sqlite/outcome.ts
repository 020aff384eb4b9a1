import type { TurnOutcome } from '../store.js';
import { changeChannel, forgetSession, keepSession } from './conversations.js';
import type { Database } from './database.js';
import { say } from './outbox.js';

export interface Ended {
  readonly channel: string;
  readonly source: string;
  /** The first event: the one that the messages carry. */
  readonly eventId: string;
  /** The last event: what is said stands behind it. */
  readonly lastSeq: number;
  /** True for the end of a turn: what waits behind it has not been reached yet. */
  readonly inTurn?: boolean | undefined;
}

/** What the end of a turn (or of an event that needed none) changes beside their own rows. */
export function applyOutcome(
  db: Database,
  ended: Ended,
  outcome: Omit<TurnOutcome, 'events' | 'usage'>,
): void {
  const { channel, eventId, lastSeq } = ended;
  for (const message of outcome.messages) {
    say(db, { ...message, channel, eventId, atEvent: lastSeq, at: outcome.at }, ended.source);
  }
  if (outcome.forgetSession !== undefined) forgetSession(db, channel, outcome.forgetSession);
  if (outcome.channelChange !== undefined) {
    changeChannel(db, channel, outcome.channelChange, ended.inTurn === true ? lastSeq : undefined);
  }
  if (outcome.session === undefined) return;
  keepSession(db, { channel, ...outcome.session, seen: lastSeq });
}
