/**
 * Even marks for an axis from 0 up to or just above `max`, at numbers that people count in: 1, 2 or 5 times a power of ten.
 * The last one is the top of the axis.
 */
export function numberTicks(max: number, options: { readonly whole?: boolean } = {}): readonly number[] {
  const top = Number.isFinite(max) && max > 0 ? max : 1;
  const rough = top / mostIntervals;
  const power = 10 ** Math.floor(Math.log10(rough));
  const nice = [1, 2, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10;
  return upTo(top, options.whole === true ? Math.max(1, nice * power) : nice * power);
}

/** The same for milliseconds: at the numbers that clocks count in. */
export function durationTicks(maxMs: number): readonly number[] {
  const top = Number.isFinite(maxMs) && maxMs > 0 ? maxMs : 1_000;
  const step = clockSteps.find((one) => one * mostIntervals >= top);
  return step === undefined ? numberTicks(top / hour).map((hours) => hours * hour) : upTo(top, step);
}

/** The y of a value on an axis that begins at the bottom. */
export function heightAt(value: number, top: number, height: number): number {
  return top <= 0 ? height : height - (Math.min(Math.max(value, 0), top) / top) * height;
}

/**
 * The indexes of the steps to write under the axis, as many as there is room for. Steps of hours are written at hours that
 * people count in, those of several days at midnight.
 */
export function labelledSteps(steps: readonly number[], stepMs: number, room: number): readonly number[] {
  const most = Math.max(1, Math.floor(room));
  const rangeMs = steps.length * stepMs;
  if (stepMs >= 24 * hour) {
    const every = Math.max(1, Math.ceil(steps.length / most));
    return [...steps.keys()].filter((nth) => nth % every === 0);
  }
  const hours = labelHours.find(
    (one) => rangeMs <= one * hour * most && one * hour >= stepMs && (rangeMs <= 48 * hour || one >= 24),
  );
  const days = (hours ?? 24 * most) / 24;
  let midnights = 0;
  return [...steps.keys()].filter((nth) => {
    const at = new Date(steps[nth] ?? 0).getHours();
    return days <= 1 ? at % (days * 24) === 0 : at === 0 && midnights++ % days === 0;
  });
}

/** Where each series begins and ends on top of those before it, step by step. Negative values count as none. */
export function stack(
  series: readonly (readonly (number | undefined)[])[],
): readonly (readonly (readonly [from: number, to: number])[])[] {
  const tops: number[] = [];
  return series.map((values) =>
    values.map((value, step) => {
      const from = tops[step] ?? 0;
      const to = from + (value !== undefined && Number.isFinite(value) ? Math.max(value, 0) : 0);
      tops[step] = to;
      return [from, to] as const;
    }),
  );
}

const mostIntervals = 4;
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const labelHours = [1, 2, 3, 4, 6, 12, 24, 48, 72, 168];
const clockSteps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  hour,
];

function upTo(top: number, step: number): readonly number[] {
  // 0.1 + 0.2 would not end at 0.3: whole numbers are multiplied, and the rest of a division is forgiven.
  const count = Math.max(1, Math.ceil(top / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, nth) => Number((nth * step).toPrecision(12)));
}
