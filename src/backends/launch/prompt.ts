import { notice, type StepEvent } from '../../core/chat-event.js';

/** The limit is well below that of the system: Linux takes 128 KiB for one argument. */
export const maxArgumentBytes = 96 * 1024;

export function fitsArgument(text: string): boolean {
  return !text.includes('\0') && Buffer.byteLength(text) <= maxArgumentBytes;
}

/** Puts the system prompt in front of the user's text, for a CLI that has no place of its own for it. */
export function putInFront(systemPrompt: string, prompt: string): string {
  return systemPrompt === '' ? prompt : `<instructions>\n${systemPrompt}\n</instructions>\n\n${prompt}`;
}

/** The first message of a terminal UI that has no place for a system prompt, with or without a prompt of the person. */
export function firstMessage(systemPrompt: string, prompt: string | undefined): string | undefined {
  if (systemPrompt === '') return prompt;
  return putInFront(systemPrompt, prompt ?? 'Follow these instructions from now on. Wait for my first task.');
}

/** Doubles a byte order mark at the start: Codex and OpenCode drop one at the start of stdin. */
export function keepByteOrderMark(prompt: string): string {
  return prompt.startsWith('\uFEFF') ? `\uFEFF${prompt}` : prompt;
}

/** A prompt in the form that a CLI gives to its model, with what the user is told if that is not as it was typed. */
export interface SentPrompt {
  readonly prompt: string;
  readonly notices: readonly StepEvent[];
}

/** The least that keeps a prompt a prompt which the CLI would run as a command, where it has no switch for that. */
export function withSpaceInFront(prompt: string, cli: string): SentPrompt {
  const message = `A space was put in front of the prompt: ${cli} would run it as a command.`;
  return { prompt: ` ${prompt}`, notices: [notice('warning', message)] };
}
