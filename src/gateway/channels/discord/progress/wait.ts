import { setTimeout as delay } from 'node:timers/promises';

/** True after the time, false as soon as the signal is aborted. */
export async function wait(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    return await delay(ms, true, { signal });
  } catch {
    return false;
  }
}
