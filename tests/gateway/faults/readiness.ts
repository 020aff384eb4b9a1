import { setTimeout as sleep } from 'node:timers/promises';
import type { MortalGateway } from '../kill/mortal-gateway.js';

/** Whether a gateway should call itself ready, as far as the one who harms it knows. */
export type Expected = 'ready' | 'not ready' | 'either';

/** After a change the gateway may take so long to notice it. */
const noticeMs = 15_000;

/** Asks `/readyz` again and again, and counts the answers that are not true. */
export class ReadinessWatch {
  readonly #gateway: MortalGateway;
  readonly #over = new AbortController();
  readonly #done: Promise<void>;
  readonly #harms = new Set<{ readonly expected: Expected }>();
  #since = performance.now();
  readonly wrong: string[] = [];

  constructor(gateway: MortalGateway) {
    this.#gateway = gateway;
    this.#done = this.#watch();
  }

  /** Something is wrong until the function that is returned is called. */
  begin(expected: Expected): () => void {
    const harm = { expected };
    this.#harms.add(harm);
    this.#since = performance.now();
    return () => {
      this.#harms.delete(harm);
      this.#since = performance.now();
    };
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await this.#done;
  }

  get #expected(): Expected {
    const harms = [...this.#harms];
    if (harms.length === 0) return 'ready';
    return harms.every(({ expected }) => expected === 'not ready') ? 'not ready' : 'either';
  }

  async #watch(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await sleep(200);
      const [expected, since] = [this.#expected, this.#since];
      if (expected === 'either' || performance.now() - since < noticeMs) continue;
      const status = await this.#ask();
      if (status === undefined || this.#since !== since) continue;
      if ((status === 200) !== (expected === 'ready')) this.wrong.push(`${status} instead of ${expected}`);
    }
  }

  /** The status; undefined if the gateway is being killed or started at this moment. */
  async #ask(): Promise<number | undefined> {
    try {
      const address = await this.#gateway.address();
      return (await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(10_000) })).status;
    } catch {
      return undefined;
    }
  }
}
