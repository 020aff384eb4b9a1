import type { PermissionDecision } from '../../core/chat-event.js';
import { TurnoutError } from '../../core/errors.js';
import type {
  ChannelStatusView,
  ChannelsView,
  EventView,
  GatewayView,
  InterruptedView,
  MessagesView,
  PermissionsView,
  PermissionView,
  QueueView,
  ReceiptView,
  SchedulesView,
} from '../../gateway/channels/http/wire.js';
import type { Locate } from './find-gateway.js';
import { type ChannelEntry, type FollowOptions, followChannel } from './follow-channel.js';
import { openAnswer, type RequestOptions, readText, unreachable } from './gateway-request.js';

export interface OutgoingMessage {
  readonly text: string;
  /** The same id twice is one message, so that a send whose answer got lost can be repeated. */
  readonly messageId: string;
  readonly author?: string | undefined;
  readonly queueMode?: 'queue' | 'interrupt' | 'steer' | undefined;
}

/** Speaks to a running gateway over its HTTP interface. Every method rejects with a TurnoutError: see `openAnswer`. */
export class GatewayClient {
  readonly #locate: Locate;

  constructor(locate: Locate) {
    this.#locate = locate;
  }

  send(
    channel: string,
    { text, messageId, author, queueMode }: OutgoingMessage,
    signal?: AbortSignal,
  ): Promise<ReceiptView> {
    const body = {
      text,
      ...(author === undefined ? {} : { author }),
      ...(queueMode === undefined ? {} : { queueMode }),
    };
    return this.#ask(`${pathOf(channel)}/messages`, {
      ...{ body, signal },
      headers: { 'idempotency-key': messageId },
    });
  }

  /** What happens in a channel, from the place behind `after` on, or from the beginning of the turn that runs. */
  follow(channel: string, options: FollowOptions): AsyncIterable<ChannelEntry> {
    return followChannel(this.#locate, channel, options);
  }

  /** With `waitSeconds` (at most 60) the answer comes as soon as the message is done with. */
  event(eventId: string, { waitSeconds = 0, signal }: { waitSeconds?: number; signal?: AbortSignal } = {}) {
    const wait = waitSeconds === 0 ? '' : `?wait=${waitSeconds}`;
    return this.#ask<EventView>(`/v1/events/${encodeURIComponent(eventId)}${wait}`, {
      signal,
      timeoutMs: (waitSeconds + 30) * 1000,
    });
  }

  /** The first messages behind `after`, or the last ones in front of `before`, or the last ones. Always oldest first. */
  messages(
    channel: string,
    { after, before = 'latest', limit }: { after?: string; before?: string | undefined; limit: number },
  ): Promise<MessagesView> {
    const place =
      after === undefined ? `before=${encodeURIComponent(before)}` : `after=${encodeURIComponent(after)}`;
    return this.#ask(`${pathOf(channel)}/messages?limit=${limit}&${place}`);
  }

  channel(channel: string): Promise<ChannelStatusView> {
    return this.#ask(pathOf(channel));
  }

  channels(): Promise<ChannelsView> {
    return this.#ask('/v1/channels?limit=500');
  }

  queue(): Promise<QueueView> {
    return this.#ask('/v1/queue');
  }

  permissions(): Promise<PermissionsView> {
    return this.#ask('/v1/permissions');
  }

  /** A question with all of its input. */
  permission(id: string): Promise<PermissionView> {
    return this.#ask(`/v1/permissions/${encodeURIComponent(id)}`);
  }

  answer(id: string, decision: PermissionDecision, message?: string): Promise<PermissionView> {
    const body = { decision, ...(message === undefined ? {} : { message }) };
    return this.#ask(`/v1/permissions/${encodeURIComponent(id)}`, { body });
  }

  interrupt(channel: string, turnId?: string): Promise<InterruptedView> {
    const body = turnId === undefined ? {} : { turnId };
    return this.#ask(`${pathOf(channel)}/interrupt`, { body });
  }

  /** Where it answers: `http://127.0.0.1:8420`. */
  async address(): Promise<string> {
    return (await this.#locate()).base;
  }

  /** Version, uptime, health. */
  status(): Promise<GatewayView> {
    return this.#ask('/v1/gateway');
  }

  schedules(): Promise<SchedulesView> {
    return this.#ask('/v1/schedules');
  }

  async #ask<T>(path: string, options: RequestOptions = {}): Promise<T> {
    const address = await this.#locate();
    const answer = await openAnswer(address, path, options);
    let text: string;
    try {
      text = await readText(answer);
    } catch (error) {
      throw unreachable(address.base, error, options.signal);
    }
    try {
      return JSON.parse(text) as T;
    } catch (cause) {
      throw new TurnoutError('parse', `${address.base} did not answer in JSON.`, {
        hint: 'Is it a gateway of Turnout that answers there?',
        cause,
      });
    }
  }
}

function pathOf(channel: string): string {
  return `/v1/channels/${encodeURIComponent(channel)}`;
}
