import type { Log } from '../../../../config/log.js';
import { maxRetries } from '../../../../core/max-retries.js';
import type { StoredEvent } from '../../../../store/rows.js';
import type { FeedEntry, GatewayFace } from '../../types.js';
import type { DiscordApi } from '../discord-api.js';
import { replyTo } from '../interactions/posting.js';
import type { DiscordEvent } from '../types.js';
import { leaveProgress, type MessageParts, removeProgress, showProgress } from './progress-message.js';
import { isProgress, TurnView } from './render-progress.js';
import { wait } from './wait.js';

const prefix = 'discord:';

export interface ProgressParts extends Omit<MessageParts, 'api' | 'editMs' | 'store'> {
  readonly api: DiscordApi;
  readonly store: MessageParts['store'] & Parameters<typeof replyTo>[0]['store'];
  readonly log: Log;
  readonly times?: Partial<ProgressTimes> | undefined;
}

export interface ProgressTimes {
  /** Discord shows for 10 seconds that somebody types. */
  readonly typingMs: number;
  /** A turn that is shorter has no progress message. */
  readonly showAfterMs: number;
  readonly editMs: number;
  /** So long the message stays after the turn's end if no answer is delivered. */
  readonly settleMs: number;
  readonly stopMs: number;
}

const ordinaryTimes: ProgressTimes = {
  typingMs: 8000,
  showAfterMs: 4000,
  editMs: 1500,
  settleMs: 3000,
  stopMs: 2000,
};

/**
 * Shows in Discord that a turn runs: the bot types, and a message tells what it does. The message goes when the answer comes. None
 * of it holds up an answer, and no failure of it matters.
 */
export class Progress {
  readonly #parts: ProgressParts;
  readonly #times: ProgressTimes;
  readonly #stop = new AbortController();
  readonly #channels = new Map<string, Promise<void>>();
  /** Channels in which something has changed while they were followed: the end of it may have missed a new turn. */
  readonly #changed = new Set<string>();
  /** Wait for the answer of a turn that has ended. */
  readonly #waiting = new Map<string, () => void>();
  readonly #lastDelivered = new Map<string, number>();
  /** The nonces of the messages that are shown. */
  readonly #shown = new Set<string>();
  #botId: string | undefined;
  /** Resolves when the messages that a former gateway has left are gone. */
  #tidied: Promise<void> | undefined;

  constructor(parts: ProgressParts) {
    this.#parts = parts;
    this.#times = { ...ordinaryTimes, ...parts.times };
  }

