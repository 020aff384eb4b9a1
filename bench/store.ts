import { join } from 'node:path';
import type { Claim, Store } from '../src/store/store.js';
import { drive, type Measured, perSecond, quantile, withDirectory } from './load.js';
import { openDatabase, openSqliteStore } from './product.js';
import { type Comparison, milliseconds } from './report.js';

const channelCount = 1_000;
const eventCount = 10_000;
const pacedSeconds = 8;
const pacedRate = 1_000;
/** accept, claim, journal (began), journal (session), finish, delivered. */
const stepsPerEvent = 6;

/**
 * Events through the store alone, each in six steps that are on disk one after the other, against the least that SQLite
 * can be asked to do for it: one INSERT and five UPDATEs of one row, in a transaction each and 128 to a transaction.
 */
export async function measureStore(): Promise<readonly Comparison[]> {
  const single = await withDirectory((directory) => bareLoop(directory, { events: 2_000, batch: 1 }));
  const batched = await withDirectory((directory) => bareLoop(directory, { events: eventCount, batch: 128 }));
  const flood = await withDirectory((directory) =>
    throughStore(directory, eventCount, Number.POSITIVE_INFINITY),
  );
  const paced = await withDirectory((directory) =>
    throughStore(directory, pacedRate * pacedSeconds, pacedRate),
  );
  const p50 = quantile(paced.latencies, 0.5);
  const p99 = quantile(paced.latencies, 0.99);
  return [
    {
      name: `store, ${channelCount} channels, synchronous=FULL, as fast as it goes`,
      ours: perSecond(flood.rate),
      other: 'a goal of 1000 events/s',
      ratio: flood.rate / 1000,
      goal: 'above 1',
      met: flood.rate > 1000,
    },
    {
      name: 'store, the same against a bare loop with a transaction for each step',
      ours: perSecond(flood.rate),
      other: perSecond(single.rate),
      ratio: flood.rate / single.rate,
      goal: 'above 1: what group commit is for',
      met: flood.rate > single.rate,
    },
    {
      name: 'store, the same against a bare loop with 128 steps to a transaction',
      ours: perSecond(flood.rate),
      other: perSecond(batched.rate),
      ratio: flood.rate / batched.rate,
      goal: 'above 0.1',
      met: flood.rate > batched.rate * 0.1,
    },
    {
      name: `store, message to delivered answer at ${pacedRate} events/s, p99 (p50 ${milliseconds(p50)})`,
      ours: milliseconds(p99),
      other: 'a limit of 50 ms',
      ratio: p99 / 50,
      goal: 'below 1',
      met: p99 < 50,
    },
    {
      name: 'store, the same p99 against six bare transactions with nothing else to do',
      ours: milliseconds(p99),
      other: milliseconds(quantile(single.latencies, 0.99)),
      ratio: p99 / quantile(single.latencies, 0.99),
      goal: 'below 10',
      met: p99 < 10 * quantile(single.latencies, 0.99),
    },
  ];
}

async function bareLoop(directory: string, of: { events: number; batch: number }): Promise<Measured> {
  const db = await openDatabase(join(directory, 'bare.db'));
  db.exec('CREATE TABLE bare (id INTEGER PRIMARY KEY, channel TEXT, text TEXT, step INTEGER)');
  const start = performance.now();
  let inBatch = 0;
  const step = (write: () => void) => {
    if (inBatch === 0) db.run('BEGIN IMMEDIATE');
    write();
    inBatch = (inBatch + 1) % of.batch;
    if (inBatch === 0) db.run('COMMIT');
  };
  const latencies: number[] = [];
  for (let event = 1; event <= of.events; event++) {
    const begun = performance.now();
    const channel = `channel-${event % channelCount}`;
    step(() =>
      db.run('INSERT INTO bare (channel, text, step) VALUES (?, ?, 0)', channel, `message ${event}`),
    );
    for (let i = 1; i < stepsPerEvent; i++) {
      step(() => db.run('UPDATE bare SET step = ? WHERE id = ?', i, event));
    }
    latencies.push(performance.now() - begun);
  }
  if (inBatch > 0) db.run('COMMIT');
  const rate = of.events / ((performance.now() - start) / 1000);
  db.close();
  return { rate, latencies };
}

