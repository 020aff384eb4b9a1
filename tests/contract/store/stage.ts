import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import type { StoredMessage } from '../../../src/store/rows.js';
import type {
  Accepted,
  Claim,
  NewEvent,
  Postponement,
  Store,
  TurnOutcome,
} from '../../../src/store/store.js';

export type OpenStore = (directory: string) => Promise<Store>;

/** A fresh store for each test, and the calls that most of them make. */
export class StoreStage {
  readonly #open: OpenStore;
  #directory = '';
  #store: Store | undefined;

  constructor(open: OpenStore) {
    this.#open = open;
    beforeEach(async () => {
      this.#directory = await mkdtemp(join(tmpdir(), 'turnout-store-'));
      this.#store = await open(this.#directory);
    });
    afterEach(async () => {
      await this.#store?.close();
      await rm(this.#directory, { recursive: true, force: true });
    });
  }

  get store(): Store {
    if (this.#store === undefined) throw new Error('The store is only open during a test');
    return this.#store;
  }

  async reopen(): Promise<void> {
    await this.store.close();
    this.#store = await this.#open(this.#directory);
  }

  accept(channel: string, text: string, more: Partial<NewEvent> = {}): Promise<Accepted> {
    return this.store.accept(
      { channel, source: 'http', kind: 'prompt', text, at: 1, ...more },
      { maxWaiting: 1000 },
    );
  }

  claim(limit: number, now = 10, worker = 'w1'): Promise<readonly Claim[]> {
    return this.store.claim({ worker, now, leaseUntil: now + 1000, limit });
  }

  async claimOne(now = 10): Promise<Claim> {
    const [claim] = await this.claim(1, now);
    if (claim === undefined) throw new Error('There is nothing to claim');
    return claim;
  }

  /** Claims the next event and finishes its turn with this answer. */
  async answerNext(text: string, more: Partial<TurnOutcome> = {}): Promise<Claim> {
    const claim = await this.claimOne();
    await this.store.finish(claim.lease, outcome(text, more));
    return claim;
  }

  async waitingTexts(channel: string): Promise<string[]> {
    return (await this.store.waiting(channel, 100)).map(({ text }) => text);
  }
}

export function outcome(text: string, more: Partial<TurnOutcome> = {}): TurnOutcome {
  return {
    at: 20,
    state: 'answered',
    responseText: text,
    messages: [{ role: 'assistant', text, backend: 'claude' }],
    events: [],
    ...more,
  };
}

export function retry(more: Partial<Postponement> = {}): Postponement {
  return { at: 20, notBefore: 500, error: { code: 'overloaded', message: 'busy' }, events: [], ...more };
}

export function texts(messages: readonly StoredMessage[]): string[] {
  return messages.map(({ text }) => text);
}

export function expectLost(promise: Promise<unknown>): Promise<void> {
  return expect(promise).rejects.toMatchObject({ name: 'StoreError', fault: 'lost_lease' });
}

/** Reads everything that is visible of a channel. */
export async function snapshot(store: Store, channel: string): Promise<unknown> {
  const messages = await store.messages(channel, { limit: 1000 });
  const ids = [...new Set(messages.flatMap(({ eventId }) => eventId ?? []))];
  return {
    messages,
    events: await Promise.all(ids.map((id) => store.event(id))),
    turns: await Promise.all(ids.map((id) => store.turns(id))),
    undelivered: await store.undelivered({ now: Number.MAX_SAFE_INTEGER, limit: 1000 }),
    permissions: await store.pendingPermissions(),
    channel: await store.channel(channel),
    session: await store.session(channel, 'claude'),
    counts: await store.counts(),
  };
}
