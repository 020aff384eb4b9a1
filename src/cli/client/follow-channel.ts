import { setTimeout as sleep } from 'node:timers/promises';
import { TurnoutError } from '../../core/errors.js';
import type {
  ChannelStatusView,
  MessageView,
  StreamedChatEvent,
  TurnView,
} from '../../gateway/channels/http/wire.js';
import type { Locate } from './find-gateway.js';
import { GatewayRefusal, openAnswer, unreachable } from './gateway-request.js';
import { readServerSentEvents, type ServerSentEvent } from './read-server-sent-events.js';

/** A step of what happens in a channel. With its `id` as `after` it can be gone on behind it. */
export type ChannelEntry = ChannelNews | ConnectionNews;

export type ChannelNews = { readonly id?: string } & (
  | { readonly type: 'chat'; readonly event: StreamedChatEvent }
  /** A turn has begun, or has ended. */
  | { readonly type: 'turn'; readonly turn: TurnView }
  /** A message of the conversation: a prompt, an answer, a notice. */
  | { readonly type: 'said'; readonly message: MessageView }
  /** The channel as it is now: at the beginning of each connection, and after every change. */
  | { readonly type: 'state'; readonly status: ChannelStatusView }
  /** The id that was given means nothing there (any more): what came since then may be missing. */
  | { readonly type: 'reset' }
);

export type ConnectionNews =
  /** Nothing that comes before it was missed, and nothing comes twice. */
  | { readonly type: 'connected'; readonly again: boolean }
  | { readonly type: 'lost'; readonly reason: string };

export interface FollowOptions {
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  /** After a loss, the connection is tried again for so long. Without it, until the signal is aborted. */
  readonly patienceMs?: number | undefined;
  /** True if the gateway was there a moment ago: then the first connection, too, is tried again. */
  readonly wasThere?: boolean | undefined;
  /** For tests. */
  readonly times?: Partial<FollowTimes> | undefined;
}

export interface FollowTimes {
  /** The gateway says something every 15 seconds: a stream that is silent for longer is dead. */
  readonly silenceMs: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

const usualTimes: FollowTimes = { silenceMs: 45_000, firstPauseMs: 100, longestPauseMs: 3000 };

/**
 * Follows a channel until the signal is aborted, over as many connections as that takes. Rejects if the first one can't be made, if
 * the gateway does not want this reader, or if the patience is over.
 */
export async function* followChannel(
  locate: Locate,
  channel: string,
  { after, signal, patienceMs = Number.POSITIVE_INFINITY, wasThere = false, times }: FollowOptions,
): AsyncGenerator<ChannelEntry, void, undefined> {
  const { silenceMs, firstPauseMs, longestPauseMs } = { ...usualTimes, ...times };
  let id = after;
  let connections = 0;
  let failures = 0;
  let lostAt = 0;
  while (!signal.aborted) {
    try {
      for await (const event of connect(locate, channel, { after: id, signal, silenceMs })) {
        if (event === 'connected') {
          yield { type: 'connected', again: connections + failures > 0 };
          connections += 1;
          failures = 0;
          continue;
        }
        const isOwnId = event.id !== undefined && event.id !== id;
        id = event.id ?? id;
        const news = newsOf(event);
        if (news !== undefined) yield isOwnId && event.id !== undefined ? { ...news, id: event.id } : news;
      }
      throw new TurnoutError('network', 'The gateway has ended the stream.');
    } catch (error) {
      if (signal.aborted) return;
      if ((connections === 0 && !wasThere) || isFinal(error)) throw error;
      if (failures === 0) {
        lostAt = performance.now();
        yield { type: 'lost', reason: (error as Error).message };
      } else if (performance.now() - lostAt > patienceMs) throw error;
    }
    const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 10));
    failures += 1;
    await sleep(pause * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
  }
}

/** A token that is refused, or a channel that can't be one, stays so. */
function isFinal(error: unknown): boolean {
  if (error instanceof GatewayRefusal) return !error.mayPass;
  // A token file that can't be read, a gateway that sends what is no stream.
  return error instanceof TurnoutError && ['auth', 'bad_request', 'parse'].includes(error.code);
}

async function* connect(
  locate: Locate,
  channel: string,
  { after, signal, silenceMs }: { after: string | undefined; signal: AbortSignal; silenceMs: number },
): AsyncGenerator<ServerSentEvent | 'connected'> {
  const address = await locate();
  const leave = new AbortController();
  const both = AbortSignal.any([signal, leave.signal]);
  const silence = setTimeout(() => leave.abort(), silenceMs);
  try {
    const { chunks } = await openAnswer(address, `/v1/channels/${encodeURIComponent(channel)}/events`, {
      signal: both,
      ...(after === undefined ? {} : { headers: { 'last-event-id': after } }),
    });
    let isConnected = false;
    for await (const event of readServerSentEvents(watched(chunks, silence))) {
      // The first thing is an id: before it, a lost connection could not go on where it was.
      if (!isConnected) yield 'connected';
      isConnected = true;
      yield event;
    }
  } catch (error) {
    if (signal.aborted) return;
    const cause = leave.signal.aborted ? `it was silent for ${silenceMs / 1000} s` : error;
    throw unreachable(address.base, cause);
  } finally {
    clearTimeout(silence);
    leave.abort();
  }
}

async function* watched(
  chunks: AsyncIterable<Uint8Array>,
  silence: NodeJS.Timeout,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    silence.refresh();
    yield chunk;
  }
}

/** Undefined for what a later gateway may say beside. */
function newsOf({ event, data }: ServerSentEvent): ChannelNews | undefined {
  const told = data === undefined ? undefined : readObject(data);
  if (told === undefined) return undefined;
  switch (event) {
    case '':
      return { type: 'chat', event: told as StreamedChatEvent };
    case 'turn':
      return { type: 'turn', turn: told as unknown as TurnView };
    case 'said':
      return { type: 'said', message: told as unknown as MessageView };
    case 'state':
      return { type: 'state', status: told as unknown as ChannelStatusView };
    case 'reset':
      return { type: 'reset' };
    default:
      return undefined;
  }
}

function readObject(data: string): object | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
