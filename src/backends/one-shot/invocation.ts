/** One one-shot run, described by one value: nothing has happened yet. */
export interface Invocation {
  readonly args: readonly string[];
  readonly stdin?: string;
  /** On top of the inherited environment; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly files?: readonly ScratchFile[];
  /** Stdout goes through a file: the CLI exits before a pipe has taken all of a large answer. */
  readonly spool?: true;
}

/** A file that lives as long as the run, readable by its owner only. */
export interface ScratchFile {
  readonly path: string;
  readonly content: string;
}

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
