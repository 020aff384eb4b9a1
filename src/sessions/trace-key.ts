import type { Trace } from '../backends/launch/harmless-trace.js';

const keys = new WeakMap<Trace, number>();
let count = 0;

/** A process is traced as a whole, so it is shared only by sessions with the same trace, or with none. */
export function traceKey(trace: Trace | undefined): number {
  if (trace === undefined) return 0;
  const known = keys.get(trace);
  if (known !== undefined) return known;
  count += 1;
  keys.set(trace, count);
  return count;
}
