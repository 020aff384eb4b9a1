import type { CommandPage } from '../command/command-page.js';
import { turnFlags } from './turn-flags.js';

export const turnExitCodes =
  '0 done · 1 the agent failed · 2 wrong usage · 3 backend not available · 4 not supported by this backend · 124 timed out · 130 interrupted';

export const page = {
  usage: ['run [prompt] [options] [-- <arguments for the CLI itself>]'],
  about: `One turn with an agent: the answer on stdout, everything else on stderr. Claude's flags are understood with every backend. Without a prompt it is read from stdin; with a prompt and piped stdin the agent gets both, the prompt first. A prompt that begins with "-": --prompt=… or stdin.

Tools are allowed without asking unless --permission-mode says otherwise: this is made for unattended runs. Run it where the agent may do what it likes.`,
  flags: turnFlags,
  examples: [
    ['run "explain this repository"'],
    ['run -b codex -m gpt-5.2 "fix the failing test"'],
    ['git diff | turnout run -p "review this"', 'the prompt and stdin'],
    ['run --continue "and now the docs"', 'goes on with the last session'],
    ['run --json "how many files?" | jq .responseText'],
  ],
  exitCodes: turnExitCodes,
} as const satisfies CommandPage;
