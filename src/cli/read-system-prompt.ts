import { readFileSync } from 'node:fs';
import { TurnoutError } from '../core/errors.js';
import type { RunFlags } from './run-options.js';

/** The system prompt of the flags, which is a text or a file. */
export function readSystemPrompt(
  flags: Pick<RunFlags, 'systemPrompt' | 'systemPromptFile'>,
): string | undefined {
  const { systemPrompt, systemPromptFile: file } = flags;
  if (file === undefined) return systemPrompt;
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const why = (cause as Error).message;
    throw new TurnoutError('bad_request', `The system prompt file ${file} can't be read: ${why}`, { cause });
  }
}
