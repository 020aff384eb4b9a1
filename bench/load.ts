import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Measured {
  /** Messages a second. */
  readonly rate: number;
  /** Of each message, in ms. */
  readonly latencies: readonly number[];
}

export interface Load {
  readonly channels: number;
  readonly events: number;
  /** So many messages a second come in whatever happens; with Infinity each channel has one on its way all the time. */
  readonly rate: number;
}

/** Sends messages, each of which resolves when it is answered, and takes the time of each. */
export async function drive(load: Load, send: (channel: string) => Promise<void>): Promise<Measured> {
  const { channels, events, rate } = load;
  const latencies: number[] = [];
  const message = async (channel: number): Promise<void> => {
    const begun = performance.now();
    await send(`channel-${channel}`);
    latencies.push(performance.now() - begun);
  };
  const start = performance.now();
  if (rate === Number.POSITIVE_INFINITY) {
    const perChannel = Math.ceil(events / channels);
    await Promise.all(
      Array.from({ length: channels }, async (_, channel) => {
        for (let n = 0; n < perChannel; n += 1) await message(channel);
      }),
    );
  } else {
    const sent: Promise<void>[] = [];
    while (sent.length < events) {
      const due = Math.min(events, Math.floor(((performance.now() - start) / 1000) * rate));
      while (sent.length < due) sent.push(message(sent.length % channels));
      await sleep(1);
    }
    await Promise.all(sent);
  }
  return { rate: latencies.length / ((performance.now() - start) / 1000), latencies };
}

export async function withDirectory<T>(measure: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'turnout-bench-'));
  try {
    return await measure(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export function perSecond(rate: number): string {
  return `${Math.round(rate)} events/s`;
}
