/** A range that ends now, and how it is cut into steps. */
export interface TimeRange {
  readonly name: string;
  readonly rangeMs: number;
  readonly stepSeconds: number;
}

const hour = 3_600;
const day = 24 * hour;

export const timeRanges: readonly TimeRange[] = [
  { name: '24 h', rangeMs: day * 1_000, stepSeconds: hour },
  { name: '7 d', rangeMs: 7 * day * 1_000, stepSeconds: 6 * hour },
  { name: '30 d', rangeMs: 30 * day * 1_000, stepSeconds: day },
  { name: '90 d', rangeMs: 90 * day * 1_000, stepSeconds: 3 * day },
];

/** The range with the present step in it as the last one. Steps of a day begin at the browser's midnight. */
export function boundsOf(range: TimeRange, now: Date): { readonly since: string; readonly until: string } {
  const until = new Date(now);
  if (range.stepSeconds >= day) until.setHours(24, 0, 0, 0);
  else {
    const hours = range.stepSeconds / hour;
    until.setHours((Math.floor(until.getHours() / hours) + 1) * hours, 0, 0, 0);
  }
  return { since: new Date(until.getTime() - range.rangeMs).toISOString(), until: until.toISOString() };
}
