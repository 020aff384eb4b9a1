import { setTimeout as sleep } from 'node:timers/promises';

/** Undefined when none of them came in time. */
export async function firstOf<T>(ms: number, ...what: Promise<T>[]): Promise<T | undefined>;
export async function firstOf<T, U>(
  ms: number,
  one: Promise<T>,
  other: Promise<U>,
): Promise<T | U | undefined>;
export async function firstOf(ms: number, ...what: Promise<unknown>[]): Promise<unknown> {
  const stop = new AbortController();
  const over = sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  try {
    return await Promise.race([...what, over]);
  } finally {
    stop.abort();
  }
}