async function throughStore(directory: string, events: number, rate: number): Promise<Measured> {
  const store = await openSqliteStore(join(directory, 'turnout.db'));
  const course = new Course(store);
  const send = (channel: string): Promise<void> => course.message(channel);
  // Once round all channels: what is measured is a gateway that has been at work, not the compiler.
  await drive({ channels: channelCount, events: channelCount, rate: Number.POSITIVE_INFINITY }, send);
  const measured = await drive({ channels: channelCount, events, rate }, send);
  await course.rest();
  await store.close();
  return measured;
}

/** The least gateway: claims whatever waits, answers at once, delivers what is in the outbox. */
class Course {
  readonly #store: Store;
  readonly #waiting = new Map<string, () => void>();
  readonly #claims = new Loop(() => this.#claim());
  readonly #deliveries = new Loop(() => this.#deliver());

  constructor(store: Store) {
    this.#store = store;
  }

  async message(channel: string): Promise<void> {
    const { event } = await this.#store.accept(
      { channel, source: 'bench', kind: 'prompt', text: 'hello', at: Date.now() },
      { maxWaiting: 100_000 },
    );
    const answered = new Promise<void>((resolve) => this.#waiting.set(event.id, resolve));
    this.#claims.wake();
    await answered;
  }

  async rest(): Promise<void> {
    await this.#claims.rest();
    await this.#deliveries.rest();
  }

  async #claim(): Promise<boolean> {
    const now = Date.now();
    const claims = await this.#store.claim({ worker: 'bench', now, leaseUntil: now + 30_000, limit: 64 });
    for (const claim of claims) void this.#turn(claim);
    return claims.length > 0;
  }

  async #turn({ lease }: Claim): Promise<void> {
    const prompt = { files: [], characters: 0, hash: '', seededMessages: 0 };
    await this.#store.journal(lease, { type: 'began', backend: 'demo', cwd: '/', live: true, prompt });
    await this.#store.journal(lease, { type: 'session', sessionId: 'a-session' });
    await this.#store.finish(lease, {
      at: Date.now(),
      state: 'answered',
      responseText: 'hello yourself',
      messages: [{ role: 'assistant', text: 'hello yourself', backend: 'demo' }],
      session: { backend: 'demo', sessionId: 'a-session', cwd: '/' },
      usage: { inputTokens: 10, outputTokens: 5 },
      events: [
        { type: 'session', sessionId: 'a-session', backend: 'demo' },
        { type: 'text', text: 'hello yourself' },
        { type: 'complete', text: 'hello yourself', sessionId: 'a-session', stopReason: 'end_turn' },
      ],
    });
    this.#claims.wake();
    this.#deliveries.wake();
  }

  async #deliver(): Promise<boolean> {
    const deliveries = await this.#store.undelivered({ now: Date.now(), limit: 256 });
    if (deliveries.length === 0) return false;
    await this.#store.delivered(
      deliveries.map(({ id }) => id),
      Date.now(),
    );
    for (const { message } of deliveries) this.#waiting.get(message.eventId ?? '')?.();
    return true;
  }
}

/** Runs `step` while it finds something to do, and again when it was woken meanwhile. */
class Loop {
  readonly #step: () => Promise<boolean>;
  #running: Promise<void> | undefined;
  #woken = false;

  constructor(step: () => Promise<boolean>) {
    this.#step = step;
  }

  wake(): void {
    this.#woken = true;
    this.#running ??= this.#run();
  }

  async rest(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#woken) {
      this.#woken = false;
      while (await this.#step());
    }
    this.#running = undefined;
  }
}
