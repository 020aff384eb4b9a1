/**
 * White space as JavaScript or Python understands it: Discord removes it at both ends of a message, and refuses a message
 * that has nothing else.
 */
export function isWhiteSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 9 && code <= 13) || code >= 0x1c;
  if (code < 0x1680) return code === 0x85 || code === 0xa0;
  return (code >= 0x2000 && code <= 0x200a) || rare.has(code);
}

const rare: ReadonlySet<number> = new Set([0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]);

/** The first place from here on that is no white space, or the text's end. */
export function skipWhiteSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isWhiteSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The end of the text, or of its first part, without white space behind it. */
export function endOfContent(text: string, to = text.length): number {
  let end = to;
  while (end > 0 && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return end;
}
