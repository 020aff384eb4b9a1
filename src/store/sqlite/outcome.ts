import type { TurnOutcome } from '../types.js';
import { changeChannel, forgetSession, readChannel, readSession, saveSession } from './conversations.js';
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
  // A conversation that was begun anew while this turn ran must not get the old one's session back.
  if (lastSeq <= readChannel(db, channel).conversationStart) return;
  const known = readSession(db, channel, outcome.session.backend)?.seen ?? 0;
  saveSession(db, { channel, ...outcome.session, seen: Math.max(known, lastSeq) });
}
