import type { Usage } from './chat-event.js';

export const dayMs = 86_400_000;

/** Days are those of UTC: they are the same wherever the gateway runs, and all of them have 24 hours. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

export function startOfDay(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`);
}

export function timeOfDay(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** `2026-01-31 14:03:22` */
export function dateAndTime(at: number): string {
  return `${dayOf(at)} ${timeOfDay(at)}`;
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function cost(usd: number): string {
  return `$${usd.toFixed(4)}`;
}

/** `1,200 tokens in (1,000 from the cache), 40 out, $0.0123` */
export function usageInWords(usage: Usage): string {
  const { inputTokens, outputTokens, cachedInputTokens, costUsd } = usage;
  const cached = cachedInputTokens ? ` (${count(cachedInputTokens)} from the cache)` : '';
  const price = costUsd ? `, ${cost(costUsd)}` : '';
  return `${count(inputTokens)} tokens in${cached}, ${count(outputTokens)} out${price}`;
}
