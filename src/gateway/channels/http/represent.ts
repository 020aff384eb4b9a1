import {
  type ContextUsed,
  hasEnded,
  type StoredEvent,
  type StoredMessage,
  type StoredPermission,
  type TurnOutline,
} from '../../../store/rows.js';
import type { ChannelStatus } from '../types.js';
import type {
  ChannelStatusView,
  EventView,
  MessageView,
  PermissionView,
  RunningView,
  TurnView,
  WaitingView,
} from './wire.js';

/** A receipt has just enough to ask for the event again. */
export function representReceipt(event: StoredEvent) {
  return { eventId: event.id, state: event.state, ...(hasEnded(event) ? withError(event) : {}) };
}

export function representEvent(event: StoredEvent): EventView {
  return {
    eventId: event.id,
    state: event.state,
    channel: event.channel,
    source: event.source,
    createdAt: iso(event.createdAt),
    ...(event.endedAt === undefined ? {} : { endedAt: iso(event.endedAt) }),
    attempts: event.attempts,
    ...(event.responseText === undefined ? {} : { responseText: event.responseText }),
    // `error` is the event's end. The failure of an attempt that is tried again must not look like it.
    ...(hasEnded(event) ? withError(event) : event.error === undefined ? {} : { lastError: event.error }),
    ...(event.notBefore === undefined || hasEnded(event) ? {} : { retryAt: iso(event.notBefore) }),
  };
}

export function representMessage(message: StoredMessage): MessageView {
  return {
    id: String(message.id),
    eventId: message.eventId ?? null,
    role: message.role,
    text: message.text,
    createdAt: iso(message.createdAt),
    ...(message.backend === undefined ? {} : { backend: message.backend }),
    ...(message.author === undefined ? {} : { author: message.author }),
    ...message.event,
    ...(message.silent ? { silent: true } : {}),
  };
}

export function representPermission(permission: StoredPermission): PermissionView {
  const { id, channel, eventId, tool, input, options } = permission;
  return {
    id,
    channel,
    eventId,
    tool,
    input: input ?? null,
    options,
    ...(permission.always === undefined ? {} : { always: permission.always }),
    createdAt: iso(permission.createdAt),
    ...(permission.decision === undefined ? {} : { decision: permission.decision }),
    ...(permission.message === undefined ? {} : { message: permission.message }),
    ...(permission.decidedAt === undefined ? {} : { decidedAt: iso(permission.decidedAt) }),
  };
}

export function representTurn(turn: TurnOutline): TurnView {
  const { id: turnId, channel, eventIds, state, setup, usage, error } = turn;
  const model = turn.model ?? setup?.model;
  return {
    ...{ turnId, channel, eventIds, state },
    startedAt: iso(turn.startedAt),
    ...(turn.endedAt === undefined ? {} : { endedAt: iso(turn.endedAt) }),
    ...(setup === undefined ? {} : { backend: setup.backend }),
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
    ...(error === undefined ? {} : { error }),
  };
}

export function representStatus(
  status: ChannelStatus,
  permissions: readonly PermissionView[],
): ChannelStatusView {
  const {
    channel,
    archived,
    backend,
    model,
    thinking,
    permissionMode,
    queueMode,
    steers,
    cwd,
    running,
    waitingCount,
  } = status;
  const { context } = status;
  return {
    channel,
    title: representTitle(status),
    ...{ archived, backend, permissionMode, queueMode, steers, cwd, waitingCount },
    ...(model === undefined ? {} : { model }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(context === undefined ? {} : { context: representContext(context) }),
    ...(running === undefined ? {} : { running: representRunning(running) }),
    waiting: status.waiting.map(representWaiting),
    permissions,
  };
}

function representContext({ tokens, window }: ContextUsed): NonNullable<ChannelStatusView['context']> {
  return window === undefined ? { tokens } : { tokens, window };
}

function representRunning({ turn, tool }: NonNullable<ChannelStatus['running']>): RunningView {
  const { turnId, eventIds, startedAt, backend, model } = representTurn(turn);
  return {
    ...{ turnId, eventIds, startedAt },
    ...(backend === undefined ? {} : { backend }),
    ...(model === undefined ? {} : { model }),
    ...(tool === undefined ? {} : { tool }),
  };
}

export function representWaiting({ id, text, createdAt, error, notBefore }: StoredEvent): WaitingView {
  return {
    eventId: id,
    text: text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…`,
    createdAt: iso(createdAt),
    ...(error === undefined ? {} : { lastError: error }),
    ...(notBefore === undefined ? {} : { retryAt: iso(notBefore) }),
  };
}

/** A message that waits is shown in a list, not to be read as a whole. */
const shownCharacters = 500;

/** The title that a person has given; else one line of the first words of the conversation; else the channel's id. */
export function representTitle({
  title,
  firstPrompt = '',
  channel,
}: Pick<ChannelStatus, 'title' | 'firstPrompt' | 'channel'>): string {
  if (title !== undefined) return title;
  const line = firstPrompt.slice(0, 400).replaceAll(/\s+/g, ' ').trim();
  if (line === '') return channel;
  return line.length <= titleLength
    ? line
    : `${line.slice(0, titleLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

const titleLength = 80;

function withError(event: StoredEvent) {
  return event.error === undefined ? {} : { error: { code: event.error.code, message: event.error.message } };
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