  /** Follows the turns of all channels of Discord, whoever has begun them. */
  start(gateway: GatewayFace): void {
    const { signal } = this.#stop;
    void this.#quietly(async () => {
      for await (const entry of gateway.follow(prefix, { others: true, signal })) {
        if (entry.type !== 'others') continue;
        for (const channel of entry.channels) if (channel.startsWith(prefix)) this.#follow(gateway, channel);
      }
    });
  }

  /** Called when the bot is connected. */
  connected({ bot }: { readonly bot: { readonly id: string } }): void {
    this.#botId = bot.id;
    this.#tidied ??= this.#quietly(() => removeProgress(this.#messageParts, bot.id));
  }

  /** A request that was given up may have been on its way: what comes of it later is removed at once. */
  handle({ t, d }: DiscordEvent): void {
    if (t !== 'MESSAGE_CREATE' || d.author?.id !== this.#botId || !isProgress(d)) return;
    if (d.nonce === undefined || this.#shown.has(String(d.nonce))) return;
    void this.#quietly(() => this.#parts.api.remove(d.channel_id, d.id));
  }

  /** Called when an answer has been delivered. */
  delivered(channel: string): void {
    if (this.#channels.has(channel)) this.#lastDelivered.set(channel, performance.now());
    this.#waiting.get(channel)?.();
  }

  /** Resolves when nothing is shown any more, or after a short time: the next gateway removes what is left. */
  async stop(): Promise<void> {
    const timeUp = new AbortController();
    this.#stop.abort();
    await Promise.race([Promise.all(this.#channels.values()), wait(this.#times.stopMs, timeUp.signal)]);
    timeUp.abort();
  }

  get #messageParts(): MessageParts {
    return { ...this.#parts, editMs: this.#times.editMs };
  }

  #follow(gateway: GatewayFace, channel: string): void {
    if (this.#stop.signal.aborted) return;
    if (this.#channels.has(channel)) {
      this.#changed.add(channel);
      return;
    }
    const following = this.#quietly(() => this.#showTurns(gateway, channel)).finally(() => {
      this.#channels.delete(channel);
      this.#lastDelivered.delete(channel);
      if (this.#changed.delete(channel)) this.#follow(gateway, channel);
    });
    this.#channels.set(channel, following);
  }

  /** Until nothing runs in the channel, and nothing waits. */
  async #showTurns(gateway: GatewayFace, channel: string): Promise<void> {
    const end = new AbortController();
    const signal = AbortSignal.any([end.signal, this.#stop.signal]);
    let turn: ShownTurn | undefined;
    let before = Promise.resolve();
    try {
      for await (const entry of gateway.follow(channel, { signal })) {
        if (entry.type === 'status') {
          const { running, permissions, waitingCount, waiting } = entry.status;
          const retried = waiting[0]?.id === turn?.view.eventId ? waiting[0] : undefined;
          if (turn !== undefined && running?.turn.id !== turn.view.turnId) {
            if (running !== undefined && running.turn.eventIds[0] === turn.view.eventId)
              turn.view.beginsAgain(running.turn.id);
            else if (running === undefined && retried?.error !== undefined)
              turn.view.triesAgain(retryOf(retried, retried.error.message));
            else {
              before = turn.end();
              turn = undefined;
            }
          }
          if (running !== undefined) {
            const { id, startedAt, eventIds } = running.turn;
            turn ??= this.#show(gateway, channel, new TurnView(id, startedAt, eventIds[0]), before);
          }
          if (turn !== undefined) turn.view.waitsForPerson = permissions.length > 0;
          if (running === undefined && waitingCount === 0) return;
        } else if (entry.type === 'chat' && entry.turnId === turn?.view.turnId) tell(turn.view, entry);
      }
    } finally {
      end.abort();
      await before;
      await turn?.end();
    }
  }

  /** A channel has one progress message: it waits for the end of the one `before`. */
  #show(gateway: GatewayFace, channel: string, view: TurnView, before: Promise<void>): ShownTurn {
    const channelId = channel.slice(prefix.length);
    const ended = new AbortController();
    const { signal } = ended;
    const typing = this.#quietly(() => this.#type(channelId, view, signal));
    const shown = this.#quietly(async () => {
      if (!(await wait(this.#times.showAfterMs, signal)) || this.#tidied === undefined) return;
      await this.#tidied;
      await before;
      if (signal.aborted) return;
      const nonces: string[] = [];
      const sends = (nonce: string) => {
        nonces.push(nonce);
        this.#shown.add(nonce);
      };
      try {
        const event = await gateway.event(view.eventId);
        const reply = event === undefined ? {} : await replyTo(this.#parts, event);
        await showProgress({ ...this.#messageParts, channelId, reply, sends }, view, signal);
      } finally {
        await this.#untilAnswered(channel);
        for (const nonce of nonces) this.#shown.delete(nonce);
        const left = await this.#leaveStopped(gateway, channelId, view);
        if (!left && this.#botId !== undefined)
          await removeProgress(this.#messageParts, this.#botId, channelId);
      }
    });
    return {
      view,
      end: async () => {
        ended.abort();
        await Promise.all([typing, shown]);
      },
    };
  }

  /** What a turn has said before it was stopped is nowhere else in the channel. */
  async #leaveStopped(gateway: GatewayFace, channelId: string, view: TurnView): Promise<boolean> {
    if (!view.hasText || this.#stop.signal.aborted) return false;
    if ((await gateway.event(view.eventId))?.state !== 'cancelled') return false;
    return leaveProgress(this.#messageParts, channelId, view.renderStopped(this.#parts.now()));
  }

  /** The answer may have been faster than the news of the turn's end. */
  async #untilAnswered(channel: string): Promise<void> {
    const { settleMs } = this.#times;
    if (performance.now() - (this.#lastDelivered.get(channel) ?? Number.NEGATIVE_INFINITY) < settleMs) return;
    const over = new AbortController();
    this.#waiting.set(channel, () => over.abort());
    await wait(settleMs, AbortSignal.any([over.signal, this.#stop.signal]));
    this.#waiting.delete(channel);
  }

  async #type(channelId: string, view: TurnView, signal: AbortSignal): Promise<void> {
    do {
      if (!view.waitsForPerson) await this.#parts.api.typing(channelId, signal).catch(() => undefined);
    } while (await wait(this.#times.typingMs, signal));
  }

  async #quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#parts.log.debug('progress in Discord failed', { error });
    }
  }
}

interface ShownTurn {
  readonly view: TurnView;
  /** Resolves when nothing of it is shown any more. */
  end(): Promise<void>;
}

function tell(view: TurnView, { event }: FeedEntry & { readonly type: 'chat' }): void {
  if (event.type === 'text') view.said(event.text);
  else if (event.type === 'thinking_start' || event.type === 'thinking') view.thinks();
  else if (event.type === 'tool_start') view.toolBegan(event.id, event.name, event.input);
  else if (event.type === 'tool_end') view.toolEnded(event.id);
  else if (event.type === 'notice' && event.retry !== undefined) {
    const { attempt, of, reason } = event.retry;
    view.triesAgain({ number: attempt, of, reason });
  }
}

/** An attempt that was no fault of the turn's is not counted. */
function retryOf({ attempts }: StoredEvent, reason: string) {
  return attempts === 0 ? { reason } : { number: attempts, of: maxRetries, reason };
}
