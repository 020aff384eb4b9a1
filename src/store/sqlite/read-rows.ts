import type { ErrorCode, PermissionDecision, Usage } from '../../core/chat-event.js';
import type {
  AgentChoice,
  EventKind,
  Failure,
  FinalState,
  Role,
  StoredEvent,
  StoredMessage,
} from '../rows.js';

/** The characters of a text that a list shows. */
export const beginning = 600;

/** The rows as SQLite returns them, and their conversion to the store's types. */
export interface EventRow {
  readonly seq: number;
  readonly id: string;
  readonly channel: string;
  readonly source: string;
  readonly kind: EventKind;
  readonly message_id: string | null;
  readonly text: string;
  readonly author: string | null;
  /** A list may leave it out. */
  readonly context?: string | null;
  readonly instructions: string | null;
  /** JSON. A list may leave it out. */
  readonly agent?: string | null;
  readonly queue_mode: string | null;
  readonly state: StoredEvent['state'];
  readonly created_at: number;
  readonly ended_at: number | null;
  readonly attempts: number;
  readonly crashes: number;
  readonly not_before: number | null;
  readonly turn_id: string | null;
  readonly response_text: string | null;
  readonly error_code: ErrorCode | null;
  readonly error_message: string | null;
}

export interface TurnRow {
  readonly seq: number;
  readonly id: string;
  readonly channel: string;
  readonly state: 'running' | 'postponed' | FinalState;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly worker: string;
  readonly lease_until: number;
  readonly fence: number;
  readonly model: string | null;
  readonly setup: string | null;
  readonly session_id: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cached_input_tokens: number | null;
  readonly cost_usd: number | null;
  readonly context_tokens: number | null;
  readonly context_window: number | null;
  readonly stop_reason: string | null;
  readonly error_code: ErrorCode | null;
  readonly error_message: string | null;
}

export interface ToolRow {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly is_error: number | null;
  readonly denied: number;
}

export interface MessageRow {
  readonly id: number;
  readonly channel: string;
  readonly event_id: string | null;
  readonly role: Role;
  readonly text: string;
  readonly backend: string | null;
  readonly created_at: number;
  /** Absent where it is not asked for. */
  readonly silent?: number;
}

export interface PermissionRow {
  readonly seq: number;
  readonly id: string;
  readonly channel: string;
  readonly event_id: string;
  readonly turn_id: string;
  readonly tool: string;
  readonly input: string;
  readonly options: string;
  readonly always: string | null;
  readonly state: 'pending' | 'decided' | 'void';
  readonly decision: PermissionDecision | null;
  readonly message: string | null;
  readonly created_at: number;
  readonly decided_at: number | null;
}

export function toEvent(row: EventRow): StoredEvent {
  return {
    id: row.id,
    seq: row.seq,
    channel: row.channel,
    source: row.source,
    kind: row.kind,
    messageId: row.message_id ?? undefined,
    text: row.text,
    author: row.author ?? undefined,
    context: row.context ?? undefined,
    instructions: row.instructions ?? undefined,
    agent: row.agent ? (JSON.parse(row.agent) as AgentChoice) : undefined,
    queueMode: row.queue_mode ?? undefined,
    state: row.state,
    createdAt: row.created_at,
    endedAt: row.ended_at ?? undefined,
    attempts: row.attempts,
    crashes: row.crashes,
    notBefore: row.not_before ?? undefined,
    turnId: row.turn_id ?? undefined,
    responseText: row.response_text ?? undefined,
    error: toFailure(row),
  };
}

export function toMessage(row: MessageRow): StoredMessage {
  return {
    id: row.id,
    channel: row.channel,
    eventId: row.event_id ?? undefined,
    role: row.role,
    text: row.text,
    backend: row.backend ?? undefined,
    createdAt: row.created_at,
    ...(row.silent === 1 ? { silent: true as const } : {}),
  };
}

export function toFailure(row: Pick<EventRow, 'error_code' | 'error_message'>): Failure | undefined {
  if (row.error_code === null) return undefined;
  return { code: row.error_code, message: row.error_message ?? '' };
}

export function toUsage(row: TurnRow): Usage | undefined {
  if (row.input_tokens === null || row.output_tokens === null) return undefined;
  return {
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    ...(row.cached_input_tokens !== null && { cachedInputTokens: row.cached_input_tokens }),
    ...(row.cost_usd !== null && { costUsd: row.cost_usd }),
    ...(row.context_tokens !== null && { contextTokens: row.context_tokens }),
    ...(row.context_window !== null && { contextWindow: row.context_window }),
  };
}
