import type { MessageBody } from '../../src/gateway/channels/http/wire.js';
import { ApiError, api } from '../api.js';
import { Cell } from '../cell.js';
import { session } from '../session.js';

/** A message that was sent from here and is not seen in the conversation yet. */
export interface Outgoing {
  readonly key: string;
  readonly text: string;
  readonly state: 'sending' | 'waiting' | 'refused' | 'accepted';
  /** Why it waits or was refused. */
  readonly reason?: string;
  readonly eventId?: string;
}

/*
 * sending --accepted--> accepted (forgotten when it is seen in the conversation)
 * sending --can't be reached, busy, no session--> waiting --a little later--> sending, with the same key: it is one message
 * sending --no--> refused; waiting, refused --take()--> gone
 */

/** Sends the messages of a channel one after the other, however long that takes. */
export class OutgoingMessages {
  readonly list = new Cell<readonly Outgoing[]>([]);
  readonly #channel: string;
  #last: Promise<void> = Promise.resolve();

  constructor(channel: string) {
    this.#channel = channel;
  }

  /** `before` is done first, such as the denial of a question. */
  send(text: string, queueMode?: MessageBody['queueMode'], before?: () => Promise<unknown>): void {
    const key = randomKey();
    this.list.set([...this.list.value, { key, text, state: 'sending' }]);
    this.#last = this.#last.then(async () => {
      await before?.().catch(() => undefined);
      await this.#deliver(key, { text, ...(queueMode === undefined ? {} : { queueMode }) });
    });
  }

  /** Takes a message out that waits or was refused, and gives back its text. */
  take(key: string): string {
    const text = this.#find(key)?.text ?? '';
    this.list.set(this.list.value.filter((message) => message.key !== key));
    return text;
  }

  /** Forgets those that are seen in the conversation. */
  forget(isSeen: (eventId: string) => boolean): void {
    const left = this.list.value.filter(({ eventId }) => eventId === undefined || !isSeen(eventId));
    if (left.length < this.list.value.length) this.list.set(left);
  }

  async #deliver(key: string, body: MessageBody): Promise<void> {
    for (let wait = 500; this.#find(key) !== undefined; wait = Math.min(8000, wait * 2)) {
      try {
        const { eventId, state, error } = await api.say(this.#channel, body, key);
        if (state === 'refused')
          this.#change(key, { state: 'refused', reason: error?.message ?? 'It was refused.' });
        else this.#change(key, { state: 'accepted', eventId });
        return;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const passing = error instanceof ApiError && (error.passing || error.status === 401);
        this.#change(key, { state: passing ? 'waiting' : 'refused', reason });
        if (!passing) return;
        await Promise.race([pause(wait), signedIn()]);
      }
    }
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

const channels = new Map<string, OutgoingMessages>();

/** They outlive the view: another conversation may be looked at meanwhile. */
export function outgoingOf(channel: string): OutgoingMessages {
  const known = channels.get(channel) ?? new OutgoingMessages(channel);
  channels.set(channel, known);
  return known;
}

/** `crypto.randomUUID` is there only over https and on this machine. */
export function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

async function pause(ms: number): Promise<void> {
  // Without a session every try would be counted as a wrong token.
  do await new Promise((resolve) => setTimeout(resolve, ms));
  while (session.value !== 'open');
}

function signedIn(): Promise<void> {
  return new Promise((resolve) => {
    const unwatch = session.watch(() => {
      if (session.value !== 'open') return;
      unwatch();
      resolve();
    });
  });
}
