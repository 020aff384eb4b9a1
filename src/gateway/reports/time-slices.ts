import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Store } from '../../store/store.js';

export interface TimeSlice {
  readonly since: number;
  readonly until: number;
}

/** Cuts a time into pieces in which about so many turns ended. `breathe` is called behind each. */
export async function* timeSlices(
  store: Pick<Store, 'endOfTurn'>,
  { since, until }: TimeSlice,
  turns: number,
  breathe: () => Promise<void>,
): AsyncGenerator<TimeSlice> {
  for (let from = since; from < until; ) {
    const next = (await store.endOfTurn(from, turns)) ?? until;
    // More turns than that may have ended in one millisecond.
    const to = Math.min(until, Math.max(next, from + 1));
    yield { since: from, until: to };
    from = to;
    await breathe();
  }
}

/** Lets everything else have its turn after some milliseconds of work. */
export function breather(workMs = 4): () => Promise<void> {
  let breathed = performance.now();
  return async () => {
    if (performance.now() - breathed < workMs) return;
    await nextLoop();
    breathed = performance.now();
  };
}
