import type { ChatEvent } from '../core/chat-event.js';
import type { ChangingTurn, ChannelPlace, ContextUsed, StoredTurn, TurnOutline } from './rows.js';

/** What became of the turns, for those who look: the feed, the archive, the changes of a work tree. */
export interface TurnRecords {
  /** The turns of an event, oldest first. */
  turns(eventId: string): Promise<readonly StoredTurn[]>;
  /** The turns of a channel from `seq` on, running ones too, oldest first. */
  turnsFrom(channel: string, seq: number, limit: number): Promise<readonly TurnOutline[]>;
  runningTurn(channel: string): Promise<TurnOutline | undefined>;
  /** Turns of a channel (or of all) that ended in [since, until), in the order of their ends. */
  turnsEnded(range: TurnRange): Promise<readonly StoredTurn[]>;
  /** A channel's newest message, and its newest turn that has ended. */
  lastOf(channel: string): Promise<ChannelPlace>;
  /** True if the message and the turn are (still) the channel's, and the same ones; 0 stands for its beginning. */
  holds(channel: string, place: ChannelPlace): Promise<boolean>;
  /** A part of a turn's archive, from 0 on; undefined behind the last one. */
  archivedPart(turnId: string, part: number): Promise<readonly ChatEvent[] | undefined>;
  /** The archived events of a turn, from the first on: about `maxCharacters` of JSON, if that is given. */
  turnEvents(turnId: string, maxCharacters?: number): Promise<readonly ChatEvent[]>;
  /** The context of a channel's present session with a backend, as the last of its recent turns told that tells it. */
  contextUsed(channel: string, backend: string): Promise<ContextUsed | undefined>;
  /** The last ended turns of the present conversation in which an agent was asked, oldest first. */
  changingTurns(channel: string, limit: number): Promise<readonly ChangingTurn[]>;
  /** All trees that turns name, of the work tree with this real path, oldest first. */
  treesOf(cwd: string): Promise<readonly string[]>;
}

export interface TurnRange {
  readonly channel?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** In place of `since`: only those behind this one, in the order of their ends and of their `seq`. */
  readonly behind?: TurnEndPlace | undefined;
  readonly limit?: number | undefined;
}

/** Where a turn stands among those that have ended. */
export interface TurnEndPlace {
  readonly endedAt: number;
  readonly seq: number;
}
