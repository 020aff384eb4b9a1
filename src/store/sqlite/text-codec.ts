/**
 * @photostructure/sqlite 1.2.1 cuts a text at a NUL character, so a text that holds a NUL is stored encoded.
 * All others are stored as they are, except the few that begin like an encoded one: every text comes back
 * unchanged.
 */
export function encodeText(text: string): string {
  if (!text.includes('\0') && !text.startsWith(mark)) return text;
  return mark + text.replaceAll(sign, `${sign}b`).replaceAll('\0', `${sign}a`);
}

export function decodeText(stored: string): string {
  if (!stored.startsWith(mark)) return stored;
  return stored.slice(mark.length).replaceAll(`${sign}a`, '\0').replaceAll(`${sign}b`, sign);
}

const sign = '\u0001';
const mark = '\u0001NUL\u0002';
