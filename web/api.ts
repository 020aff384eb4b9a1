import type { PermissionDecision } from '../src/core/chat-event.js';
import type {
  BackendsView,
  CancelledView,
  ChainRunsView,
  ChainRunView,
  ChangesView,
  ChannelChangeBody,
  ChannelStatusView,
  ChannelsView,
  EventStateView,
  InterruptBody,
  InterruptedView,
  MessageBody,
  MessagesView,
  PermissionView,
  ProblemView,
  ReceiptView,
  ResumeBody,
  RevertBody,
  SessionsView,
  StatisticsView,
  TurnsView,
  UsageView,
} from '../src/gateway/channels/http/wire.js';
import { learnServerTime } from './server-time.js';
import { pageHeaders, pageKey, signedOut } from './session.js';

/** The gateway's HTTP interface, as docs/http-api.md describes it. The browser adds the session's cookie, and this file the page's key. */
export const api = {
  channels: (
    asked: { readonly search?: string; readonly archived?: 'true'; readonly limit?: string },
    signal?: AbortSignal,
  ) => get<ChannelsView>(`/v1/channels${query(asked)}`, signal),
  /** Gives it a title, or puts it away. */
  changeChannel: (channel: string, body: ChannelChangeBody) =>
    send<ChannelStatusView>('PATCH', `/v1/channels/${part(channel)}`, body),
  status: (channel: string, signal?: AbortSignal) =>
    get<ChannelStatusView>(`/v1/channels/${part(channel)}`, signal),
  /** The last page of the conversation, or the one in front of `before`. */
  messages: (channel: string, before?: string, signal?: AbortSignal) =>
    get<MessagesView>(
      `/v1/channels/${part(channel)}/messages${query({ before: before ?? 'latest', limit: '60' })}`,
      signal,
    ),
  /** Sent again after a failure with the same key, it is one message. */
  say: (channel: string, body: MessageBody, key: string) =>
    post<ReceiptView>(`/v1/channels/${part(channel)}/messages`, body, { 'Idempotency-Key': key }),
  /** Ends the turn, unless it is over by now: another one goes on. */
  interrupt: (channel: string, body: InterruptBody) =>
    post<InterruptedView>(`/v1/channels/${part(channel)}/interrupt`, body),
  event: (eventId: string, signal?: AbortSignal) =>
    get<{ readonly state: EventStateView; readonly attempts: number }>(`/v1/events/${part(eventId)}`, signal),
  turns: (eventId: string, signal?: AbortSignal) =>
    get<TurnsView>(`/v1/events/${part(eventId)}/turns`, signal),
  cancel: (eventId: string) => post<CancelledView>(`/v1/events/${part(eventId)}/cancel`, {}),
  permission: (id: string) => get<PermissionView>(`/v1/permissions/${part(id)}`),
  decide: (id: string, decision: PermissionDecision, message?: string) =>
    post<PermissionView>(`/v1/permissions/${part(id)}`, { decision, ...(message ? { message } : {}) }),
  backends: (signal?: AbortSignal) => get<BackendsView>('/v1/backends', signal),
  sessions: (channel: string, signal?: AbortSignal) =>
    get<SessionsView>(`/v1/channels/${part(channel)}/sessions`, signal),
  resume: (channel: string, body: ResumeBody) => post<unknown>(`/v1/channels/${part(channel)}/session`, body),
  changes: (channel: string, scope: ChangesView['scope'], signal?: AbortSignal) =>
    get<ChangesView>(`/v1/channels/${part(channel)}/changes${query({ scope })}`, signal),
  revert: (channel: string, body: RevertBody) =>
    post<unknown>(`/v1/channels/${part(channel)}/changes/revert`, body),
  usage: (by: string, since: string, until: string, signal?: AbortSignal) =>
    get<UsageView>(`/v1/usage${query({ by, since, until })}`, signal),
  statistics: (
    asked: {
      readonly by: 'backend' | 'channel';
      readonly since: string;
      readonly until: string;
      readonly stepSeconds: number;
    },
    signal?: AbortSignal,
  ) =>
    get<StatisticsView>(
      `/v1/statistics${query({ ...asked, stepSeconds: String(asked.stepSeconds) })}`,
      signal,
    ),
  chainRuns: (signal?: AbortSignal) => get<ChainRunsView>('/v1/chains/runs', signal),
  chainRun: (runId: string, signal?: AbortSignal) =>
    get<ChainRunView>(`/v1/chains/runs/${part(runId)}`, signal),
};

/** The address of a channel's stream of events, from a position on. An EventSource can't send headers. */
export function streamAddress(channel: string, after: string | undefined): string {
  return `/v1/channels/${part(channel)}/events${query({ others: '1', after: after ?? '', pageKey: pageKey() })}`;
}

/** An answer that is none: `status` 0 if the gateway could not be reached. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
  }

  /** True if the same request may succeed a little later. */
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status === 503;
  }
}

function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return call<T>(path, signal === undefined ? {} : { signal });
}

function post<T>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<T> {
  return send<T>('POST', path, body, headers);
}

function send<T>(
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  return call<T>(path, {
    method,
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

async function call<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers: { ...init.headers, ...pageHeaders() } });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'network', 'The gateway can’t be reached.');
  }
  learnServerTime(response.headers.get('date'));
  if (response.status === 401) signedOut();
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body as T;
  const problem = (body as ProblemView | undefined)?.error;
  throw new ApiError(
    response.status,
    problem?.code ?? 'unknown',
    problem?.message ?? `The gateway answered with ${response.status}.`,
  );
}

function part(id: string): string {
  return encodeURIComponent(id);
}

function query(values: Readonly<Record<string, string>>): string {
  const given = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
  return given.size === 0 ? '' : `?${given}`;
}
