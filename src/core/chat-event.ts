/** The one event model: every backend yields these events while a turn runs, and they travel as NDJSON. */
export type ChatEvent = StepEvent | TerminalEvent;

/** The events that can come before a turn ends. */
export type StepEvent =
  | SessionEvent
  | TextEvent
  | ThinkingStartEvent
  | ThinkingEvent
  | ThinkingEndEvent
  | ToolStartEvent
  | ToolEndEvent
  | PermissionRequestEvent
  | PermissionResolvedEvent
  | UsageEvent
  | NoticeEvent;

/** The events that end a turn: there is exactly one, and nothing follows it. */
export type TerminalEvent = CompleteEvent | ErrorEvent;

export interface SessionEvent {
  readonly type: 'session';
  readonly sessionId: string;
  readonly backend: string;
  readonly model?: string;
  /** The kind of key or account that the CLI says it uses, in its own words; never the key itself. */
  readonly keySource?: string;
}

export interface TextEvent {
  readonly type: 'text';
  readonly text: string;
}

export interface ThinkingStartEvent {
  readonly type: 'thinking_start';
}

export interface ThinkingEvent {
  readonly type: 'thinking';
  readonly text: string;
}

export interface ThinkingEndEvent {
  readonly type: 'thinking_end';
}

export interface ToolStartEvent {
  readonly type: 'tool_start';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolEndEvent {
  readonly type: 'tool_end';
  readonly id: string;
  readonly output: string;
  readonly isError: boolean;
  /** True if the CLI says that the tool was not run: a person, a rule or a mode has denied it. */
  readonly denied?: true;
}

export type PermissionDecision = 'allow' | 'allow_always' | 'deny';

export interface PermissionRequestEvent {
  readonly type: 'permission_request';
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly options: readonly PermissionDecision[];
  /** All that `allow_always` allows until the session ends, a rule on each line: `touch *`. That answer is offered only with it. */
  readonly always?: string;
  /** The id of the tool's `tool_start`, before or after this, if the CLI tells it. */
  readonly toolId?: string;
  /** The request is made for `confirmTools` alone: to allow it gives no more than the permission mode does. */
  readonly confirmation?: true;
}

export interface PermissionResolvedEvent {
  readonly type: 'permission_resolved';
  readonly id: string;
  readonly decision: PermissionDecision;
  /** The reason for a denial: the answer's own words, the clock that ran out, or the stop of the turn. */
  readonly message?: string;
}

/**
 * Token counts of this turn so far: a later event replaces an earlier one. `inputTokens` is everything the
 * model read, `cachedInputTokens` the part of it that came from a cache. A turn of several model calls reads its context
 * several times: `contextTokens` is the size of the context itself.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly costUsd?: number;
  /** The tokens in the agent's context after its last model call: those that the call read, and those that it wrote. */
  readonly contextTokens?: number;
  /** The number of tokens that fit into the context of the model of that call. */
  readonly contextWindow?: number;
}

export interface UsageEvent extends Usage {
  readonly type: 'usage';
}

export type NoticeLevel = 'info' | 'warning';

export interface NoticeEvent {
  readonly type: 'notice';
  readonly level: NoticeLevel;
  readonly message: string;
  readonly raw?: string;
  /** Set if the notice tells of a failed call of the model's API that the CLI makes again. */
  readonly retry?: Retry;
  /** Set by the gateway if the notice tells that the message of this event was taken into the turn: what follows may be its answer. */
  readonly eventId?: string;
}

export interface Retry {
  /** 1 for the first retry, which follows the first failure. */
  readonly attempt: number;
  /** The number of retries after which the CLI gives up, if it tells it. */
  readonly of?: number;
  /** The time until the retry, if the CLI tells it. */
  readonly delayMs?: number;
  /** The HTTP status, if the CLI tells it. */
  readonly status?: number;
  /** The code that the turn's error has if the CLI gives up. */
  readonly code: ErrorCode;
  /** The failure in the words of the API or the CLI. */
  readonly reason: string;
}

/** `end_turn`, `max_turns`, `refusal`, or the vendor's own word. */
export type StopReason = 'end_turn' | 'max_turns' | 'refusal' | (string & {});

export interface CompleteEvent {
  readonly type: 'complete';
  /** The answer: the text after the agent's last tool. */
  readonly text: string;
  readonly sessionId: string;
  readonly stopReason: StopReason;
  readonly usage?: Usage;
}

export const errorCodes = [
  'not_installed',
  'auth',
  'rate_limit',
  'overloaded',
  'timeout',
  'session_not_found',
  'bad_request',
  'network',
  'crashed',
  'parse',
  'interrupted',
  'unsupported',
  'unknown',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

export interface ErrorEvent {
  readonly type: 'error';
  readonly code: ErrorCode;
  /** What happened and, where that is known, what to do about it. */
  readonly message: string;
  /** The message without the advice: what the CLI or the API said. Left out where it is the whole message. */
  readonly detail?: string;
  /** The time after which a limit ends or the API wants to be asked again, if it was told. */
  readonly retryAfterMs?: number;
  /** The code that the CLI exited with, if it failed by that; 128 and the signal's number if a signal ended it. */
  readonly exitCode?: number;
  /** True if the machine had nothing left to start the CLI with (see `isShortage`): no fault of the turn's. */
  readonly shortage?: true;
  readonly retryable: boolean;
}

const retryableCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'rate_limit',
  'overloaded',
  'timeout',
  'network',
  'crashed',
]);

export function errorEvent(code: ErrorCode, message: string): ErrorEvent {
  return { type: 'error', code, message, retryable: retryableCodes.has(code) };
}

export const interruptedMessage = 'Interrupted';

/** The end of a turn that was stopped on request. */
export const interruptedEvent: ErrorEvent = errorEvent('interrupted', interruptedMessage);

/** The end of a turn whose time is up. */
export const timeoutMessage = 'Query timed out';

export function notice(level: NoticeLevel, message: string, raw?: string): NoticeEvent {
  return raw === undefined ? { type: 'notice', level, message } : { type: 'notice', level, message, raw };
}

export function isTerminal(event: ChatEvent): event is TerminalEvent {
  return event.type === 'complete' || event.type === 'error';
}
