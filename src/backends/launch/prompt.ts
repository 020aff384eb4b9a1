/** The limit is well below that of the system: Linux takes 128 KiB for one argument. */
export const maxArgumentBytes = 96 * 1024;

export function fitsArgument(text: string): boolean {
  return !text.includes('\0') && Buffer.byteLength(text) <= maxArgumentBytes;
}

/** Puts the system prompt in front of the user's text, for a CLI that has no place of its own for it. */
export function putInFront(systemPrompt: string, prompt: string): string {
  return systemPrompt === '' ? prompt : `<instructions>\n${systemPrompt}\n</instructions>\n\n${prompt}`;
}

/** Doubles a byte order mark at the start: Codex and OpenCode drop one at the start of stdin. */
export function keepByteOrderMark(prompt: string): string {
  return prompt.startsWith('\uFEFF') ? `\uFEFF${prompt}` : prompt;
}
