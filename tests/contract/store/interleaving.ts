import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FinalState, finalStates } from '../../../src/store/rows.js';
import type { Lease, Store } from '../../../src/store/store.js';
import { type OpenStore, outcome, retry, snapshot } from './stage.js';

/** Tests that in any order of operations nothing is lost, answered twice, reordered, or run twice at once. */
export function describeInterleaving(open: OpenStore): void {
  describe('any order of things', () => {
    it('keeps the order of each channel and ends every event once', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
          const directory = await mkdtemp(join(tmpdir(), 'turnout-store-'));
          const course = new Course(await open(directory), () => open(directory));
          try {
            for (const one of steps) {
              await course.take(one);
              await course.check();
            }
            await course.finishAll();
            await course.checkEnd();
          } finally {
            await course.store.close();
            await rm(directory, { recursive: true, force: true });
          }
        }),
        { numRuns: 25 },
      );
    });
  });
}

const channel = fc.constantFrom('a', 'b', 'c');
const pick = fc.nat({ max: 20 });
const clock = fc.integer({ min: 0, max: 2000 });
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('accept' as const), channel, at: clock }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('repeat' as const), pick }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('claim' as const), now: clock, limit: fc.nat({ max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('join' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('leave' as const), pick }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('finish' as const), pick, at: clock }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('postpone' as const), pick, notBefore: clock }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel' as const), channel, at: clock }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('crash' as const), now: clock }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('stale' as const), pick }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

class Course {
  store: Store;
  readonly #reopen: () => Promise<Store>;
  readonly #accepted: { readonly id: string; readonly channel: string; readonly seq: number }[] = [];
  readonly #held: Lease[] = [];
  readonly #lost: Lease[] = [];
  /** The events of each finished turn, in the order of the ends. */
  readonly #answered: { readonly channel: string; readonly seqs: readonly number[] }[] = [];
  #worker = 0;

  constructor(store: Store, reopen: () => Promise<Store>) {
    this.store = store;
    this.#reopen = reopen;
  }

