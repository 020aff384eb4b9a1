import { parseJson, printJson } from '../core/json.js';

/** The limit for one archived event: long strings in it are cut and marked. */
export const maxArchivedBytes = 64 * 1024;

/** Returns JSON of at most 64 KB: long strings are cut, the longest most. */
export function limitedJson(value: unknown): string {
  const json = printJson(value);
  return fits(json) ? json : shortenedJson(value, json);
}

/** The value itself if its JSON is within the limit, else what `limitedJson` keeps of it. */
export function limitedValue<T>(value: T): T {
  const json = printJson(value);
  return fits(json) ? value : (parseJson(shortenedJson(value, json)) as T);
}

function shortenedJson(value: unknown, json: string): string {
  for (let longest = maxArchivedBytes / 4; longest >= 16; longest /= 4) {
    const shorter = printJson(value, (_, inner) => (typeof inner === 'string' ? cut(inner, longest) : inner));
    if (fits(shorter)) return shorter;
  }
  // If the value consists of so many small pieces that cutting strings does not help, only a text with its
  // beginning is kept.
  return JSON.stringify({ ...typeOf(value), cut: cut(json, maxArchivedBytes / 8) });
}

function fits(json: string): boolean {
  // A UTF-16 unit takes at most three bytes, so most values need no counting.
  return json.length * 3 <= maxArchivedBytes || Buffer.byteLength(json) <= maxArchivedBytes;
}

function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}… [${text.length - longest} characters cut]`;
}

function typeOf(value: unknown): { type?: unknown } {
  return typeof value === 'object' && value !== null && 'type' in value ? { type: value.type } : {};
}
