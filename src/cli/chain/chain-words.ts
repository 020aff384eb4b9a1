import type { Usage } from '../../core/chat-event.js';
import { cost } from '../../core/format.js';
import type { Spent } from './chain-progress.js';

/** A step for a person: its agent, with its own name in front if it has one. */
export function stepLabel({
  name,
  agent,
}: {
  readonly name?: string | undefined;
  readonly agent: string;
}): string {
  return name === undefined ? agent : `${name} (${agent})`;
}

export function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens;
}

export function iterationsInWords(count: number): string {
  return `${count} ${count === 1 ? 'iteration' : 'iterations'}`;
}

/** `12.3k tokens`, `$0.4200`: what is known of it. */
export function compactUsage({ tokens, costUsd }: Spent): readonly string[] {
  return [
    ...(tokens === 0 ? [] : [`${compact(tokens)} tokens`]),
    // A CLI that knows no price says 0, or nothing.
    ...(costUsd ? [cost(costUsd)] : []),
  ];
}

/** `950`, `12.3k`, `4.1M` */
export function compact(value: number): string {
  if (value < 1000) return String(value);
  const [amount, unit] = value < 999_950 ? [value / 1000, 'k'] : [value / 1_000_000, 'M'];
  return `${amount.toFixed(1)}${unit}`;
}

/** `4:12`, `1:04:12` */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