  async take(step: Step): Promise<void> {
    switch (step.type) {
      case 'accept': {
        const { event } = await this.#accept(step.channel, `m${this.#accepted.length}`, step.at);
        this.#accepted.push(event);
        return;
      }
      case 'repeat': {
        const index = step.pick % Math.max(1, this.#accepted.length);
        const known = this.#accepted[index];
        if (known === undefined) return;
        const { event, repeated } = await this.#accept(known.channel, `m${index}`, 0);
        expect([event.id, repeated]).toEqual([known.id, true]);
        return;
      }
      case 'claim': {
        const { now, limit } = step;
        const claims = await this.store.claim({
          worker: `w${this.#worker}`,
          now,
          leaseUntil: now + 10,
          limit,
        });
        this.#held.push(...claims.map(({ lease }) => lease));
        return;
      }
      case 'join': {
        const lease = this.#choose(this.#held, step.pick);
        if (lease !== undefined) await this.store.join(lease, { limit: 2 });
        return;
      }
      case 'leave': {
        const lease = this.#choose(this.#held, step.pick);
        const [turn] = lease === undefined ? [] : await this.store.running(lease.channel);
        const last = turn?.eventIds.slice(1).at(-1);
        if (lease !== undefined && last !== undefined) await this.store.leave(lease, last);
        return;
      }
      case 'finish':
        return this.#finish(this.#choose(this.#held, step.pick), step.at);
      case 'postpone': {
        const lease = this.#choose(this.#held, step.pick);
        if (lease === undefined) return;
        await this.store.postpone(lease, retry({ notBefore: step.notBefore }));
        this.#drop(lease);
        return;
      }
      case 'cancel': {
        const error = { code: 'interrupted' as const, message: 'stopped' };
        await this.store.cancelWaiting({ channel: step.channel, at: step.at, error });
        return;
      }
      case 'crash':
        return this.#crash(step.now);
      case 'stale':
        return this.#writeAsOneWhoLost(this.#choose(this.#lost, step.pick));
    }
  }

  async check(): Promise<void> {
    const running = await this.store.running();
    const channels = running.map((turn) => turn.channel);
    expect(new Set(channels).size).toBe(channels.length);
    expect(running.map(({ id }) => id).sort()).toEqual(this.#held.map(({ turnId }) => turnId).sort());
    for (const turn of running) {
      const [head] = await this.store.waiting(turn.channel, 1);
      const first = this.#accepted.find(({ id }) => id === turn.eventIds[0]);
      if (head !== undefined) expect(first?.seq).toBeLessThan(head.seq);
    }
    const { events } = await this.store.counts();
    expect(Object.values(events).reduce((sum, count) => sum + count, 0)).toBe(this.#accepted.length);
    expect(events.running).toBe(running.flatMap(({ eventIds }) => eventIds).length);
  }

  async finishAll(): Promise<void> {
    for (let round = 0; round < 1000; round++) {
      for (const lease of [...this.#held]) await this.#finish(lease, 1);
      await this.take({ type: 'claim', now: 1_000_000, limit: 10 });
      if (this.#held.length === 0) return;
    }
    throw new Error('It never ends');
  }

  async checkEnd(): Promise<void> {
    for (const { id } of this.#accepted) {
      const event = await this.store.event(id);
      expect(finalStates).toContain(event?.state);
      const turns = await this.store.turns(id);
      const answers = turns.filter(({ state }) => state === 'answered');
      expect(answers).toHaveLength(event?.state === 'answered' ? 1 : 0);
    }
    for (const name of ['a', 'b', 'c']) {
      const firsts = this.#answered.flatMap(({ channel, seqs }) => (channel === name ? (seqs[0] ?? []) : []));
      const said = await this.store.messages(name, { limit: 1000 });
      const answers = said.filter(({ role }) => role === 'assistant').map(({ eventId }) => eventId);
      const order = firsts.map((seq) => this.#accepted.find((event) => event.seq === seq)?.id);
      expect(answers).toEqual(order);
      // Only an event that its turn left (`leave`) may be answered behind a later one.
      const inOrder = this.#answered.flatMap(({ channel, seqs }) => (channel === name ? seqs : []));
      expect(new Set(inOrder).size).toBe(inOrder.length);
      expect(firsts).toEqual(firsts.toSorted((one, other) => one - other));
    }
  }

  #accept(channel: string, messageId: string, at: number) {
    return this.store.accept(
      { channel, source: 'test', kind: 'prompt', messageId, text: messageId, at },
      { maxWaiting: 1000 },
    );
  }

  async #finish(lease: Lease | undefined, at: number): Promise<void> {
    if (lease === undefined) return;
    const [turn] = await this.store.running(lease.channel);
    const events = await Promise.all((turn?.eventIds ?? []).map((id) => this.store.event(id)));
    await this.store.finish(
      lease,
      outcome(`by ${lease.turnId}`, { at, state: 'answered' satisfies FinalState }),
    );
    this.#answered.push({ channel: lease.channel, seqs: events.map((event) => event?.seq ?? 0) });
    this.#drop(lease);
  }

  /** The process dies, and the next one takes over all of its turns. */
  async #crash(now: number): Promise<void> {
    await this.store.close();
    this.store = await this.#reopen();
    const worker = `w${++this.#worker}`;
    const taken = await this.store.takeOver({ worker, now, leaseUntil: now + 10, all: true });
    expect(taken.map(({ turn }) => turn.id).sort()).toEqual(this.#held.map(({ turnId }) => turnId).sort());
    this.#lost.push(...this.#held.splice(0));
    this.#held.push(...taken.map(({ lease }) => lease));
  }

  async #writeAsOneWhoLost(lease: Lease | undefined): Promise<void> {
    if (lease === undefined) return;
    const before = await snapshot(this.store, lease.channel);
    const attempts = await Promise.allSettled([
      this.store.finish(lease, outcome('stale')),
      this.store.postpone(lease, retry()),
      this.store.join(lease, { limit: 1 }),
      this.store.journal(lease, { type: 'session', sessionId: 'stale' }),
    ]);
    expect(attempts.map(({ status }) => status)).toEqual(attempts.map(() => 'rejected'));
    expect(await snapshot(this.store, lease.channel)).toEqual(before);
  }

  #choose(leases: readonly Lease[], index: number): Lease | undefined {
    return leases[index % Math.max(1, leases.length)];
  }

  #drop(lease: Lease): void {
    this.#held.splice(this.#held.indexOf(lease), 1);
    this.#lost.push(lease);
  }
}
