import type { ChatEvent, ErrorCode, Usage } from '../../core/chat-event.js';
import type { UsageRow } from '../../core/usage-row.js';
import type { StoreCounts, StoredEvent, StoredPermission, StoredTurn } from '../../store/rows.js';
import type { UsageQuery } from '../../store/store.js';
import type { BackendView, FilePreviewView, StatisticsPointView } from './http/wire.js';

// What channels can look up in the gateway beside messages: each port is implemented in a room of its own.

/** Overviews of what the store holds. */
export interface Reports {
  /**
   * The channel with the newest message first. `search` looks for words in the titles and in the newest messages of all
   * channels. `archived` asks for those that were put away, or for the others; undefined for both. Rejects with `interrupted`
   * when the signal is aborted during a search.
   */
  channels(query: {
    readonly search?: string | undefined;
    readonly archived?: boolean | undefined;
    readonly limit: number;
    readonly signal?: AbortSignal | undefined;
  }): Promise<readonly ChannelSummary[]>;
  queue(): Promise<QueueSummary>;
  /** The attempts for an event, oldest first, each with what the agent said and did. Undefined if there is no event. */
  turns(
    eventId: string,
  ): Promise<readonly (StoredTurn & { readonly events: readonly ChatEvent[] })[] | undefined>;
  usage(query: UsageQuery): Promise<readonly UsageRow[]>;
  statistics(query: StatisticsQuery, signal?: AbortSignal): Promise<Statistics>;
  /** No CLI is started for it. */
  backends(): Promise<readonly BackendSummary[]>;
  /** What the tool would do, as far as its input tells. Undefined if there is nothing to show beyond the input. Never rejects. */
  preview(permission: StoredPermission): Promise<PermissionPreview | undefined>;
}

/** An edit is shown as a unified diff of each file. */
export type PermissionPreview =
  | { readonly type: 'command'; readonly command: string; readonly cwd?: string | undefined }
  | { readonly type: 'edit'; readonly files: readonly FilePreviewView[] };

export interface ChannelSummary {
  readonly channel: string;
  /** The title that a person has given. */
  readonly title?: string | undefined;
  readonly firstPrompt?: string | undefined;
  readonly archived: boolean;
  readonly messages: number;
  readonly lastMessageAt?: number | undefined;
  readonly lastText?: string | undefined;
  readonly lastSilent?: boolean | undefined;
  readonly waiting: number;
  readonly running: boolean;
  readonly permissions: number;
  readonly backend: string;
  readonly found?: string | undefined;
}

export interface QueueSummary {
  readonly counts: StoreCounts;
  readonly running: readonly StoredTurn[];
  /** Of all channels, in the order of their arrival. */
  readonly waiting: readonly StoredEvent[];
}

export interface StatisticsQuery {
  readonly by: 'backend' | 'channel';
  readonly since: number;
  readonly until: number;
  readonly stepMs: number;
  /** The keys with the most turns; the others are left out. */
  readonly maxSeries: number;
}

export interface Statistics {
  /** Of all turns of the time, whatever they are grouped by, and however many series there are. */
  readonly medianMs: number;
  readonly series: readonly StatisticsSeries[];
}

export interface StatisticsSeries {
  readonly key: string;
  readonly points: readonly StatisticsPoint[];
}

/** As the interface shows it, but for the time. */
export interface StatisticsPoint extends Omit<StatisticsPointView, 'at'> {
  readonly at: number;
}

export interface BackendSummary extends Omit<BackendView, 'version' | 'notice'> {
  readonly version?: string | undefined;
  readonly notice?: string | undefined;
}

/** The CLIs' own sessions, which were not begun here. */
export interface VendorSessions {
  /** Of the channel's directory, the last used one first. */
  list(channel: string): Promise<{
    readonly cwd: string;
    readonly sessions: readonly VendorSession[];
    readonly problems: readonly string[];
  }>;
  /** The channel goes on with the session. Rejects with `bad_request` if there is no such session, or a turn runs. */
  resume(channel: string, backend: string, sessionId: string): Promise<void>;
}

export interface VendorSession {
  readonly backend: string;
  readonly sessionId: string;
  /** The first words of the user. */
  readonly title: string;
  readonly updatedAt: number;
}

/**
 * What the turns of a channel have changed in its work tree. Both reject with `overloaded` where too many wait already, and with
 * `interrupted` when the signal is aborted: whoever is gone needs no answer.
 */
export interface WorkTreeChanges {
  list(channel: string, scope: ChangeScope, signal?: AbortSignal): Promise<Changes>;
  /** Puts a file back as it was before. Rejects with `bad_request`, with `ChangedSince` without `force`, or with `NotAsShown`. */
  revert(channel: string, request: RevertRequest, signal?: AbortSignal): Promise<void>;
}

export interface RevertRequest {
  readonly scope: ChangeScope;
  readonly path: string;
  readonly force: boolean;
  /** The `shown` of the file in the list that was looked at. Without it, the file is put back whatever that was. */
  readonly shown?: string | undefined;
}

export type ChangeScope = 'turn' | 'conversation';

export interface Changes {
  readonly reason?: string | undefined;
  readonly files: readonly ChangedFile[];
}

export interface ChangedFile {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted';
  readonly binary: boolean;
  readonly additions: number;
  readonly deletions: number;
  readonly diff?: string | undefined;
  readonly changedSince: boolean;
  /** Names what is shown: this change, and what the file holds now. */
  readonly shown: string;
}

/** The next run of a heartbeat or a cron entry. */
export interface PlannedRun {
  readonly name: string;
  readonly source: 'heartbeat' | 'cron';
  readonly channel: string;
  readonly times: string;
  /** Absent if none comes any more. A time that is over: it waits for an earlier run. */
  readonly nextRunAt?: number | undefined;
}

export interface Plan {
  readonly runs: readonly PlannedRun[];
  /** What is wrong in the files of the schedules. */
  readonly problems: readonly string[];
}

/** The runs of chains, which other programs make: the gateway only shows them. */
export interface ChainRuns {
  /** Newest first. */
  list(limit: number): Promise<readonly ChainRunSummary[]>;
  /** Undefined if there is no such run. */
  read(runId: string): Promise<ChainRun | undefined>;
}

export interface ChainRunSummary {
  readonly runId: string;
  readonly chain: string;
  readonly status: string;
  readonly startedAt: string;
  readonly cwd: string;
}

export interface ChainRun extends Omit<ChainRunSummary, 'cwd'> {
  readonly endedAt?: string | undefined;
  readonly steps: readonly ChainStep[];
}

export interface ChainStep {
  readonly name?: string;
  readonly agent: string;
  readonly backend: string;
  readonly status: string;
  readonly iterations: number;
  readonly reason?: string;
  readonly output: string;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
  readonly usage?: Usage;
  readonly verified?: boolean;
}
