import { setTimeout as sleep } from 'node:timers/promises';
import { TurnoutError } from '../../core/errors.js';
import type { EventView } from '../../gateway/channels/http/wire.js';
import { AnswerText } from './answer-text.js';
import type { ChannelEntry } from './follow-channel.js';
import type { GatewayClient } from './gateway-client.js';
import { GatewayRefusal } from './gateway-request.js';
import { tellConnection } from './tell-connection.js';
import { questionLine, toolLine } from './words.js';

export interface AnswerView {
  write(text: string): Promise<void>;
  /** Something about the turn that is no part of its answer. */
  aside(line: string): void;
  /** Something that somebody has to know. */
  say(line: string): void;
  /** The flags that find this gateway, for commands that are named. */
  readonly flags: string;
}

/** So long the gateway may be gone while somebody waits for an answer: the message is on its disk. */
const patienceMs = 10 * 60_000;
/** The end of the answer may come a little later than the news that it is there. */
const tailMs = 3000;

/**
 * Waits until a message is done with, and shows its answer while it is written. Its `entries` have to be followed since before
 * the message was sent. The gateway may be restarted meanwhile.
 */
export async function waitForAnswer(
  client: Pick<GatewayClient, 'event'>,
  eventId: string,
  entries: AsyncIterator<ChannelEntry>,
  view: AnswerView,
  signal: AbortSignal,
): Promise<EventView> {
  const shown = new ShownAnswer(eventId, view);
  const done = new AbortController();
  const reading = readUntilEnded(entries, shown, done.signal);
  try {
    const event = await untilEnded(client, eventId, signal, reading);
    const hasTurn = event.attempts > 0 || shown.began;
    if (hasTurn && !shown.isOver)
      await Promise.race([reading, sleep(tailMs, undefined, { ref: false, signal })]).catch(() => undefined);
    await view.write(shown.ended(event.state === 'answered' ? event.responseText : undefined));
    return event;
  } finally {
    done.abort();
  }
}

/** Rejects only if the stream does: then nobody would see the answer. */
async function readUntilEnded(
  entries: AsyncIterator<ChannelEntry>,
  shown: ShownAnswer,
  done: AbortSignal,
): Promise<void> {
  while (!done.aborted && !shown.isOver) {
    const found = await entries.next();
    if (found.done === true) return;
    if (!done.aborted) await shown.see(found.value);
  }
}

async function untilEnded(
  client: Pick<GatewayClient, 'event'>,
  eventId: string,
  signal: AbortSignal,
  reading: Promise<void>,
): Promise<EventView> {
  // It is looked at elsewhere; here a rejection must not go unhandled.
  reading.catch(() => undefined);
  let goneSince: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    try {
      const event = await client.event(eventId, { waitSeconds: 30, signal });
      if (!['queued', 'running'].includes(event.state)) return event;
      goneSince = undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof TurnoutError)) throw error;
      const passes = error instanceof GatewayRefusal ? error.mayPass : error.code === 'network';
      goneSince ??= performance.now();
      if (!passes || performance.now() - goneSince > patienceMs) throw error;
      await sleep(500, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Picks what belongs to one message out of what happens in its channel. */
class ShownAnswer {
  /** True when a turn for the message was seen. */
  began = false;
  /** True when the end of its last turn was seen. */
  isOver = false;
  readonly #eventId: string;
  readonly #view: AnswerView;
  readonly #text = new AnswerText();
  readonly #turns = new Set<string>();
  readonly #asked = new Set<string>();

  constructor(eventId: string, view: AnswerView) {
    this.#eventId = eventId;
    this.#view = view;
  }

  ended(answer: string | undefined): string {
    return this.#text.ended(answer);
  }

  async see(entry: ChannelEntry): Promise<void> {
    switch (entry.type) {
      case 'turn': {
        const { turnId, eventIds, state, error } = entry.turn;
        if (!eventIds.includes(this.#eventId)) return;
        if (state === 'running') return this.#begin(turnId);
        if (state !== 'postponed') this.isOver = true;
        else this.#view.say(`${error?.message ?? 'It was broken off.'}\nIt is tried again …`);
        return;
      }
      case 'chat': {
        const { event } = entry;
        if (!this.#turns.has(event.turnId)) {
          // A message that steers a turn belongs to it from here on.
          if (event.type === 'notice' && event.eventId === this.#eventId) this.#begin(event.turnId);
          return;
        }
        if (event.type === 'text') return this.#view.write(this.#text.text(event.text));
        if (event.type === 'notice' && event.level === 'warning') this.#view.say(event.message);
        if (event.type !== 'tool_start') return;
        await this.#view.write(this.#text.tool());
        return this.#view.aside(toolLine(event.name, event.input));
      }
      case 'state':
        for (const question of entry.status.permissions) {
          if (question.eventId !== this.#eventId || this.#asked.has(question.id)) continue;
          this.#asked.add(question.id);
          this.#view.say(`it waits for a permission. ${questionLine(question, this.#view.flags)}`);
        }
        return;
      case 'lost':
      case 'connected':
        return tellConnection(entry, this.#view);
      default:
        return;
    }
  }

  #begin(turnId: string): void {
    if (this.#turns.has(turnId)) return;
    this.#turns.add(turnId);
    this.began = true;
    this.#text.began();
  }
}
