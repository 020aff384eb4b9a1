/** One line of the report: a figure of ours beside one of the same run, and what the ratio should be. */
export interface Comparison {
  readonly name: string;
  readonly ours: string;
  readonly other: string;
  readonly ratio: number;
  /** How far off the ratio may be. */
  readonly error?: number;
  readonly goal: string;
  readonly met: boolean;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of the mean of these. */
export function standardError(values: readonly number[]): number {
  const middle = mean(values);
  const variance = mean(values.map((each) => (each - middle) ** 2));
  return Math.sqrt(variance / Math.max(1, values.length - 1));
}

export function milliseconds(value: number): string {
  return `${value.toFixed(1)} ms`;
}

export function printReport(comparisons: readonly Comparison[]): void {
  for (const { name, ours, other, ratio, error, goal, met } of comparisons) {
    const found = error === undefined ? ratio.toFixed(2) : `${ratio.toFixed(3)} ± ${error.toFixed(3)}`;
    console.log(`${met ? 'ok  ' : 'MISS'}  ${name}: ${ours} against ${other} = ${found} (goal ${goal})`);
  }
}
