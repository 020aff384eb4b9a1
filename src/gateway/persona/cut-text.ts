import { decodeCut } from '../../config/read-text-file.js';

/** The beginning of a text, at most `maxBytes` of UTF-8, without a part of a character at its end. */
export function cutText(text: string, maxBytes: number): string {
  // No character takes more than 3 bytes for each of its UTF-16 units.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text);
  return bytes.length <= maxBytes ? text : decodeCut(bytes.subarray(0, Math.max(0, maxBytes)));
}

export function cutMark(path: string, shown: number, size: number): string {
  return `[${path} was cut here: ${grouped(shown)} of ${grouped(size)} bytes shown]`;
}

export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
