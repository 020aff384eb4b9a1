import type { MessageBody } from '../../src/gateway/channels/http/wire.js';
import { ApiError, api } from '../api.js';
import { Cell } from '../cell.js';
import { session } from '../session.js';
import { type Kept, keptMessages } from './kept-messages.js';

/** A message that was sent from here and is not seen in the conversation yet. */
export interface Outgoing extends Kept {
  readonly state: 'sending' | 'waiting' | 'refused' | 'accepted';
  /** Why it waits. */
  readonly reason?: string;
  readonly eventId?: string;
}

export interface HowToSend {
  readonly queueMode?: MessageBody['queueMode'];
  /** The questions that the message answers with no. */
  readonly denies?: readonly string[];
}

/*
 * sending --accepted--> accepted (forgotten when it is seen in the conversation)
 * sending --can't be reached, busy, no session--> waiting --a little later--> sending, with the same key: it is one message
 * sending --no--> refused; waiting, refused --take()--> gone
 * A page that is loaded anew begins with `sending` what was not accepted, with the same key.
 */

/** Sends the messages of a channel one after the other, however long that takes. */
export class OutgoingMessages {
  readonly list = new Cell<readonly Outgoing[]>([]);
  readonly #channel: string;
  #last: Promise<void> = Promise.resolve();

  constructor(channel: string) {
    this.#channel = channel;
  }

  send(text: string, how: HowToSend = {}): void {
    lastAt = Math.max(Date.now(), lastAt + 1);
    const kept = { key: randomKey(), channel: this.#channel, text, at: lastAt, ...how };
    keptMessages.write(kept);
    this.add(kept);
  }

  /** Sends what was kept, or shows that it was refused. */
  add(message: Kept): void {
    const state = message.refused === undefined ? 'sending' : 'refused';
    this.list.set([...this.list.value, { ...message, state }]);
    if (state === 'sending') this.#last = this.#last.then(() => this.#deliver(message));
  }

  /** Takes a message out that waits or was refused, and gives back its text. */
  take(key: string): string {
    const text = this.#find(key)?.text ?? '';
    this.list.set(this.list.value.filter((message) => message.key !== key));
    keptMessages.remove(key);
    return text;
  }

  /** Forgets those that are seen in the conversation. */
  forget(isSeen: (eventId: string) => boolean): void {
    const left = this.list.value.filter(({ eventId }) => eventId === undefined || !isSeen(eventId));
    if (left.length < this.list.value.length) this.list.set(left);
  }

  async #deliver({ key, text, queueMode, denies = [] }: Kept): Promise<void> {
    const body = { text, ...(queueMode === undefined ? {} : { queueMode }) };
    if (session.value !== 'open') await pause(0);
    for (let wait = 500; this.#find(key) !== undefined; wait = Math.min(8000, wait * 2)) {
      try {
        await deny(denies);
        const { eventId, state, error } = await api.say(this.#channel, body, key);
        if (state === 'refused') return this.#refuse(key, error?.message ?? 'It was refused.');
        keptMessages.remove(key);
        return this.#change(key, { state: 'accepted', eventId });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const passing = error instanceof ApiError && (error.passing || error.status === 401);
        if (!passing) return this.#refuse(key, reason);
        this.#change(key, { state: 'waiting', reason });
        await pause(wait);
      }
    }
  }

  /** It stays to be edited, after a reload too. */
  #refuse(key: string, reason: string): void {
    this.#change(key, { state: 'refused', refused: reason });
    const message = this.#find(key);
    if (message !== undefined) keptMessages.write(message);
  }

  #find(key: string): Outgoing | undefined {
    return this.list.value.find((message) => message.key === key);
  }

  #change(key: string, change: Partial<Outgoing>): void {
    this.list.set(
      this.list.value.map((message) => (message.key === key ? { ...message, ...change } : message)),
    );
  }
}

/** Several messages may be sent within a millisecond. */
let lastAt = 0;

const channels = new Map<string, OutgoingMessages>();

/** They outlive the view: another conversation may be looked at meanwhile. */
export function outgoingOf(channel: string): OutgoingMessages {
  const known = channels.get(channel) ?? new OutgoingMessages(channel);
  channels.set(channel, known);
  return known;
}

/** Goes on with what a page before this one could not send, whichever conversation is looked at. */
export function sendKeptMessages(): void {
  for (const message of keptMessages.read()) outgoingOf(message.channel).add(message);
}

/** `crypto.randomUUID` is there only over https and on this machine. */
export function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

/**
 * Waits so long, and until there is a session: without one every try would be counted as a wrong token. A session that begins
 * ends the wait.
 */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      if (session.value !== 'open') return;
      clearTimeout(timer);
      unwatch();
      resolve();
    };
    const timer = setTimeout(end, ms);
    const unwatch = session.watch(end);
  });
}

/** A message in place of an answer says no, as it does in the CLIs. A question that is answered or over is no matter. */
async function deny(ids: readonly string[]): Promise<void> {
  await Promise.allSettled(
    ids.map((id) =>
      api.decide(
        id,
        'deny',
        'The user has not allowed this, and says what to do instead in the next message.',
      ),
    ),
  );
}
