import type { Trace } from '../backends/launch/harmless-trace.js';

const keys = new WeakMap<Trace, number>();
let count = 0;

/** A process is traced as a whole: it is shared only by sessions that are traced into the same place, or not at all. */
export function traceKey(trace: Trace | undefined): number {
  if (trace === undefined) return 0;
  const known = keys.get(trace);
  if (known !== undefined) return known;
  count += 1;
  keys.set(trace, count);
  return count;
}
