import type { VendorName } from '../../backends/registry.js';

/** What a person types to sign in, in few words. The backends' own advice has the other ways as well. */
const commands: Readonly<Record<VendorName, string>> = {
  claude: 'run `claude`, and type /login there',
  codex: 'run `codex login`',
  gemini: 'run `gemini`, and choose how to sign in',
  opencode: 'run `opencode auth login`',
};

export function signInCommand(backend: string): string | undefined {
  return Object.hasOwn(commands, backend) ? commands[backend as VendorName] : undefined;
}
