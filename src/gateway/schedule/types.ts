/** A prompt that is sent again and again. */
export interface Schedule {
  /** The heading of a cron entry, or `heartbeat`. */
  readonly name: string;
  readonly source: 'heartbeat' | 'cron';
  readonly channel: string;
  /** The prompt. */
  readonly text: string;
  readonly timing: Timing;
}

export type Timing =
  | { readonly type: 'every'; readonly ms: number }
  /** Without a time zone the machine's own counts. */
  | { readonly type: 'cron'; readonly expression: string; readonly timezone?: string | undefined };

export interface ScheduleOptions {
  /** OUTPUT_CHANNEL_ID, for schedules that name no channel. */
  readonly outputChannel?: string | undefined;
}

export interface ScheduleReading {
  readonly schedules: readonly Schedule[];
  /** Each names the file, the entry, and what was expected. */
  readonly problems: readonly string[];
}

/**
 * The key under which a schedule's last run is stored. A schedule with other times is another one: its new times were not
 * missed in the past.
 */
export function keyOf({ source, name, timing }: Schedule): string {
  const when = timing.type === 'every' ? `${timing.ms} ms` : `${timing.expression} ${timing.timezone ?? ''}`;
  return `${source}: ${name} (${when.trim()})`;
}
