import type { ConversationStore } from './conversation-store.js';
import type { DiscordPeopleStore } from './discord/people.js';
import type { DiscordPieceStore } from './discord/pieces.js';
import type { DiscordPlaceStore } from './discord/places.js';
import type { DiscordPosts } from './discord/posts.js';
import type { DiscordProgressStore } from './discord/progress.js';
import type { OutboxStore } from './outbox-store.js';
import type { PermissionStore } from './permission-store.js';
import type { QueueStore } from './queue-store.js';
import type { ReportStore } from './report-store.js';
import type { TurnRecords } from './turn-records.js';

export type * from './conversation-store.js';
export type * from './discord/people.js';
export type * from './discord/pieces.js';
export type * from './discord/places.js';
export type * from './discord/posts.js';
export type * from './discord/progress.js';
export type * from './outbox-store.js';
export type * from './permission-store.js';
export type * from './queue-store.js';
export type * from './report-store.js';
export type * from './turn-records.js';

/**
 * Holds the durable state. It is SQLite in one file today, Postgres for several hosts later: both pass
 * `tests/contract/store-contract.ts`.
 *
 * Words: an *event* is one message that came in. A *turn* is one attempt to answer one event, or several of them
 * together. A *lease* is the right to write about a running turn; its *fence* grows with every holder, so that a
 * former holder that comes back can't write any more. All times are ms since 1970, given by the caller.
 *
 * Every method that changes something resolves when the change is on disk, and changes all or nothing.
 */
export interface Store
  extends ConversationStore,
    DiscordPlaceStore,
    DiscordPeopleStore,
    DiscordPieceStore,
    DiscordProgressStore,
    DiscordPosts,
    OutboxStore,
    PermissionStore,
    QueueStore,
    ReportStore,
    TurnRecords {
  // Schedules

  lastRun(schedule: string): Promise<number | undefined>;
  saveRun(schedule: string, at: number): Promise<void>;

  // Housekeeping

  /**
   * Removes messages, turns, events and delivered outbox rows that ended before `before`, but nothing that waits, runs or
   * is undelivered. The messages of removed events are still known by their ids, except of those that ended before
   * `keysBefore`. It works in many small steps: the only method that is not all or nothing.
   */
  prune(cut: PruneCut): Promise<{ readonly events: number; readonly messages: number }>;
  /** Rejects if the files of the store are not those that it was opened with. It writes nothing. */
  check(): Promise<void>;
  /** Writes something without a meaning, to find out whether the store can be written. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

export interface PruneCut {
  readonly before: number;
  readonly keysBefore: number;
}
