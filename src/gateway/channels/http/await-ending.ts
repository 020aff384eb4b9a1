import { setTimeout as sleep } from 'node:timers/promises';
import { finalStates, type StoredEvent } from '../../../store/rows.js';
import type { HttpGatewayFace } from './face.js';

const firstPauseMs = 25;
const longestPauseMs = 500;

/** The event as soon as it has ended; as it is when the signal is aborted. Undefined: there is none. */
export async function awaitEnding(
  gateway: HttpGatewayFace,
  eventId: string,
  signal: AbortSignal,
): Promise<StoredEvent | undefined> {
  let event = await gateway.event(eventId);
  if (gateway.settled !== undefined && event !== undefined && !hasEnded(event) && !signal.aborted) {
    await gateway.settled(eventId, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return gateway.event(eventId);
  }
  for (let pause = firstPauseMs; event !== undefined && !hasEnded(event) && !signal.aborted; pause *= 1.5) {
    await sleep(Math.min(pause, longestPauseMs), undefined, { signal }).catch(() => undefined);
    event = await gateway.event(eventId);
  }
  return event;
}

export function hasEnded(event: StoredEvent): boolean {
  return finalStates.some((state) => state === event.state);
}

/** Aborted after so long, or with any of the others. `release` lets go of the timer and of them. */
export function waitLimit(
  ms: number,
  others: readonly AbortSignal[],
): { signal: AbortSignal; release: () => void } {
  // Not AbortSignal.any: on Node 20 each one stays referenced by a signal that lives as long as the process.
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, ms);
  for (const other of others) {
    if (other.aborted) abort();
    other.addEventListener('abort', abort);
  }
  const release = () => {
    clearTimeout(timer);
    for (const other of others) other.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, release };
}
