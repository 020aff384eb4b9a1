import type { ChatEvent, ErrorCode, PermissionDecision, Usage } from '../../../core/chat-event.js';
import type { UsageRow } from '../../../core/usage-row.js';

/*
 * The JSON of the HTTP interface, as the page and other clients see it. Types only: the page imports this file. Times are
 * ISO 8601 in UTC. `openapi/` says the same in OpenAPI's words, and a test compares both with what is served.
 */

export type EventStateView = 'queued' | 'running' | 'answered' | 'refused' | 'cancelled' | 'failed';

export interface FailureView {
  readonly code: ErrorCode;
  readonly message: string;
}

/** A line of `GET /v1/channels`, the one with the newest message first. */
export interface ChannelView {
  readonly channel: string;
  /** The one that was given; else the first words of the present conversation's first prompt; else the channel's id. */
  readonly title: string;
  /** True if it was put away: then only a search and `?archived=true` list it. A new message brings it back. */
  readonly archived: boolean;
  readonly messages: number;
  readonly lastMessageAt?: string;
  /** The first words of the last message. */
  readonly lastText?: string;
  /** True if that is the answer of a schedule's turn that had nothing to say. */
  readonly silent?: true;
  readonly waiting: number;
  readonly running: boolean;
  /** The number of questions that wait for a person. */
  readonly permissions: number;
  readonly backend: string;
  /** With `?search=`: the words around the newest place that was found. */
  readonly found?: string;
}

/** `GET /v1/channels/:id`, and the data of the stream's `state` events. */
export interface ChannelStatusView {
  readonly channel: string;
  readonly title: string;
  readonly archived: boolean;
  readonly backend: string;
  readonly model?: string;
  readonly thinking?: string;
  /** The tokens in the context of the present session after its last turn, and how many fit in. Absent where no CLI tells it. */
  readonly context?: { readonly tokens: number; readonly window?: number };
  readonly permissionMode: string;
  readonly queueMode: string;
  /** True if a message can be taken into a turn that runs; otherwise it waits, whatever its mode is. */
  readonly steers: boolean;
  readonly cwd: string;
  readonly running?: RunningView;
  /** The messages that wait, the first 50 of them, oldest first. */
  readonly waiting: readonly WaitingView[];
  readonly waitingCount: number;
  /** The questions of this channel that wait for a person. */
  readonly permissions: readonly PermissionView[];
}

export interface RunningView {
  readonly turnId: string;
  readonly eventIds: readonly string[];
  readonly startedAt: string;
  readonly backend?: string;
  readonly model?: string;
  /** The tool that runs, if one does: `Bash`. */
  readonly tool?: string;
}

export interface WaitingView {
  readonly eventId: string;
  readonly text: string;
  readonly createdAt: string;
  readonly lastError?: FailureView;
  readonly retryAt?: string;
}

export interface MessageView {
  readonly id: string;
  readonly eventId: string | null;
  readonly role: 'user' | 'assistant' | 'system';
  readonly text: string;
  readonly createdAt: string;
  readonly backend?: string;
  /** Who has sent it, if that was told. */
  readonly author?: string;
  /** Of the message that somebody has sent: its state when this was read. */
  readonly state?: EventStateView;
  /** True if a turn has worked on it. */
  readonly begun?: boolean;
  /** True for the answer of a schedule's turn that had nothing to say: it was delivered to nobody. */
  readonly silent?: true;
}

/** `GET /v1/channels/:id/messages`: oldest first. */
export interface MessagesView {
  readonly messages: readonly MessageView[];
  /** The `after` of the next page, if there is one. */
  readonly next?: string;
  /** With `?before=`: the `before` of the page in front of this one, if there is one. */
  readonly previous?: string;
}

export interface PermissionView {
  readonly id: string;
  readonly channel: string;
  readonly eventId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly options: readonly PermissionDecision[];
  /** All that `allow_always` allows until the agent's session ends, a rule on each line. */
  readonly always?: string;
  readonly createdAt: string;
  /** What the tool would do, as far as its input tells. */
  readonly preview?: PreviewView;
  /**
   * True where a list or a status has no room for all of it: the preview is left out, and the input is null if it is long.
   * `GET /v1/permissions/:id` has both.
   */
  readonly shortened?: true;
  readonly decision?: PermissionDecision;
  readonly message?: string;
  readonly decidedAt?: string;
}

/** `GET /v1/permissions`. */
export interface PermissionsView {
  readonly permissions: readonly PermissionView[];
}

/** What a tool would do. Diffs are unified ones, of at most 1 MiB in all. */
export type PreviewView =
  | { readonly type: 'command'; readonly command: string; readonly cwd?: string }
  | { readonly type: 'edit'; readonly files: readonly FilePreviewView[] };

export interface FilePreviewView {
  readonly path: string;
  readonly diff: string;
  /** The characters of the diff that are left out, if some are. */
  readonly left?: number;
  /** Where a link leads to, if one does: what is written is written there. */
  readonly leadsTo?: string;
  /** True if that lies outside the directory that the turn works in. */
  readonly outside?: true;
}

