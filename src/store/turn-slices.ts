import type { TurnEndPlace } from './turn-records.js';

/** The turns that ended behind one place, up to another. */
export interface TurnSlice {
  readonly behind: TurnEndPlace;
  readonly upTo: TurnEndPlace;
}

/** Cuts the turns that ended in [since, until) into slices of at most `size`. `placeBehind` finds where one ends. */
export async function* turnSlices(
  placeBehind: (from: TurnEndPlace, count: number) => Promise<TurnEndPlace | undefined>,
  { since, until }: { readonly since: number; readonly until: number },
  size: number,
): AsyncGenerator<TurnSlice> {
  const end = { endedAt: until, seq: 0 };
  for (let behind: TurnEndPlace = { endedAt: since, seq: 0 }; ; ) {
    const next = await placeBehind(behind, size);
    if (next === undefined || next.endedAt >= until) {
      yield { behind, upTo: end };
      return;
    }
    yield { behind, upTo: next };
    behind = next;
  }
}
