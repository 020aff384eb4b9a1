// Numbers and times as people read them. The browser's language decides on commas and names of months.

/** `1,234` below ten thousand, then `12.3k`, `4.5M`. */
export function shortNumber(value: number): string {
  if (Math.abs(value) < 10_000)
    return new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 }).format(value);
  return new Intl.NumberFormat(undefined, { notation: 'compact', maximumSignificantDigits: 3 }).format(value);
}

/** `850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${Number((ms / 1_000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const rest = Math.floor((seconds % 3_600) / 60);
  return rest === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}

/** Dollars, with as many digits as a small amount needs. */
export function dollars(value: number): string {
  if (value === 0) return '$0';
  if (value < 0.01) return `$${value.toPrecision(2)}`;
  if (value < 1_000) return `$${value.toFixed(2)}`;
  return `$${shortNumber(value)}`;
}

/** `2 files`, `1 file`. */
export function count(number: number, one: string, several = `${one}s`): string {
  return `${shortNumber(number)} ${number === 1 ? one : several}`;
}

/** `rate_limit` → `rate limit`. */
export function plainCode(code: string): string {
  return code.replaceAll('_', ' ');
}

/** The label under an axis. Steps of a day and more are days. */
export function stepLabel(at: number, stepMs: number, rangeMs: number): string {
  if (stepMs >= day) return format(at, { month: 'short', day: 'numeric' });
  if (rangeMs > 2 * day) return format(at, { weekday: 'short', day: 'numeric' });
  return format(at, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}

/** The whole name of a step: `Nov 12, 14:00–15:00`. */
export function stepName(at: number, stepMs: number): string {
  if (stepMs === day) return format(at, { weekday: 'short', month: 'short', day: 'numeric' });
  if (stepMs > day) {
    const last = at + stepMs - 1;
    return `${format(at, { month: 'short', day: 'numeric' })} – ${format(last, { month: 'short', day: 'numeric' })}`;
  }
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return `${format(at, { month: 'short', day: 'numeric' })}, ${format(at, clock)}–${format(at + stepMs, clock)}`;
}

const day = 86_400_000;

function format(at: number, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(undefined, options).format(at);
}
