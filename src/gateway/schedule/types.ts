/** Something that is to happen again and again. */
export interface Schedule {
  /** The heading of a cron entry; `heartbeat`. */
  readonly name: string;
  readonly source: 'heartbeat' | 'cron';
  readonly channel: string;
  /** What the agent is told. */
  readonly text: string;
  readonly timing: Timing;
}

export type Timing =
  | { readonly type: 'every'; readonly ms: number }
  /** Without a time zone it is the machine's own. */
  | { readonly type: 'cron'; readonly expression: string; readonly timezone?: string | undefined };

export interface ScheduleOptions {
  /** For those that name no channel: OUTPUT_CHANNEL_ID. */
  readonly outputChannel?: string | undefined;
}

export interface ScheduleReading {
  readonly schedules: readonly Schedule[];
  /** File, entry, and what was expected. */
  readonly problems: readonly string[];
}

/**
 * Under this its last run is remembered. One that gets other times is another schedule: its new times were not missed
 * in the past.
 */
export function keyOf({ source, name, timing }: Schedule): string {
  const when = timing.type === 'every' ? `${timing.ms} ms` : `${timing.expression} ${timing.timezone ?? ''}`;
  return `${source}: ${name} (${when.trim()})`;
}
