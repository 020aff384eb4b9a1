/**
 * The moments at which the gateway has just made something durable, or is about to. The tests end it with `kill -9` at
 * each of them; `docs/kill-points.md` has the results.
 */
export const journalPoints = [
  'accepting',
  'accepted',
  'claimed',
  'joined',
  'began',
  'session',
  'tool_started',
  'tool_ended',
  'permission_asked',
  'finishing',
  'finished',
  'postponed',
  'delivering',
  'delivered',
  'marked_delivered',
  'took_over',
] as const;

export type JournalPoint = (typeof journalPoints)[number];

/** Called at every point as it is passed. */
export type Watcher = (point: JournalPoint) => void;