/** An attempt to answer one message, or several of them together. */
export interface TurnView {
  readonly turnId: string;
  readonly channel: string;
  readonly eventIds: readonly string[];
  readonly state: 'running' | 'postponed' | EventStateView;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly backend?: string;
  readonly model?: string;
  readonly usage?: Usage;
  readonly error?: FailureView;
}

/** `GET /v1/events/:eventId/turns`: the attempts, oldest first, each with what the agent said and did. */
export interface TurnsView {
  readonly turns: readonly (TurnView & { readonly events: readonly ChatEvent[] })[];
}

/*
 * `GET /v1/channels/:id/events` is a stream of server-sent events. Unnamed ones are ChatEvents. The others have a name:
 *
 * | event      | data                    | id  |                                                                           |
 * | ---------- | ----------------------- | --- | ------------------------------------------------------------------------- |
 * | (unnamed)  | `StreamedChatEvent`     | yes | what the agent says and does; pieces of text may come joined              |
 * | `turn`     | `TurnView`              | yes | a turn has begun, or has ended                                            |
 * | `said`     | `MessageView`           | yes | a message is in the conversation: a prompt, an answer, a notice           |
 * | `state`    | `ChannelStatusView`     | no  | at the beginning and after every change: the latest one counts            |
 * | `channels` | `{channels: string[]}`  | no  | with `?others=1`: channels in which something has changed, this one too   |
 * | `reset`    | `{}`                    | yes | the id that the client gave means nothing here: read the conversation anew |
 *
 * Without `Last-Event-ID` (or `?after=`) it begins with the turn that runs, if one does, and otherwise with what comes. The
 * first thing is an id without data: a client that is cut off before anything has happened has a place to go on from.
 * A turn that says more than the archive holds is cut, and says so in a notice; its answer is whole in `said`.
 */
export type StreamedChatEvent = ChatEvent & { readonly turnId: string };

/** `POST /v1/channels/:id/messages`. */
export interface MessageBody {
  readonly text: string;
  readonly author?: string;
  /** How this message meets a running turn, in place of the channel's own mode. */
  readonly queueMode?: 'queue' | 'interrupt' | 'steer';
}

/** `GET /v1/events/:eventId`. */
export interface EventView extends ReceiptView {
  readonly channel: string;
  readonly source: string;
  readonly createdAt: string;
  readonly endedAt?: string;
  readonly attempts: number;
  readonly responseText?: string;
  /** While it waits: why the last attempt failed, and when the next one begins. */
  readonly lastError?: FailureView;
  readonly retryAt?: string;
}

export interface ReceiptView {
  readonly eventId: string;
  readonly state: EventStateView;
  readonly error?: FailureView;
}

/** `PATCH /v1/channels/:id`, answered with the channel as it is now. At least one of them is needed. */
export interface ChannelChangeBody {
  /** At most 200 characters on one line; null: back to the first words. */
  readonly title?: string | null;
  readonly archived?: boolean;
}

/** `POST /v1/channels/:id/interrupt`: the body may be left out. With a `turnId` another turn goes on. */
export interface InterruptBody {
  readonly turnId?: string;
}

export interface InterruptedView {
  readonly interrupted: boolean;
}

/** `POST /v1/events/:eventId/cancel`: false if the message did not wait any more; the state says what became of it. */
export interface CancelledView {
  readonly cancelled: boolean;
  readonly state: EventStateView;
}

/** `GET /v1/channels?search=&limit=`. */
export interface ChannelsView {
  readonly channels: readonly ChannelView[];
}

/** `GET /v1/queue`. */
export interface QueueView {
  readonly events: Readonly<Record<EventStateView, number>>;
  readonly running: readonly TurnView[];
  /** The messages that wait, of all channels, in the order of their arrival: the first 200. */
  readonly waiting: readonly (WaitingView & { readonly channel: string })[];
  readonly pendingPermissions: number;
}

/** `GET /v1/gateway`. */
export interface GatewayView {
  /** Turnout's. */
  readonly version: string;
  readonly startedAt: string;
  /** Its process, and its data directory, on its own machine. */
  readonly pid: number;
  readonly home: string;
  /** The agent of channels that have chosen none. */
  readonly backend: string;
  readonly live: boolean;
  /** As `/readyz` tells them. */
  readonly ready: boolean;
  readonly problems: readonly string[];
  /** The connection to Discord; absent if it is not used. */
  readonly discord?: 'connected' | 'connecting' | 'failed';
}

/** `GET /v1/schedules`: the next run of each heartbeat and cron entry, the next one first. */
export interface SchedulesView {
  readonly schedules: readonly ScheduleView[];
  /** What is wrong in heartbeat.md and cron.md: it does not run, and what the file said before stays in force. */
  readonly problems: readonly string[];
}

export interface ScheduleView {
  readonly name: string;
  readonly source: 'heartbeat' | 'cron';
  readonly channel: string;
  /** As they are written: `every 30m`, `0 9 * * 1-5 (Europe/Berlin)`. */
  readonly times: string;
  /** Absent if none comes any more. A time that is over: the run waits for an earlier one. */
  readonly nextRunAt?: string;
}

