/** The kernel takes 128 KiB for one argument (Windows 32 KiB for all of them): stay well below. */
export const maxArgumentBytes = process.platform === 'win32' ? 8 * 1024 : 96 * 1024;

export function fitsArgument(text: string): boolean {
  return !text.includes('\0') && Buffer.byteLength(text) <= maxArgumentBytes;
}

/** The way out where a CLI has no native place for a system prompt: in front of what the user typed. */
export function putInFront(systemPrompt: string, prompt: string): string {
  return systemPrompt === '' ? prompt : `<instructions>\n${systemPrompt}\n</instructions>\n\n${prompt}`;
}

/** Codex and OpenCode drop one byte order mark at the start of stdin: a second one makes up for it. */
export function keepByteOrderMark(prompt: string): string {
  return prompt.startsWith('\uFEFF') ? `\uFEFF${prompt}` : prompt;
}
