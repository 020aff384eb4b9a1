import {
  hasEnded,
  type StoredEvent,
  type StoredMessage,
  type StoredPermission,
} from '../../../store/rows.js';

/** A receipt has just enough to ask for the event again. */
export function representReceipt(event: StoredEvent) {
  return { eventId: event.id, state: event.state, ...(hasEnded(event) ? withError(event) : {}) };
}

export function representEvent(event: StoredEvent) {
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

export function representMessage(message: StoredMessage) {
  return {
    id: String(message.id),
    eventId: message.eventId ?? null,
    role: message.role,
    text: message.text,
    createdAt: iso(message.createdAt),
    ...(message.backend === undefined ? {} : { backend: message.backend }),
  };
}

export function representPermission(permission: StoredPermission) {
  const { id, channel, eventId, tool, input, options } = permission;
  return {
    id,
    channel,
    eventId,
    tool,
    input,
    options,
    createdAt: iso(permission.createdAt),
    ...(permission.decision === undefined ? {} : { decision: permission.decision }),
    ...(permission.message === undefined ? {} : { message: permission.message }),
    ...(permission.decidedAt === undefined ? {} : { decidedAt: iso(permission.decidedAt) }),
  };
}

function withError(event: StoredEvent) {
  return event.error === undefined ? {} : { error: { code: event.error.code, message: event.error.message } };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
