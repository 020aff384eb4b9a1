/** A smaller difference is the way of an answer, and the header's whole seconds. */
const toleratedMs = 3000;
let aheadMs = 0;

/** Takes note of the gateway's clock, from an answer's `Date`: that of the browser may be wrong. */
export function learnServerTime(date: string | null, now = Date.now()): void {
  const difference = Date.parse(date ?? '') - now;
  if (!Number.isNaN(difference)) aheadMs = Math.abs(difference) < toleratedMs ? 0 : difference;
}

/** The time by the gateway's clock. */
export function serverNow(): number {
  return Date.now() + aheadMs;
}
