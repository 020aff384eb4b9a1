import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gemini runs its slash commands in one-shot mode too, on every channel, and there is no switch: `/init` is replaced
 * by a template, `/quit` ends the run. A space in front is the least that keeps such a prompt a prompt.
 */
export function withoutCommand(prompt: string, directories: readonly string[]): string {
  const name = /^\/([\w:-]+)(?:\s|$)/.exec(prompt)?.[1];
  if (name === undefined) return prompt;
  const file = join('.gemini', 'commands', `${name.replaceAll(':', '/')}.toml`);
  const isCommand = builtIn.has(name) || directories.some((directory) => existsSync(join(directory, file)));
  return isCommand ? ` ${prompt}` : prompt;
}

/** The commands of 0.61.0, with their other names. */
const builtIn: ReadonlySet<string> = new Set(
  `about agents auth background bashes bg bug bug-memory chat checkpoint clear commands compact compress copy corgi
  dir directory docs editor exit extensions footer gemma help hooks ide init login logout mcp memory model oncall
  permissions plan policies privacy profile quit resume restore rewind sessions settings setup-github shells shortcuts
  skills stats status statusline summarize tasks terminal-setup theme tools update upgrade usage vim voice`.split(
    /\s+/,
  ),
);