/** `GET /v1/backends`. */
export interface BackendsView {
  readonly backends: readonly BackendView[];
}

export interface BackendView {
  readonly name: string;
  /** True for the one that answers in a channel that has chosen none. */
  readonly isDefault: boolean;
  readonly installed: boolean;
  readonly version?: string;
  /** Why it can't be used, with what to do about it; or what is to be known of its version. */
  readonly notice?: string;
  /** The command that installs it; empty if there is none, as for an agent that comes with Turnout. */
  readonly install: string;
  readonly thinkingDepths: readonly string[];
  readonly permissionModes: readonly string[];
  readonly options: readonly string[];
  /** The models that turns were run with, the last one first. */
  readonly models: readonly string[];
}

/** `GET /v1/usage?by=day|backend|channel|model&channel=&since=&until=`. */
export interface UsageView {
  readonly rows: readonly UsageRow[];
}

/** `GET /v1/statistics?by=backend|channel&since=&until=&stepSeconds=`: steps without a turn are left out. */
export interface StatisticsView {
  readonly since: string;
  readonly until: string;
  readonly stepSeconds: number;
  /** Of all turns of the time, whatever they are grouped by. */
  readonly medianMs: number;
  readonly series: readonly { readonly key: string; readonly points: readonly StatisticsPointView[] }[];
}

export interface StatisticsPointView {
  /** The beginning of the step. */
  readonly at: string;
  readonly turns: number;
  readonly answered: number;
  readonly failed: number;
  readonly cancelled: number;
  /** From the turn's beginning to its end. */
  readonly medianMs: number;
  readonly slowestMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly costUsd: number;
  readonly errors: Readonly<Partial<Record<ErrorCode, number>>>;
}

/** `GET /v1/chains/runs`, newest first. */
export interface ChainRunsView {
  readonly runs: readonly {
    readonly runId: string;
    readonly chain: string;
    readonly status: string;
    readonly startedAt: string;
    readonly cwd: string;
  }[];
}

/** `GET /v1/chains/runs/:id`. */
export interface ChainRunView {
  readonly runId: string;
  readonly chain: string;
  readonly status: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly steps: readonly {
    readonly name?: string;
    readonly agent: string;
    readonly backend: string;
    readonly status: string;
    readonly iterations: number;
    readonly reason?: string;
    readonly output: string;
    readonly error?: FailureView;
    readonly usage?: Usage;
    readonly verified?: boolean;
  }[];
}

/** `GET /v1/channels/:id/sessions`: the CLIs' own sessions of the channel's directory, the last used one first. */
export interface SessionsView {
  readonly cwd: string;
  readonly sessions: readonly SessionView[];
  /** What could not be read, in words. */
  readonly problems: readonly string[];
}

export interface SessionView {
  readonly backend: string;
  readonly sessionId: string;
  /** The first words of the user. */
  readonly title: string;
  readonly updatedAt: string;
}

/** `POST /v1/channels/:id/session`: the channel goes on with a session of the CLI's own. */
export interface ResumeBody {
  readonly backend: string;
  readonly sessionId: string;
}

/** The answer to it. */
export interface ResumedView {
  readonly resumed: true;
}

/** `GET /v1/channels/:id/changes?scope=turn|conversation`: what changed in the work tree. */
export interface ChangesView {
  readonly scope: 'turn' | 'conversation';
  /** Why there is nothing to show, if that has another reason than that nothing changed. */
  readonly reason?: string;
  readonly files: readonly ChangedFileView[];
}

export interface ChangedFileView {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted';
  readonly binary: boolean;
  readonly additions: number;
  readonly deletions: number;
  /** Unified. Absent for binary files and beyond the limit of one answer (1 MiB). */
  readonly diff?: string;
  /** True if the file was changed again after the turn: a revert would lose that, and needs `force`. */
  readonly changedSince: boolean;
  /** Names what is shown: this change, and what the file holds now. A revert sends it back. */
  readonly shown: string;
}

/** `POST /v1/channels/:id/changes/revert`. */
export interface RevertBody {
  readonly scope: 'turn' | 'conversation';
  readonly path: string;
  readonly force?: boolean;
  /** The `shown` of the file. If it is another one by now, the answer is 409 `changed_since`, whatever `force` says. */
  readonly shown?: string;
}

/** The answer to it. */
export interface RevertedView {
  readonly reverted: true;
}

/**
 * `POST /v1/page-session`, with the Bearer token: begins a session of the page and sets its cookie. The page keeps the key
 * in a storage of its origin, and sends it with every request: as `X-Turnout-Page`, or as `?pageKey=` of an EventSource.
 */
export interface PageSessionView {
  readonly pageKey: string;
  readonly expiresAt: string;
}

/** Every error of `/v1`, but those of the OpenAI door. */
export interface ProblemView {
  readonly error: { readonly code: string; readonly message: string };
}
