import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type SentPrompt, withSpaceInFront } from '../launch/prompt.js';
import { mayBeCommand } from './versions.js';

/**
 * Gemini runs its slash commands in one-shot mode too, on every channel, and there is no switch: `/init` is replaced
 * by a template, `/quit` ends the run. A space in front is the least that keeps such a prompt a prompt.
 */
export function withoutCommand(
  prompt: string,
  directories: readonly string[] | 'unseen',
  version: string | undefined,
): SentPrompt {
  const name = /^\/([\w:-]+)(?:\s|$)/.exec(prompt)?.[1];
  const asTyped = { prompt, notices: [] };
  if (name === undefined) return asTyped;
  const file = join('.gemini', 'commands', `${name.replaceAll(':', '/')}.toml`);
  const isCommand =
    mayBeCommand(name, version) ||
    directories === 'unseen' ||
    directories.some((directory) => existsSync(join(directory, file)));
  return isCommand ? withSpaceInFront(prompt, 'Gemini') : asTyped;
}
